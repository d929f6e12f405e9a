/* Placeholders: `{{{NAME|fallback}}}` at Resend, `{{ NAME | default: "fallback" }}` here. */

/** Resend's own names of what is ours. */
const OURS: ReadonlyMap<string, string> = new Map([
  ['FIRST_NAME', 'firstName'],
  ['LAST_NAME', 'lastName'],
  ['EMAIL', 'email'],
  ['RESEND_UNSUBSCRIBE_URL', 'unsubscribeUrl'],
  ['UNSUBSCRIBE_URL', 'unsubscribeUrl'],
  ['contact.first_name', 'firstName'],
  ['contact.last_name', 'lastName'],
  ['contact.email', 'email'],
])
const THEIRS = new Map([...OURS].toReversed().map(([theirs, ours]) => [ours, theirs]))
const PLACE = /\{\{\{\s*([\w.]{1,100})\s*(?:\|([^{}]{0,500}))?\}\}\}/g
const OWN = /\{\{ ([\w.]{1,100})(?: \| default: "([^"]{0,500})")? \}\}/g

/** A variable of a template, and what stands for it when it has no value. */
export interface Variable {
  readonly key: string
  readonly fallback?: string | number | null | undefined
}

/** A text of theirs as one of ours. */
export function toOurs(text: string, variables: readonly Variable[] = []): string {
  const fallbacks = new Map(variables.map(({ key, fallback }) => [key, fallback]))
  return text.replace(PLACE, (_, name: string, given?: string) => {
    const fallback = given?.trim() ?? fallbacks.get(name)
    const ours = OURS.get(name) ?? name.replace(/^contact\./, '')
    const filter = fallback == null ? '' : ` | default: "${String(fallback).replaceAll('"', "'")}"`
    return `{{ ${ours}${filter} }}`
  })
}

/** A text of ours as they would write it. */
export function toTheirs(text: string): string {
  return text.replace(OWN, (_, name: string, fallback?: string) => {
    return `{{{${THEIRS.get(name) ?? name}${fallback === undefined ? '' : `|${fallback}`}}}}`
  })
}

/** The variables of texts of ours, but for those that contacts have. */
export function variablesOf(...texts: readonly string[]): readonly Variable[] {
  const found = new Map<string, Variable>()
  for (const [, key = '', fallback] of texts.flatMap((text) => [...text.matchAll(OWN)])) {
    if (!THEIRS.has(key) && !found.has(key)) found.set(key, fallback === undefined ? { key } : { key, fallback })
  }
  return [...found.values()]
}
