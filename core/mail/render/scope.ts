import type { Json, JsonObject } from '../../values/json.ts'
import type { FilterTroubles } from './filter-troubles.ts'

/** The variables a template has besides the contact's data; these names win over keys of the data. */
export interface MailVariables {
  /** The contact's id. */
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly subscribed?: boolean | undefined
  readonly unsubscribeUrl?: string | undefined
  readonly subscribeUrl?: string | undefined
  readonly manageUrl?: string | undefined
  /** Where the recipient reads this mail in a browser. */
  readonly viewUrl?: string | undefined
  /** The event that started a workflow, as `event.*`. */
  readonly event?: JsonObject
  /**
   * Keys given when a workflow was started: used bare like the data's keys, which they override, but not under `data.`.
   */
  readonly context?: JsonObject
  /** Variables that only injected parts use. Keys of the data never replace them. */
  readonly injected?: InjectedParts
  /** Gathers the filters that could not do their work; it is no variable. */
  readonly troubles?: FilterTroubles | undefined
}

/** The values of injected parts: tracked links, the pixel and the footer. */
export interface InjectedParts {
  /** The start of every tracked link; a slash and the link's number follow. */
  readonly click: string | undefined
  readonly pixel: string | undefined
  /** The footer's language (BCP 47), the reason for the mail, and the text of its link. */
  readonly language: string | undefined
  readonly reason: string | undefined
  readonly unsubscribe: string | undefined
  /** The text of the footer's link to the page to choose on, the sender's postal address, and his logo. */
  readonly manage?: string | undefined
  readonly postal?: string | undefined
  readonly logo?: string | undefined
  /** The link of a mail about an account. */
  readonly account?: string | undefined
  /** The address, as HTML, for a link whose address is a separate template. */
  link(number: number): string
  /** The same for a link rendered in place to `address`: `occurrence` counts from 0 in a loop. */
  linkInPlace(number: number, occurrence: number, address: string): string
}

/** Their names. */
export const MAIL_VARIABLES = [
  'id',
  'email',
  'subscribed',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
  'viewUrl',
] as const
type MailVariableName = (typeof MAIL_VARIABLES)[number]

/** Names with this prefix are for injected parts only. */
const INJECTED_PREFIX = 'mailwright_'
const INJECTED = {
  mailwright_click: 'click',
  mailwright_pixel: 'pixel',
  mailwright_language: 'language',
  mailwright_reason: 'reason',
  mailwright_unsubscribe: 'unsubscribe',
  mailwright_manage: 'manage',
  mailwright_postal: 'postal',
  mailwright_logo: 'logo',
  mailwright_account: 'account',
} as const
type InjectedName = keyof typeof INJECTED
const ADDED_LINK = /^mailwright_link_(\d+)$/

/** Finds the value of a bare name: a mail variable, `data`, `event`, a key of the context, a key of the data. */
export type Lookup = (variables: JsonObject, mailVariables: MailVariables) => Json | undefined

/** The look-up for a name; only own properties count, so `constructor` or `__proto__` are ordinary keys. */
export function lookupOf(name: string): Lookup {
  if (isMailVariable(name)) return (_variables, mailVariables) => mailVariables[name]
  if (name.startsWith(INJECTED_PREFIX)) return lookupOfInjected(name)
  if (name === 'data') return (variables) => variables
  if (name === 'event') {
    return (variables, mailVariables) =>
      mailVariables.event ?? ownValue(mailVariables.context, name) ?? ownValue(variables, name)
  }
  return (variables, { context }) => {
    const value = context === undefined ? undefined : ownValue(context, name)
    return value === undefined ? ownValue(variables, name) : value
  }
}

/**
 * The look-up for a key of the data that is a whole path: it wins over the path, as it does in filters. Undefined where
 * there can be none.
 */
export function lookupOfWhole(path: readonly (string | number)[]): Lookup | undefined {
  const [root, ...keys] = path
  if (root === 'data') return keys.length > 1 ? (variables) => ownValue(variables, keys.join('.')) : undefined
  const isOwn = root === 'event' || isMailVariable(String(root)) || String(root).startsWith(INJECTED_PREFIX)
  return keys.length > 0 && !isOwn ? lookupOf(path.join('.')) : undefined
}

/** The mail variables and injected parts that a template uses; others, which may need signing, are not computed. */
export function mentionedNames(source: string): readonly string[] {
  return [...MAIL_VARIABLES, ...Object.keys(INJECTED)].filter((name) => source.includes(name))
}

/** The same as one object without a prototype, fresh for each rendering because `increment` writes to it. */
export function scopeOf(
  variables: JsonObject,
  mailVariables: MailVariables,
  mentioned: readonly string[],
): Record<string, Json | undefined> {
  const scope: Record<string, Json | undefined> = Object.create(null)
  for (const given of [variables, mailVariables.context ?? {}]) {
    for (const key of Object.keys(given))
      if (!isMailVariable(key) && !key.startsWith(INJECTED_PREFIX)) scope[key] = given[key]
  }
  for (const name of mentioned) scope[name] = lookupOf(name)(variables, mailVariables)
  if (mailVariables.event !== undefined) scope.event = mailVariables.event
  scope.data = variables
  return scope
}

/** An own property of any JSON value; strings have `length` and their characters. */
export function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (value === null || value === undefined || !Object.hasOwn(value as object, key)) return undefined
  return (value as JsonObject)[key]
}

function isMailVariable(name: string): name is MailVariableName {
  return MAIL_VARIABLES.some((known) => known === name)
}

function lookupOfInjected(name: string): Lookup {
  const link = ADDED_LINK.exec(name)?.[1]
  if (link !== undefined) return (_variables, { injected }) => injected?.link(Number(link))
  if (!isInjected(name)) return () => undefined
  const key = INJECTED[name]
  return (_variables, { injected }) => injected?.[key]
}

function isInjected(name: string): name is InjectedName {
  return Object.hasOwn(INJECTED, name)
}
