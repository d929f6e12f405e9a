import * as v from 'valibot'
import { describedBy } from './described.ts'
import { isId } from './id.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { listOf } from './list.ts'
import { say } from './parse.ts'
import type { ProjectId } from './project-id.ts'
import { slugOf } from './slug.ts'

/**
 * Whether a record always has a field that its request must give (`always`), or one that a request may leave out since it
 * has a value by default (`default`) or one that the room finds (`found`); or whether it may be without it: then answers
 * leave it out (`optional`) or say null (`orNull`).
 */
export type Presence = 'always' | 'default' | 'found' | 'optional' | 'orNull'

/** How a field is stored, read from requests and shown in answers. */
export interface Kind<Value, In extends Presence = 'always'> {
  readonly column: 'uuid' | 'text' | 'json' | 'date' | 'boolean' | 'integer' | 'version'
  readonly presence: In
  /** Reads it from a request. */
  readonly read: v.GenericSchema<Value>
  /** Describes it in an answer. */
  readonly answer: v.GenericSchema<Value>
  /** The default for a new record. */
  readonly by?: Value
}

/** A UUID. */
export const id: Kind<string> = alike('uuid', v.pipe(v.string(), v.uuid()))

/** The project that owns a record. */
export const owner: Kind<ProjectId> = alike(
  'uuid',
  v.custom<ProjectId>(() => false),
)

/** A moment, by the clock of the engine. */
export const moment: Kind<Date> = alike('date', v.date())

/** The number of a version; records from before versions have the first. */
export const version: Kind<number> = alike('version', v.pipe(v.number(), v.integer(), v.minValue(0)))

/** A whole number from 0. */
export const count: Kind<number> = alike('integer', v.pipe(v.number(), v.integer(), v.minValue(0)))

/** Text that the engine writes. */
export const words: Kind<string> = alike('text', v.string())

/** True or false. */
export const flag: Kind<boolean> = alike('boolean', v.boolean())

/** One of these words. */
export function oneOf<const Words extends readonly string[]>(words: Words): Kind<Words[number]> {
  return alike('text', v.picklist(words))
}

/** An e-mail address; its domain may be international. */
export const address: Kind<string> = { ...words, answer: v.pipe(v.string(), v.metadata({ format: 'idn-email' })) }

/** The URL of something, as written in ASCII. */
export const url: Kind<string> = { ...words, answer: v.pipe(v.string(), v.metadata({ format: 'uri' })) }

/** An object with keys of the caller's own. */
export const object: Kind<JsonObject> = alike(
  'json',
  describedBy(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
    v.record(v.string(), v.unknown()),
  ),
)

/** A JSON value of this schema. */
export function json<Value>(schema: v.GenericSchema<Value>): Kind<Value> {
  return alike('json', schema)
}

/** Text as it was typed, of so many characters. */
export function text(least: number, most: number): Kind<string> {
  const bounded = v.pipe(v.string(), v.maxLength(most))
  return typed(least > 0 ? v.pipe(v.string(), v.minLength(least), v.maxLength(most)) : bounded)
}

/** A name of 1 to so many characters, read without the spaces around it. */
export function label(most: number): Kind<string> {
  return typed(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most)))
}

/** The same, which may be empty. */
export function trimmed(most: number): Kind<string> {
  return typed(v.pipe(v.string(), v.trim(), v.maxLength(most)))
}

/** A list of so many of these. */
export function list<Value>({ read, answer }: Kind<Value>, least: number, most: number): Kind<readonly Value[]> {
  return { ...json<readonly Value[]>(v.array(answer)), read: listOf(read, least, most) }
}

/** Such a name in lower-case letters, digits and single hyphens. */
export function plainName(most: number, example: string): Kind<string> {
  const form = say('invalid_string', `must have lower-case letters, digits and single hyphens only, such as ${example}`)
  const isPlain = v.regex<string, string>(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, form)
  return typed(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most), isPlain))
}

/** Lower-case words joined by hyphens, such as the example, that cannot be taken for an id. */
export function slug(most: number, example: string): Kind<string> {
  const hasForm = (given: string) => slugOf(given) === given
  const form = say('invalid_string', `must be lower-case words joined by hyphens, such as ${example}`)
  const isNoId = v.check((given: string) => !isId(given), say('invalid_string', 'must not look like an id'))
  return typed(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most), v.check(hasForm, form), isNoId))
}

/** A field that a record may be without: then its column is NULL. In a request, null removes it. */
export function optional<Value>(kind: Kind<Value>): Kind<Value, 'optional'> {
  return { ...kind, presence: 'optional' }
}

/** The same; answers say null for what is not there. */
export function orNull<Value>(kind: Kind<Value>): Kind<Value, 'orNull'> {
  return { ...kind, presence: 'orNull' }
}

/** A field that a request may leave out. A new record then has this value. */
export function byDefault<Value>(kind: Kind<Value>, by: Value): Kind<Value, 'default'> {
  return { ...kind, presence: 'default', by }
}

/** A field that a request may leave out. The room then finds its value. */
export function found<Value>(kind: Kind<Value>): Kind<Value, 'found'> {
  return { ...kind, presence: 'found' }
}

function typed(read: v.GenericSchema<string>): Kind<string> {
  return { ...words, read }
}

function alike<Value>(column: Kind<Value>['column'], schema: v.GenericSchema<Value>): Kind<Value> {
  return { column, presence: 'always', read: schema, answer: schema }
}
