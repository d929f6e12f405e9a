import type { FieldInfo, FieldType } from '../contacts/contact-fields.ts'
import type { EventRepository } from '../events/event.ts'
import type { ProjectId } from '../projects/project.ts'
import type { Json } from '../values/json.ts'

/** How many of the latest events are looked at for the fields of their data. */
const RECENT = 200

/** A field a CONDITION can ask for. */
export interface WorkflowField {
  /** `email`, `data.<key>`, `event.<key>`; a dot in a key is `\.`. */
  readonly field: string
  readonly type: FieldType
  readonly category: 'contact' | 'event'
}

/**
 * The fields of contacts, and those the data of recent events has (of events of this name, when one is given), by their
 * names. Of a field with values of several types the latest counts.
 */
export async function workflowFields(
  ofContacts: readonly FieldInfo[],
  events: EventRepository,
  projectId: ProjectId,
  eventName: string | undefined,
): Promise<readonly WorkflowField[]> {
  const recent = await events.page(projectId, eventName === undefined ? {} : { name: eventName }, { limit: RECENT })
  const types = new Map<string, FieldType>()
  for (const { data } of recent) {
    for (const [key, value] of Object.entries(data)) {
      if (value !== null && key !== '' && !types.has(key)) types.set(key, typeOf(value))
    }
  }
  const ofEvents = [...types].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...ofContacts.map(({ field, type }) => ({ field: asWritten(field), type, category: 'contact' }) as const),
    ...ofEvents.map(([key, type]) => ({ field: `event.${escaped(key)}`, type, category: 'event' }) as const),
  ]
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
