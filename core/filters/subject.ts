import { MAX_DEPTH } from '../values/json.ts'

/** What the field of a condition refers to. */
export type Subject =
  | { readonly kind: 'email' }
  | { readonly kind: 'subscribed' }
  | { readonly kind: 'tracking' }
  | { readonly kind: 'moment'; readonly field: 'createdAt' | 'updatedAt' }
  /** The value at a path of keys in the contact's data. */
  | { readonly kind: 'data'; readonly path: readonly string[] }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'segment'; readonly id: string }

/** What a field refers to, with this operator, in the place where the filter is used; undefined: nothing. */
export type SubjectAt = (field: string, operator: string) => Subject | undefined

/** How many levels of nested filters there may be, counting the outermost. */
export const MAX_NESTING = 5

/** Activities of a mail: `email.<activity>` in a filter and as the name of its event. */
const ACTIVITIES = ['sent', 'delivery', 'open', 'click', 'bounce', 'complaint'] as const

/**
 * Reads a field: `email`, `subscribed`, `tracking`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`,
 * `email.<activity>` or `segment.<id>`. Any other key is a key of the data: `plan` is `data.plan`. A dot leads into the
 * object a key holds; `\.` is a dot in a key, `\\` a backslash. Answers undefined for an invalid field, such as
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
