/* SQL by hand: hot path: one question about four tables. */
import type { EventRecord } from '../../../../../core/ports/store/events.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'

/**
 * Which of these events a workflow starts with or has as its goal, an execution of their contact waits for, or an endpoint of their project may
 * want: the same question that the trigger of the outbox asks of every row. One statement, however many events.
 */
export async function awaitedEvents(
  dialect: Dialect,
  session: Session,
  events: readonly EventRecord[],
): Promise<ReadonlySet<EventRecord>> {
  if (events.length === 0) return new Set()
  const uuids = dialect.listed('uuid')
  const sql = `select "project_id", null as "name", cast(null as uuid) as "contact_id" from "webhook_endpoints"
      where "project_id" ${uuids} and "enabled"
    union all select "project_id", "event_name", cast(null as uuid) from "workflows"
      where "project_id" ${uuids} and "event_name" ${dialect.listed('text')} and "enabled" and "trigger_type" = 'EVENT'
    union all select "project_id", "goal_event", cast(null as uuid) from "workflows"
      where "project_id" ${uuids} and "goal_event" is not null and "goal_event" ${dialect.listed('text')}
    union all select cast(null as uuid), "waiting_for", "contact_id" from "workflow_executions"
      where "contact_id" ${uuids} and "waiting_for" ${dialect.listed('text')} and "status" = 'WAITING'`
  const of = { projects: new Set<string>(), names: new Set<string>(), contacts: new Set<string>() }
  for (const { projectId, name, contactId } of events) {
    of.projects.add(projectId)
    of.names.add(name)
    of.contacts.add(contactId)
  }
  const [projects, names] = [dialect.list([...of.projects]), dialect.list([...of.names])]
  const params = [projects, projects, names, projects, names, dialect.list([...of.contacts]), names]
  const rows = await session.all(sql, params)
  if (rows.length === 0) return new Set()
  const waiting = new Set(rows.map(({ project_id, name, contact_id }) => keyOf(contact_id ?? project_id, name)))
  return new Set(
    events.filter(({ projectId, contactId, name }) =>
      [keyOf(projectId, null), keyOf(projectId, name), keyOf(contactId, name)].some((key) => waiting.has(key)),
    ),
  )
}

function keyOf(id: unknown, name: unknown): string {
  return name === null ? String(id) : `${id} ${name}`
}
