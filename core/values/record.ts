import * as v from 'valibot'
import { id, type Kind, moment, owner, type Presence, version } from './kind.ts'

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

/** What every noun of a project begins with. */
export function owned<const Name extends string>(noun: Name) {
  return {
    id: [id, `The id of the ${noun}.`],
    projectId: [owner, 'The project that it belongs to.', INTERNAL],
  } as const
}

/** What a noun has that people edit: see `Versioned`. */
export const VERSIONED = {
  version: [
    version,
    'The number of the current version: it rises with each change that a request makes to what people write, not with statuses or figures.',
  ],
} as const

/** What every noun ends with. */
export const TIMES = {
  createdAt: [moment, 'When it was created (ISO 8601, UTC).'],
  updatedAt: [moment, 'When it was last changed (ISO 8601, UTC).'],
} as const

/** The record of a noun. */
export type RecordOf<N extends Noun> = {
  readonly [Key in KeysIn<N, 'always' | 'default'>]: ValueOf<N['fields'][Key]>
} & { readonly [Key in KeysIn<N, 'optional'>]?: ValueOf<N['fields'][Key]> }

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

type Read<F extends Field> = F[0]['presence'] extends 'optional'
  ? v.NullishSchema<F[0]['read'], undefined>
  : F[0]['presence'] extends 'default'
    ? v.OptionalSchema<F[0]['read'], undefined>
    : F[0]['read']
type Shown<F extends Field> = F[0]['presence'] extends 'optional'
  ? v.OptionalSchema<F[0]['answer'], undefined>
  : F[0]['answer']

/** The body of a request that creates one. A room adds what only it knows. */
export function creating<const N extends Noun>(noun: N) {
  type Entries = { [Key in KeysBy<N, 'create'>]: Read<N['fields'][Key]> }
  return v.object(entriesOf(noun, isGiven('create'), readOf) as Entries)
}

/** The body of a request that changes one: every field may be left out. */
export function changing<const N extends Noun>(noun: N) {
  type Entries = { [Key in KeysBy<N, 'change'>]: v.OptionalSchema<Read<N['fields'][Key]>, undefined> }
  return v.object(entriesOf(noun, isGiven('change'), (kind) => v.optional(readOf(kind))) as Entries)
}

/** The schemas of what answers show of one. */
export type ShownOf<N extends Noun> = { [Key in KeysShown<N>]: Shown<N['fields'][Key]> }

/** What answers show of one. */
export function showing<const N extends Noun>(noun: N) {
  const shownOf = ({ presence, answer }: Field[0]) => (presence === 'optional' ? v.optional(answer) : answer)
  return v.object(entriesOf(noun, ([, , who]) => who !== INTERNAL, shownOf) as ShownOf<N>)
}

function readOf({ presence, read }: Field[0]): v.GenericSchema {
  if (presence === 'optional') return v.nullish(read)
  return presence === 'default' ? v.optional(read) : read
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
  return Object.fromEntries(
    chosen.map(([key, [kind, sentence]]) => [key, v.pipe(schemaOf(kind), v.description(sentence))]),
  )
}

/** What requests give, as they were read; null stands for nothing. */
type Asked<N extends Noun, By extends Way> = {
  readonly [Key in KeysBy<N, By>]?: ValueOf<N['fields'][Key]> | null | undefined
}

/** The part of a new record that its request gives, with what it has by default. */
export function made<const N extends Noun>(noun: N, asked: Asked<N, 'create'>) {
  const fields = Object.entries(noun.fields).filter(([, field]) => isGiven('create')(field))
  const given: Readonly<Record<string, unknown>> = asked
  const values = fields.map(([key, [kind]]) => [key, given[key] ?? kind.by] as const)
  const some = values.filter(([, value]) => value !== undefined)
  return Object.fromEntries(some) as Pick<RecordOf<N>, KeysBy<N, 'create'> & keyof RecordOf<N>>
}

/** The record with what a request changes; null removes a field. */
export function changed<const N extends Noun, Rec extends RecordOf<N>>(
  noun: N,
  before: Rec,
  asked: Asked<N, 'change'>,
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
