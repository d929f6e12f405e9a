import { fieldOfContact, type KindAndField } from '../values/fields-of-contact.ts'
import { isId } from '../values/id.ts'
import { MAX_DEPTH } from '../values/json.ts'

/** The thing that the field of a condition refers to. */
export type Subject =
  /** A field that every contact has. */
  | KindAndField
  /**
   * The value at a path of keys in the contact's data: at the first of these that has one. `isElsewhere`: in other data,
   * such as an event's.
   */
  | { readonly kind: 'data'; readonly paths: DataPaths; readonly isElsewhere?: boolean }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'segment'; readonly id: string }
  | { readonly kind: 'campaign'; readonly id: string }
  /** By its slug or its id. */
  | { readonly kind: 'topic'; readonly name: string }

/** The first key of each is that of a field. */
export type DataPaths = readonly (readonly string[])[]

/**
 * Finds the thing that a field refers to, with this operator, in the place where the filter is used; undefined:
 * nothing.
 */
export type SubjectAt = (field: string, operator: string) => Subject | undefined

/** How many levels of nested filters there may be, counting the outermost. */
export const MAX_NESTING = 5

/** Activities of a mail, `email.<activity>` in a filter, with their names in `email.<name>`, the event; also as Plunk calls them. */
const ACTIVITIES: ReadonlyMap<string, string> = new Map([
  ...['sent', 'delivery', 'open', 'click', 'bounce', 'complaint', 'replied'].map((name): [string, string] => [
    name,
    name,
  ]),
  ['delivered', 'delivery'],
  ['opened', 'open'],
  ['clicked', 'click'],
  ['bounced', 'bounce'],
  ['complained', 'complaint'],
])

/**
 * Reads a field: one that every contact has (`email`, `createdAt` …), `data.<name>`, `event.<name>`, `email.<activity>`,
 * `segment.<id>`, `campaign.<id>` or `topic.<slug>`. Any other text is a name in the data: `plan` is `data.plan`. A name is a key of
 * the data, whatever signs it has; for contacts without that key a dot in it leads into the object or list a key holds,
 * `\.` is a dot in a key and `\\` a backslash. Answers undefined for an invalid field, such as `email.sold`.
 */
export function subjectOf(field: string): Subject | undefined {
  const own = fieldOfContact(field)
  if (own) return own
  const dot = field.indexOf('.')
  const rest = dot < 0 ? undefined : field.slice(dot + 1)
  switch (rest === undefined ? '' : field.slice(0, dot)) {
    case 'data':
      return dataAt(rest ?? '')
    case 'event':
      return rest ? { kind: 'event', name: rest } : undefined
    case 'email':
      return activityNamed(rest)
    case 'segment':
      return rest ? { kind: 'segment', id: rest } : undefined
    case 'topic':
      return rest ? { kind: 'topic', name: rest } : undefined
    case 'campaign':
      return isId(rest ?? '') ? { kind: 'campaign', id: rest ?? '' } : dataAt(field)
    default:
      return field === '' ? undefined : dataAt(field)
  }
}

function activityNamed(name: string | undefined): Subject | undefined {
  const activity = ACTIVITIES.get(name ?? '')
  return activity === undefined ? undefined : { kind: 'event', name: `email.${activity}` }
}

function dataAt(name: string): Subject {
  const path = keysOf(name)
  const isPath = path.length <= MAX_DEPTH && path.every((key) => key !== '')
  const isKey = path.length === 1 && path[0] === name
  return { kind: 'data', paths: isPath && !isKey ? [[name], path] : [[name]] }
}

function keysOf(path: string): readonly string[] {
  const keys = ['']
  for (const [part] of path.matchAll(/\\[\\.]|./gs)) {
    if (part === '.') keys.push('')
    else keys.push(keys.pop() + (part.length === 2 ? part.slice(1) : part))
  }
  return keys
}
