import type { FieldInfo, FieldType } from '../contacts/contact-fields.ts'
import type { ReadEvents } from '../events/read-events.ts'
import type { Json } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How many of the latest events are searched for the fields of their data, and how many at a time. */
const RECENT = 200
const PIECE = 50

/** How many fields of events are listed. */
const LISTED_FIELDS = 1000

/** A field that a CONDITION can use. */
export interface WorkflowField {
  /** `email`, `data.<key>`, `event.<key>`; a dot in a key is `\.`. */
  readonly field: string
  /** The kind of value. */
  readonly type: FieldType
  /** Of the contact, or of the event that starts the workflow. */
  readonly category: 'contact' | 'event'
}

/**
 * The fields of contacts, and up to 1,000 in the data of recent events (of this name, if given), by name. For a field
 * with values of several types the latest counts.
 */
export async function workflowFields(
  ofContacts: readonly FieldInfo[],
  events: ReadEvents,
  projectId: ProjectId,
  eventName: string | undefined,
): Promise<readonly WorkflowField[]> {
  const types = new Map<string, FieldType>()
  for await (const { data } of recentEvents(events, projectId, eventName)) {
    for (const [key, value] of Object.entries(data)) {
      if (types.size < LISTED_FIELDS && value !== null && key !== '' && !types.has(key)) types.set(key, typeOf(value))
    }
    if (types.size >= LISTED_FIELDS) break
  }
  const ofEvents = [...types].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...ofContacts.map(({ field, type }) => ({ field: asWritten(field), type, category: 'contact' }) as const),
    ...ofEvents.map(([key, type]) => ({ field: `event.${escaped(key)}`, type, category: 'event' }) as const),
  ]
}

/** The latest events, newest first; no more are read than needed. */
async function* recentEvents(events: ReadEvents, projectId: ProjectId, name: string | undefined) {
  const filter = name === undefined ? {} : { name }
  let last: string | undefined
  for (let read = 0; read < RECENT; read += PIECE) {
    const after = last === undefined ? {} : { after: { value: '', id: last } }
    const page = await events.page(projectId, filter, { limit: PIECE, ...after })
    const piece = page.slice(0, PIECE)
    yield* piece
    if (page.length <= PIECE) return
    last = piece.at(-1)?.id
  }
}

function typeOf(value: Exclude<Json, null>): FieldType {
  switch (typeof value) {
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'string':
      return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value) ? 'date' : 'string'
    default:
      return 'object'
  }
}

/** The field of contacts as a filter writes it. */
function asWritten(field: string): string {
  return field.startsWith('data.') ? `data.${escaped(field.slice('data.'.length))}` : field
}

function escaped(key: string): string {
  return key.replace(/[\\.]/g, '\\$&')
}
