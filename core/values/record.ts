import * as v from 'valibot'
import { named, worded } from './described.ts'
import { id, type Kind, moment, object, optional, owner, type Presence, text, version } from './kind.ts'

/** A request that may give a field. */
type Way = 'create' | 'change'

/** The requests that may give a field. */
export interface Given<By extends Way> {
  readonly ways: readonly By[]
}

/** The field is given by these requests. One without this is the engine's own. */
export function given<By extends Way>(...ways: readonly By[]): Given<By> {
  return { ways }
}

/** The field is in no answer. */
export const INTERNAL = 'internal'

/** A field of a noun: its kind, a sentence that says what it is, and who gives or sees it. */
type Field = readonly [kind: Kind<unknown, Presence>, sentence: string, who?: Given<Way> | typeof INTERNAL]
type Fields = Readonly<Record<string, Field>>

/** A noun as it is stored: what it is called, a sentence that says what one is, and its fields in their order. */
export interface Noun<Of extends Fields = Fields> {
  readonly name: string
  readonly sentence: string
  readonly fields: Of
}

/**
 * Declares a noun, once. From it are made the type (`RecordOf`), the columns (`entityOf`), the requests (`creating`,
 * `changing`), the answers (`answerOf`) and the sentences of the API document.
 */
export function record<const Of extends Fields>(name: string, sentence: string, fields: Of): Noun<Of> {
  return { name, sentence, fields }
}

/** The first fields of every noun of a project. */
export function owned<const Name extends string>(noun: Name) {
  return {
    id: [id, `The id of the ${noun}.`],
    projectId: [owner, 'The project that it belongs to.', INTERNAL],
  } as const
}

/** The field of a noun that people edit: see `Versioned`. */
export const VERSIONED = {
  version: [
    version,
    'The number of the current version: it rises with each change that a request makes to what people write, not with statuses or figures.',
  ],
} as const

/** The notes of people about a piece of content. */
export const DESCRIBED = {
  description: [
    optional(text(0, 10_000)),
    'A note for the team. In a request, null removes it.',
    given('create', 'change'),
  ],
} as const

/** The drawing that a visual editor makes a piece of mails from. */
export const DRAWN = {
  design: [
    optional(object),
    'The document of a visual editor, from which it made the body: stored as it is, at most 500 KB, and never sent. It goes when the body is changed without it; in a request, null removes it.',
    given('create', 'change'),
  ],
} as const

/** The last fields of every noun. */
export const TIMES = {
  createdAt: [moment, 'When it was created (ISO 8601, UTC).'],
  updatedAt: [moment, 'When it was last changed (ISO 8601, UTC).'],
} as const

/** The record of a noun. */
export type RecordOf<N extends Noun> = { readonly [Key in KeysIn<N, Sure>]: ValueOf<N['fields'][Key]> } & {
  readonly [Key in KeysIn<N, Unsure>]?: ValueOf<N['fields'][Key]>
}

/** Whether every record has a field. */
type Sure = 'always' | 'default' | 'found'
type Unsure = 'optional' | 'orNull'

type ValueOf<F extends Field> = v.InferOutput<F[0]['answer']>
type KeysIn<N extends Noun, In extends Presence> = {
  [Key in keyof N['fields']]: N['fields'][Key][0]['presence'] extends In ? Key : never
}[keyof N['fields']]
type KeysBy<N extends Noun, By extends Way> = {
  [Key in keyof N['fields']]: N['fields'][Key][2] extends Given<infer Ways> ? (By extends Ways ? Key : never) : never
}[keyof N['fields']]
type KeysShown<N extends Noun> = {
  [Key in keyof N['fields']]: N['fields'][Key][2] extends typeof INTERNAL ? never : Key
}[keyof N['fields']]

/** Schemas by which a room reads fields instead of by their kinds, since it knows more of them. */
type Rules<N extends Noun, By extends Way> = { readonly [Key in KeysBy<N, By>]?: v.GenericSchema }
type ReadBy<N extends Noun, Own, Key extends keyof N['fields']> = Key extends keyof Own
  ? Own[Key] extends v.GenericSchema
    ? Own[Key]
    : never
  : N['fields'][Key][0]['read']

type Created<In extends Presence, Schema extends v.GenericSchema> = In extends Unsure
  ? v.NullishSchema<Schema, undefined>
  : In extends 'default'
    ? v.OptionalSchema<Schema, v.InferInput<Schema>>
    : In extends 'found'
      ? v.OptionalSchema<Schema, undefined>
      : Schema
type Changed<In extends Presence, Schema extends v.GenericSchema> = In extends Unsure
  ? v.NullishSchema<Schema, undefined>
  : v.OptionalSchema<Schema, undefined>
type Shown<F extends Field> = F[0]['presence'] extends 'optional'
  ? v.ExactOptionalSchema<F[0]['answer'], undefined>
  : F[0]['presence'] extends 'orNull'
    ? v.NullableSchema<F[0]['answer'], undefined>
    : F[0]['answer']

/** The body of a request that creates one. `own` has the rules of the room for what only it can read. */
export function creating<const N extends Noun, const Own extends Rules<N, 'create'> = Record<never, never>>(
  noun: N,
  own?: Own,
) {
  type Entries = { [Key in KeysBy<N, 'create'>]: Created<N['fields'][Key][0]['presence'], ReadBy<N, Own, Key>> }
  const created = ({ presence, read, by }: Field[0]) => {
    if (mayLack(presence)) return v.nullish(read)
    return presence === 'always' ? read : v.optional(read, by)
  }
  return v.object(entriesOf(ruled(noun, own), isGiven('create'), created) as Entries)
}

/** The body of a request that changes one: every field may be left out. */
export function changing<const N extends Noun, const Own extends Rules<N, 'change'> = Record<never, never>>(
  noun: N,
  own?: Own,
) {
  type Entries = { [Key in KeysBy<N, 'change'>]: Changed<N['fields'][Key][0]['presence'], ReadBy<N, Own, Key>> }
  const changed = ({ presence, read }: Field[0]) => (mayLack(presence) ? v.nullish(read) : v.optional(read))
  return v.object(entriesOf(ruled(noun, own), isGiven('change'), changed) as Entries)
}

/** The schemas of what answers show of one. */
export type ShownOf<N extends Noun> = { [Key in KeysShown<N>]: Shown<N['fields'][Key]> }

/** The schema of one in answers. */
export function showing<const N extends Noun>(noun: N) {
  const shown = ({ presence, answer }: Field[0]) => {
    if (presence === 'orNull') return v.nullable(answer)
    return presence === 'optional' ? v.exactOptional(answer) : answer
  }
  return v.object(entriesOf(noun, ([, , who]) => who !== INTERNAL, shown) as ShownOf<N>)
}

/** The same under the name of the noun, for nouns that are parts of others. */
export function part<const N extends Noun>(noun: N) {
  return named(noun.name, worded(showing(noun), noun.sentence))
}

/** Whether a record may be without the field. */
export function mayLack(presence: Presence): boolean {
  return presence === 'optional' || presence === 'orNull'
}

function ruled(noun: Noun, own: Readonly<Record<string, v.GenericSchema | undefined>> = {}): Noun {
  const fields = Object.entries(noun.fields).map(([key, [kind, ...said]]) => {
    return [key, [{ ...kind, read: own[key] ?? kind.read }, ...said]] as const
  })
  return { ...noun, fields: Object.fromEntries(fields) }
}

function isGiven(by: Way): (field: Field) => boolean {
  return ([, , who]) => who !== undefined && who !== INTERNAL && who.ways.includes(by)
}

function entriesOf(
  { fields }: Noun,
  wanted: (field: Field) => boolean,
  schemaOf: (kind: Field[0]) => v.GenericSchema,
): Readonly<Record<string, unknown>> {
  const chosen = Object.entries(fields).filter(([, field]) => wanted(field))
  return Object.fromEntries(chosen.map(([key, [kind, sentence]]) => [key, worded(schemaOf(kind), sentence)]))
}

/** The fields that requests give, as they were read; null stands for nothing. */
type Asked<N extends Noun, Keys extends keyof N['fields']> = {
  readonly [Key in Keys]?: ValueOf<N['fields'][Key]> | null | undefined
}
type Made<N extends Noun, In extends Presence> = KeysBy<N, 'create'> & KeysIn<N, In> & keyof N['fields']

/** The part of a new record that its request gives. */
export function made<const N extends Noun>(
  noun: N,
  asked: { readonly [Key in Made<N, 'always' | 'default'>]: ValueOf<N['fields'][Key]> } & Asked<
    N,
    Made<N, 'found' | Unsure>
  >,
) {
  const fields = Object.entries(noun.fields).filter(([, field]) => isGiven('create')(field))
  const given: Readonly<Record<string, unknown>> = asked
  const values = fields.map(([key]) => [key, given[key]] as const)
  const some = values.filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(some) as {
    readonly [Key in Made<N, 'always' | 'default'>]: ValueOf<N['fields'][Key]>
  } & { readonly [Key in Made<N, 'found' | Unsure>]?: ValueOf<N['fields'][Key]> }
}

/** The record with what a request changes; null removes a field. */
export function changed<const N extends Noun, Rec extends RecordOf<N>>(
  noun: N,
  before: Rec,
  asked: Asked<N, KeysBy<N, 'change'>>,
): Rec {
  const given: Readonly<Record<string, unknown>> = asked
  const named = Object.entries(noun.fields).filter(
    ([key, field]) => isGiven('change')(field) && given[key] !== undefined,
  )
  const after: Record<string, unknown> = { ...before }
  for (const [key] of named) {
    if (given[key] === null) delete after[key]
    else after[key] = given[key]
  }
  return after as Rec
}
