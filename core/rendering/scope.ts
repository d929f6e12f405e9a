import type { Json, JsonObject } from '../values/json.ts'

/** What a template sees besides the contact's data; these names win over keys of the data. */
export interface Builtins {
  /** The contact's id. */
  readonly id?: string
  readonly email?: string
  readonly subscribed?: boolean
  readonly unsubscribeUrl?: string
  readonly subscribeUrl?: string
  readonly manageUrl?: string
  /** The event that started a workflow, as `event.*`. */
  readonly event?: JsonObject
  /** Keys given when a workflow was started: bare like the data's keys, which they win over, but not under `data.`. */
  readonly context?: JsonObject
}

const BUILTINS = ['id', 'email', 'subscribed', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const
type BuiltinName = (typeof BUILTINS)[number]

/** Finds the value of a bare name: a built-in, `data`, `event`, a key of the context, a key of the data. */
export type Lookup = (variables: JsonObject, builtins: Builtins) => Json | undefined

/** The look-up for a name; only own properties are seen, so `constructor` or `__proto__` are keys like others. */
export function lookupOf(name: string): Lookup {
  if (isBuiltin(name)) return (_variables, builtins) => builtins[name]
  if (name === 'data') return (variables) => variables
  if (name === 'event') {
    return (variables, builtins) => builtins.event ?? ownValue(builtins.context, name) ?? ownValue(variables, name)
  }
  return (variables, { context }) => {
    const value = context === undefined ? undefined : ownValue(context, name)
    return value === undefined ? ownValue(variables, name) : value
  }
}

/** The same as one object without a prototype, fresh for each rendering because `increment` writes to it. */
export function scopeOf(variables: JsonObject, builtins: Builtins): Record<string, Json | undefined> {
  const scope: Record<string, Json | undefined> = Object.create(null)
  for (const key of Object.keys(variables)) scope[key] = variables[key]
  for (const key of Object.keys(builtins.context ?? {})) scope[key] = builtins.context?.[key]
  for (const name of BUILTINS) scope[name] = builtins[name]
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
