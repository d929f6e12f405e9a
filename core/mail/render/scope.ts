import type { Json, JsonObject } from '../../values/json.ts'

/** What a template sees besides the contact's data; these names win over keys of the data. */
export interface Builtins {
  /** The contact's id. */
  readonly id?: string
  readonly email?: string
  readonly subscribed?: boolean
  readonly unsubscribeUrl?: string | undefined
  readonly subscribeUrl?: string | undefined
  readonly manageUrl?: string | undefined
  /** The event that started a workflow, as `event.*`. */
  readonly event?: JsonObject
  /** Keys given when a workflow was started: bare like the data's keys, which they win over, but not under `data.`. */
  readonly context?: JsonObject
  /** What only the engine's own additions to a body mention. No key of the data stands in for it. */
  readonly additions?: Additions
}

/** The values of what the engine adds to bodies: tracked links, the pixel and the footer. */
export interface Additions {
  /** The start of every tracked link; a slash and the link's number follow. */
  readonly click: string | undefined
  readonly pixel: string | undefined
  /** The footer's language (BCP 47), why one gets the mail, and the words of its link. */
  readonly language: string | undefined
  readonly reason: string | undefined
  readonly unsubscribe: string | undefined
  /** The address, as HTML, that stands in a link whose address is a template of its own. */
  link(number: number): string
  /** The same for a link that was rendered where it stands, to `address`: `occurrence` counts from 0 in a loop. */
  linkInPlace(number: number, occurrence: number, address: string): string
}

const BUILTINS = ['id', 'email', 'subscribed', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const
type BuiltinName = (typeof BUILTINS)[number]

/** Names that begin so are for the engine's additions only. */
const OURS = 'mailwright_'
const ADDITIONS = {
  mailwright_click: 'click',
  mailwright_pixel: 'pixel',
  mailwright_language: 'language',
  mailwright_reason: 'reason',
  mailwright_unsubscribe: 'unsubscribe',
} as const
type AdditionName = keyof typeof ADDITIONS
const ADDED_LINK = /^mailwright_link_(\d+)$/

/** Finds the value of a bare name: a built-in, `data`, `event`, a key of the context, a key of the data. */
export type Lookup = (variables: JsonObject, builtins: Builtins) => Json | undefined

/** The look-up for a name; only own properties are seen, so `constructor` or `__proto__` are keys like others. */
export function lookupOf(name: string): Lookup {
  if (isBuiltin(name)) return (_variables, builtins) => builtins[name]
  if (name.startsWith(OURS)) return lookupOfAddition(name)
  if (name === 'data') return (variables) => variables
  if (name === 'event') {
    return (variables, builtins) => builtins.event ?? ownValue(builtins.context, name) ?? ownValue(variables, name)
  }
  return (variables, { context }) => {
    const value = context === undefined ? undefined : ownValue(context, name)
    return value === undefined ? ownValue(variables, name) : value
  }
}

/** The built-ins and additions that a template mentions; the others, which may have to be signed, are not asked for. */
export function mentionedNames(source: string): readonly string[] {
  return [...BUILTINS, ...Object.keys(ADDITIONS)].filter((name) => source.includes(name))
}

/** The same as one object without a prototype, fresh for each rendering because `increment` writes to it. */
export function scopeOf(
  variables: JsonObject,
  builtins: Builtins,
  mentioned: readonly string[],
): Record<string, Json | undefined> {
  const scope: Record<string, Json | undefined> = Object.create(null)
  for (const given of [variables, builtins.context ?? {}]) {
    for (const key of Object.keys(given)) if (!isBuiltin(key) && !key.startsWith(OURS)) scope[key] = given[key]
  }
  for (const name of mentioned) scope[name] = lookupOf(name)(variables, builtins)
  if (builtins.event !== undefined) scope.event = builtins.event
  scope.data = variables
  return scope
}

/** An own property of any JSON value; strings have `length` and their characters. */
export function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (value === null || value === undefined || !Object.hasOwn(value as object, key)) return undefined
  return (value as JsonObject)[key]
}

function isBuiltin(name: string): name is BuiltinName {
  return BUILTINS.some((builtin) => builtin === name)
}

function lookupOfAddition(name: string): Lookup {
  const link = ADDED_LINK.exec(name)?.[1]
  if (link !== undefined) return (_variables, { additions }) => additions?.link(Number(link))
  if (!isAddition(name)) return () => undefined
  const key = ADDITIONS[name]
  return (_variables, { additions }) => additions?.[key]
}

function isAddition(name: string): name is AdditionName {
  return Object.hasOwn(ADDITIONS, name)
}
