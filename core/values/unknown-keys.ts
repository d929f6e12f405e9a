import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { isJsonObject, type Untrusted } from './json.ts'
import { nearest } from './nearest.ts'

/** An input that was accepted but is probably a mistake; `field` is a dotted path such as `attachments.0.fileName`. */
export interface Warning {
  /** The place in the input, such as `data.plan`. */
  readonly field: string
  /** The problem with it. */
  readonly message: string
}

/** How many warnings are reported per input. */
export const MAX_WARNINGS = 20
/** How many characters of a key, and of a whole path, are repeated. */
const MAX_KEY_LENGTH = 60
const LONGEST_FIELD = 200
/** How deep an input is searched. */
const MAX_SEARCH_DEPTH = 16

/** Names that other services use; the first one that the schema knows is suggested. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  html: ['body'],
  content: ['body'],
  message: ['body'],
  recipients: ['to'],
  email: ['to'],
  sender: ['from'],
  reply: ['replyTo'],
  title: ['subject', 'name'],
  scheduledAt: ['scheduledFor'],
  sendAt: ['scheduledFor'],
  variables: ['data'],
  attributes: ['data'],
  properties: ['data'],
}

/**
 * The keys of an input that its schema does not know, at every level the schema describes, each with the probable
 * intention. Objects the schema accepts as they are (`data`, `headers` …) are not searched.
 */
export function unknownKeys(schema: v.GenericSchema, input: Untrusted): readonly Warning[] {
  const found: Warning[] = []
  collect(schema, input, '', 0, { found, isOdd: false })
  return found
}

/** All that an input should be warned of: its unknown keys, and values that its schema accepts but finds `odd`. */
export function warningsAbout(schema: v.GenericSchema, input: Untrusted): readonly Warning[] {
  const found: Warning[] = []
  collect(schema, input, '', 0, { found, isOdd: true })
  return found
}

/** Says what is odd about a value that a schema accepts, undefined when nothing is: an action of its pipe. */
export function oddWhen<Value>(remark: (value: unknown) => string | undefined) {
  return v.metadata<Value, { readonly remark: typeof remark }>({ remark })
}

/** A value that is read outside valibot: `keys` describes its keys, so that unknown ones can be reported. */
export function readElsewhere<const Schema extends v.GenericSchema>(schema: Schema, keys: v.GenericSchema) {
  return v.pipe(schema, v.metadata({ keys }))
}

/** A key that would be misunderstood if it were dropped: it is refused, and the error names the right one. */
export function instead(name: string) {
  return v.nullish(v.never(`custom: is not a key here: use ${name}`))
}

/** The warnings that a search has found so far, and whether it also looks for odd values. */
interface Search {
  readonly found: Warning[]
  readonly isOdd: boolean
}

function collect(given: v.GenericSchema, value: unknown, path: string, depth: number, search: Search): void {
  const { found, isOdd } = search
  if (depth > MAX_SEARCH_DEPTH || found.length >= MAX_WARNINGS) return
  const remark = isOdd ? remarkOn(given, value) : undefined
  if (remark !== undefined) found.push({ field: cut(path, LONGEST_FIELD), message: remark })
  if (typeof value !== 'object' || value === null) return
  const schema = describing(given, value)
  if (schema === undefined) return
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return
    for (let i = 0; i < value.length && found.length < MAX_WARNINGS; i++) {
      collect(schema.item, value[i], join(path, String(i)), depth + 1, search)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const key of Object.keys(value)) {
    const inner = Object.hasOwn(schema.entries, key) ? schema.entries[key] : undefined
    if (inner !== undefined) collect(inner, value[key], join(path, key), depth + 1, search)
    else if (found.length < MAX_WARNINGS)
      found.push(unknownKey(join(path, cut(key, MAX_KEY_LENGTH)), key, schema.entries))
  }
}

function remarkOn(schema: v.GenericSchema, value: unknown): string | undefined {
  const remark = 'pipe' in schema ? metadataOf(schema).remark : undefined
  if (typeof remark === 'function') return remark(value)
  if (isWrapping(schema)) return value == null ? undefined : remarkOn(schema.wrapped, value)
  return isLazy(schema) ? remarkOn(schema.getter(value), value) : undefined
}

function unknownKey(path: string, key: string, entries: Entries): Warning {
  const known = Object.keys(entries).filter((name) => !isRefused(entries[name]))
  const other = (Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined)?.find((name) => known.includes(name))
  const meant = other ?? nearest(key, known)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return { field: cut(path, LONGEST_FIELD), message: `is not a known key and was ignored${hint}` }
}

type Entries = Readonly<Record<string, v.GenericSchema>>
type Describing = v.ObjectSchema<Record<string, v.GenericSchema>, undefined> | v.ArraySchema<v.GenericSchema, undefined>

/**
 * The part of a schema that describes this value: an object with its entries or an array; undefined when it accepts
 * anything.
 */
function describing(schema: v.GenericSchema, value: object): Describing | undefined {
  if (isDescribing(schema)) return schema
  if (isWrapping(schema)) return describing(schema.wrapped, value)
  if (isLazy(schema)) return describing(schema.getter(value), value)
  if (isUnion(schema)) {
    const wanted = Array.isArray(value) ? 'array' : 'object'
    return schema.options.map((option) => describing(option, value)).find((each) => each?.type === wanted)
  }
  const keys = 'pipe' in schema ? metadataOf(schema).keys : undefined
  return isSchema(keys) ? describing(keys, value) : undefined
}

/** The metadata of schemas, since valibot collects it anew each time. */
const METADATA = new WeakMap<v.GenericSchema, Readonly<Record<string, unknown>>>()

function metadataOf(schema: v.GenericSchema): Readonly<Record<string, unknown>> {
  const known = METADATA.get(schema)
  if (known !== undefined) return known
  const metadata = v.getMetadata(schema)
  METADATA.set(schema, metadata)
  return metadata
}

function isSchema(given: unknown): given is v.GenericSchema {
  return typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'schema'
}

function isDescribing(schema: v.GenericSchema): schema is Describing {
  return schema.type === 'object' || schema.type === 'array'
}

function isWrapping(schema: v.GenericSchema): schema is v.NullishSchema<v.GenericSchema, undefined> {
  return schema.type === 'nullish' || schema.type === 'optional' || schema.type === 'nullable'
}

function isLazy(schema: v.GenericSchema): schema is v.LazySchema<v.GenericSchema> {
  return schema.type === 'lazy'
}

function isUnion(schema: v.GenericSchema): schema is v.UnionSchema<v.GenericSchema[], undefined> {
  return schema.type === 'union'
}

function isRefused(schema: v.GenericSchema | undefined): boolean {
  return schema !== undefined && isWrapping(schema) && schema.wrapped.type === 'never'
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** How people and other services call the time to send at, without signs and in lower case. */
const TIMES: ReadonlySet<string> = new Set([
  ...['scheduledat', 'scheduleat', 'scheduledfor', 'schedulefor', 'scheduledon', 'scheduledate', 'scheduletime'],
  ...['scheduled', 'schedule', 'sendat', 'sendon', 'senddate', 'sendtime', 'sendlater', 'deliverat', 'deliverytime'],
  ...['deliverydate', 'delayuntil', 'notbefore'],
])

/** Names for which every schema has its own refusal. */
const TIMES_REFUSED: ReadonlySet<string> = new Set(['scheduledAt', 'sendAt', 'send_at'])

/**
 * The keys of a request that give a time to send at by another name than `scheduledFor`: dropped, the mail would go at
 * once. With `isOnlyTime` the request has no other key, so that whatever holds a time is meant to be one.
 */
export function* misnamedTimes(
  sent: Readonly<Record<string, unknown>>,
  { isOnlyTime = false }: { readonly isOnlyTime?: boolean } = {},
): Generator<FieldProblem> {
  for (const [key, value] of Object.entries(sent)) {
    if (key === 'scheduledFor' || TIMES_REFUSED.has(key) || value == null || value === false) continue
    if (TIMES.has(key.toLowerCase().replace(/[_-]/g, '')) || (isOnlyTime && isTime(value)))
      yield { field: key.slice(0, 200), code: 'custom', message: 'is not a key here: use scheduledFor' }
  }
}

/** Whether a value is a date, or a number as a clock counts it. */
function isTime(value: unknown): boolean {
  if (typeof value === 'number') return value > 1e9
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value)
}
