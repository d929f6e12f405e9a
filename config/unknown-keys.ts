import * as v from 'valibot'
import type { FieldProblem } from '../core/errors.ts'
import { isPlugin } from '../core/plugin/shape.ts'
import { EngineValues } from '../core/settings/engine-values.ts'
import { PER_SECOND } from '../core/settings/throttle-settings.ts'
import { isJsonObject } from '../core/values/json.ts'
import { nearest } from '../core/values/nearest.ts'
import { ConfigKeys } from './schema.ts'

/**
 * Keys whose value belongs elsewhere now. A config that still has one is refused, since a server without this value would do
 * something else than was asked for.
 */
const MOVED: ReadonlyMap<string, string> = new Map([
  ['auth.secret', 'is called secret now: move its value there, beside server'],
  ['auth.signups', 'is called accounts.signup now'],
  [
    'firstProject',
    'is for variables alone now (PROJECT_NAME and others): in a file, put the project under projects, with the name it has had',
  ],
  ['delivery.throttle.project.perMinute', PER_SECOND],
])

/**
 * Keys that are no settings any more, and what applies now. A config that still has one is accepted: what it asked for is a
 * detail, and a server that does not start for it would be worse.
 */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ['campaigns.brake.least', 'it takes 20 refusals'],
  ['campaigns.brake.share', 'it takes more than 5 percent of the first answers'],
  ['campaigns.maxOverdueMinutes', 'a campaign that is overdue by an hour is paused'],
  ['delivery.lease', 'a worker may hold a mail for a third longer than delivery.sendTimeout'],
  ['domains.checkEverySeconds', 'domains are checked every five minutes'],
  ['domains.claimHours', 'an unproven domain is reserved for 72 hours'],
  ['feedback.softBounces', 'an address is suppressed after 5 temporary failures in a row within 14 days'],
  ['limits.failuresPerMinutePerIp', 'an address has 300 a minute'],
  ['limits.hookFailuresPerMinutePerIp', 'an address has 60 a minute'],
  ['limits.pagesPerMinutePerIp', 'an address has 3000 a minute'],
  ['reputation.bounceRate.warn', 'a warning is logged from 5 percent on, and from half of stop where that is less'],
  [
    'reputation.complaintRate.warn',
    'a warning is logged from 0.1 percent on, and from half of stop where that is less',
  ],
  ['reputation.days', 'rates cover 7 days'],
  ['reputation.minimum', 'rates need 200 mails'],
  ['retention.campaignVariables', 'mails of campaigns lose them 30 days after the end of the campaign'],
  ['segments', 'segments are computed every five minutes'],
  ['server.headersTimeout', 'header fields may take 15 seconds'],
  ['server.requestTimeout', 'a request may take 300 seconds'],
  ['uploads.maxPixels', 'an image may have 25 million pixels'],
  ['verification', 'a check waits 4.5 seconds for the DNS, and a project has 20 look-ups at the same time'],
  ['webhooks.pauseAfterDays', 'an endpoint is paused after five days of failures'],
])

/** A sentence for every key of a config, or of an embedder's settings, that is no longer a setting. */
export function removedKeys(config: object): readonly string[] {
  return [...REMOVED].flatMap(([path, now]) => {
    const found = path.split('.').reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), config)
    return found === undefined ? [] : `${path} is no longer a setting and has no effect: ${now}. Remove it.`
  })
}

/**
 * A problem for every unknown key, with the nearest known one, and for every list where an object belongs (valibot
 * accepts it). Options are left to their plugin.
 */
export function unknownKeys(config: unknown): FieldProblem[] {
  return [...unknownKeysIn(ConfigKeys, config, '')]
}

const socket = v.optional(v.any())
const NO_KEYS = v.object({})

/** The settings of `createEngine`: plugins as values, and the engine's plain values. */
const SettingKeys = v.object({
  ...EngineValues.entries,
  store: socket,
  queue: socket,
  scheduler: socket,
  blobs: socket,
  dns: socket,
  webhookSender: socket,
  identity: socket,
  assistant: socket,
  transports: socket,
  inbound: socket,
  submission: socket,
  hooks: socket,
  compat: socket,
  log: socket,
  metrics: socket,
  traces: socket,
  clock: socket,
  installation: socket,
  role: socket,
})
const NamedPluginKeys = v.object({ name: v.any(), plugin: v.any() })

/**
 * A problem for every key of an embedder's settings that is unknown, also deep inside. Options
 * are left to their plugin.
 */
export function unknownSettings(settings: object): FieldProblem[] {
  return [
    ...[...unknownKeysIn(SettingKeys, settings, '')].map(ofFiles),
    ...['transports', 'hooks', 'compat'].flatMap((key) => unknownKeysOfNamed(key, Reflect.get(settings, key))),
  ]
}

function unknownKeysOfNamed(key: string, given: unknown): FieldProblem[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  return list.flatMap((each, i) =>
    isJsonObject(each) && 'plugin' in each ? [...unknownKeysIn(NamedPluginKeys, each, `${key}[${i}]`)] : [],
  )
}

/** Those used to config files look for its sections here. */
function ofFiles(problem: FieldProblem): FieldProblem {
  if (!Object.hasOwn(ConfigKeys.entries, problem.field)) return problem
  const hints: Readonly<Record<string, string>> = {
    server: ' (publicUrl stands by itself)',
  }
  const message = `is a key of config files alone${hints[problem.field] ?? ''}`
  return { ...problem, message }
}

/** Every key of a config, for example `server.port` and `transports[].name`. */
export function knownKeys(): string[] {
  return [...keysOf(ConfigKeys, '')]
}

function* unknownKeysIn(given: v.GenericSchema, value: unknown, field: string): Generator<FieldProblem> {
  const schema = bare(given)
  if (isArraySchema(schema) && Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* unknownKeysIn(schema.item, item, `${field}[${i}]`)
  }
  if (isObjectSchema(schema) && Array.isArray(value)) {
    yield { field, code: 'invalid_type', message: 'must be an object, not an array' }
  }
  if (!isObjectSchema(schema) || !isJsonObject(value) || isPlugin(value)) return
  for (const [key, inner] of Object.entries(value)) {
    const path = join(field, key)
    const known = Object.hasOwn(schema.entries, key) ? schema.entries[key] : undefined
    if (REMOVED.has(path)) continue
    if (known !== undefined) yield* unknownKeysIn(known, inner, path)
    else if (isJsonObject(inner) && hadKeys(path)) yield* unknownKeysIn(NO_KEYS, inner, path)
    else yield unknownKey(path, key, Object.keys(schema.entries))
  }
}

/** A section of which every key has moved. */
function hadKeys(section: string): boolean {
  return [...MOVED.keys()].some((path) => path.startsWith(`${section}.`))
}

function unknownKey(field: string, key: string, known: readonly string[]): FieldProblem {
  const near = nearest(key, known)
  const unknown = near === undefined ? 'is not a known key' : `is not a known key (did you mean ${near}?)`
  return { field, code: 'custom', message: MOVED.get(field) ?? unknown }
}

function* keysOf(given: v.GenericSchema, field: string): Generator<string> {
  const schema = bare(given)
  if (isArraySchema(schema)) yield* keysOf(schema.item, `${field}[]`)
  if (!isObjectSchema(schema)) return
  for (const [key, inner] of Object.entries(schema.entries)) {
    const path = join(field, key)
    yield path
    yield* keysOf(inner, path)
  }
}

function join(field: string, key: string): string {
  return field === '' ? key : `${field}.${key}`
}

function bare(schema: v.GenericSchema): v.GenericSchema {
  return isOptionalSchema(schema) ? schema.wrapped : schema
}

function isObjectSchema(schema: v.GenericSchema): schema is v.ObjectSchema<Record<string, v.GenericSchema>, undefined> {
  return schema.type === 'object'
}

function isArraySchema(schema: v.GenericSchema): schema is v.ArraySchema<v.GenericSchema, undefined> {
  return schema.type === 'array'
}

function isOptionalSchema(schema: v.GenericSchema): schema is v.OptionalSchema<v.GenericSchema, undefined> {
  return schema.type === 'optional' || schema.type === 'nullish'
}
