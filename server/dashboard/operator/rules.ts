import type { Api, components } from '../api/client.ts'

export type RuleList = components['schemas']['RouteRules']
export type Rule = RuleList['rules'][number]

/** The nouns that a change of the rules changes. */
export const CHANGES = ['routes', 'emails', 'operator']

/** A condition as a row of the form has it: a key of `when`, for tags and header fields a name, and values of which one fits. */
export interface Condition {
  readonly key: string
  readonly name: string
  readonly values: readonly string[]
}

/** The keys of conditions, in the order in which they are offered. */
export const KEYS = [
  'class',
  'project',
  'senderDomain',
  'recipientDomain',
  'receiver',
  'template',
  'tag',
  'header',
] as const

/** Whether a condition has a name of its own, and a single value. */
export function isNamed(key: string): boolean {
  return key === 'tag' || key === 'header'
}

/** With a capital letter, as at the beginning of a line. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Stores all rules over the version that was seen; without `mayName` that stays as it is. */
export function saveRules(api: Api, rules: readonly Rule[], version: number, mayName?: RuleList['mayName']) {
  const lent = mayName === undefined ? {} : { mayName }
  return api.PUT('/users/@me/operator/routes', { body: { rules: [...rules], ...lent, version } })
}

/** The conditions of a rule, one for each key or name. */
export function conditionsOf({ when }: Pick<Rule, 'when'>): readonly Condition[] {
  return Object.entries(when).flatMap(([key, given]): readonly Condition[] => {
    if (given === undefined) return []
    if (Array.isArray(given)) return [{ key, name: '', values: given }]
    return Object.entries(given).map(([name, value]) => ({ key, name, values: [String(value)] }))
  })
}

/** The conditions as the API takes them. A name without a value is there for any. */
export function whenOf(conditions: readonly Condition[]): Rule['when'] {
  const when: Record<string, string[] | Record<string, string>> = {}
  for (const { key, name, values } of conditions) {
    const before = when[key]
    if (isNamed(key)) when[key] = { ...(Array.isArray(before) ? {} : before), [name.trim()]: values[0]?.trim() || '*' }
    else when[key] = [...(Array.isArray(before) ? before : []), ...values]
  }
  return when as Rule['when']
}

/** The transports of a rule, with their shares in percent where there are several. */
export function sharesOf({ to }: Pick<Rule, 'to'>): readonly { transport: string; percent: number | undefined }[] {
  if (typeof to === 'string') return [{ transport: to, percent: undefined }]
  const sum = Object.values(to).reduce((all, weight) => all + weight, 0)
  const entries = Object.entries(to)
  return entries.map(([transport, weight]) => ({
    transport,
    percent: entries.length === 1 ? undefined : Math.round((weight / sum) * 1000) / 10,
  }))
}
