/* SQL by hand: hot path: one question about four tables. */
import type { EventRecord, NewEvent } from '../../../../../core/ports/store/events.ts'
import { EVENTS } from '../../../../../core/values/event-names.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

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
    if (contactId !== undefined) of.contacts.add(contactId)
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

/** Stores events, without those that nothing waits for and that are stored only then; listeners hear of all. */
export async function storeEvents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  events: readonly NewEvent[],
): Promise<void> {
  const asked = events.filter(({ ifAwaited }) => ifAwaited)
  const awaited = await awaitedEvents(dialect, session, asked)
  const created = [...awaited].filter(isCreated)
  const own = created.length > 0 ? await tracksCreated(dialect, session, created) : NONE
  const kept = events.filter(
    (event) => !event.ifAwaited || (awaited.has(event) && !(isCreated(event) && own.has(event.projectId))),
  )
  const unstored = asked.filter((event) => !awaited.has(event))
  tables.events.stored.note(session, unstored)
  await tables.events.insert(session, kept)
}

function isCreated({ name }: EventRecord): boolean {
  return name === EVENTS.created
}

const NONE: ReadonlySet<string> = new Set()

/** The projects of these `contact.created` that track events of this name themselves. */
async function tracksCreated(
  dialect: Dialect,
  session: Session,
  events: readonly EventRecord[],
): Promise<ReadonlySet<string>> {
  const sql = `select "id" from "projects" where "id" ${dialect.listed('uuid')} and "tracks_created"`
  const ids = [...new Set(events.map(({ projectId }) => projectId))]
  return new Set((await session.all(sql, [dialect.list(ids)])).map(({ id }) => String(id)))
}

function keyOf(id: unknown, name: unknown): string {
  return name === null ? String(id) : `${id} ${name}`
}
