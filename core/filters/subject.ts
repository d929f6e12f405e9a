import { MAX_DEPTH } from '../values/json.ts'

/** What a field of a condition speaks of. */
export type Subject =
  | { readonly kind: 'email' }
  | { readonly kind: 'subscribed' }
  | { readonly kind: 'tracking' }
  | { readonly kind: 'moment'; readonly field: 'createdAt' | 'updatedAt' }
  /** The value a path of keys leads to in the contact's data. */
  | { readonly kind: 'data'; readonly path: readonly string[] }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'segment'; readonly id: string }

/** What a field speaks of where a filter stands, when it is asked with this operator; undefined: nothing. */
export type SubjectAt = (field: string, operator: string) => Subject | undefined

/** Filters may stand in filters: so many in all, the outermost counted. */
export const MAX_NESTING = 5

/** What has happened to a mail, as `email.<activity>` in a filter and as the name of its event. */
const ACTIVITIES = ['sent', 'delivery', 'open', 'click', 'bounce', 'complaint'] as const

/**
 * Reads a field: `email`, `subscribed`, `tracking`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.<activity>` or
 * `segment.<id>`. A key that begins like none of them is a key of the data too: `plan` is `data.plan`. A dot leads into
 * the object a key holds; `\.` is a dot in a key, `\\` a backslash. Answers undefined for what names nothing, such as
 * `email.sold`, `data.` and `address..city`.
 */
export function subjectOf(field: string): Subject | undefined {
  switch (field) {
    case 'email':
    case 'subscribed':
    case 'tracking':
      return { kind: field }
    case 'createdAt':
    case 'updatedAt':
      return { kind: 'moment', field }
  }
  const dot = field.indexOf('.')
  const rest = dot < 0 ? undefined : field.slice(dot + 1)
  switch (rest === undefined ? '' : field.slice(0, dot)) {
    case 'data':
      return dataAt(rest)
    case 'event':
      return rest ? { kind: 'event', name: rest } : undefined
    case 'email':
      return ACTIVITIES.some((activity) => activity === rest) ? { kind: 'event', name: field } : undefined
    case 'segment':
      return rest ? { kind: 'segment', id: rest } : undefined
    default:
      return dataAt(field)
  }
}

function dataAt(path: string | undefined): Subject | undefined {
  const keys = keysOf(path ?? '')
  return keys.length <= MAX_DEPTH && keys.every((key) => key !== '') ? { kind: 'data', path: keys } : undefined
}

function keysOf(path: string): readonly string[] {
  const keys = ['']
  for (const [part] of path.matchAll(/\\[\\.]|./gs)) {
    if (part === '.') keys.push('')
    else keys.push(keys.pop() + (part.length === 2 ? part.slice(1) : part))
  }
  return keys
}
