/* SQL by hand: rows of several tables, each read by the index of its moment, become one list. */
import { LANES } from '../../../../../core/ports/queue.ts'
import type {
  ActivityEntry,
  ActivityFilter,
  ActivityRepository,
  UpcomingActivity,
  WorkflowActivity,
} from '../../../../../core/ports/store/activity.ts'
import type { ExecutionStatus } from '../../../../../core/ports/store/executions.ts'
import { type ActivityType, activityId, activityTypeOf } from '../../../../../core/values/activity-type.ts'
import { EVENTS } from '../../../../../core/values/event-names.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { laneCodec } from '../../engine/email-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import type { Row, Session } from '../../engine/session.ts'
import { largestCounters } from '../counters.ts'
import { pageOfLedger, standsFor } from '../events/ledger-events.ts'
import { type Between, rowsByMoment } from './by-moment.ts'
import { countStored, storedEvents } from './stored-events.ts'

type WorkflowType = WorkflowActivity['type']

const EXECUTIONS: Readonly<Record<WorkflowType, { readonly column: string; readonly condition: string }>> = {
  'workflow.started': { column: 'x."started_at"', condition: '' },
  'workflow.completed': { column: 'x."completed_at"', condition: ` and x."status" in ('COMPLETED', 'EXITED')` },
}

/** The list of what happened, merged from the tables that say so: a bounded number of rows is read of each. */
export class SqlActivity extends Repository implements ActivityRepository {
  page(projectId: ProjectId, filter: ActivityFilter, page: PageRequest): Promise<readonly ActivityEntry[]> {
    const { dialect } = this
    const has = (type: ActivityType) => filter.types === undefined || filter.types.includes(type)
    return this.access.scan(projectId, async (session) => {
      const events = [
        ...(await storedEvents(dialect, this.tables, session, projectId, filter, page)),
        ...(await this.#ofLedger(session, projectId, filter, page)),
      ]
      const entries: ActivityEntry[] = events.map((event) => ({ id: event.id, event }))
      for (const type of ['workflow.started', 'workflow.completed'] as const)
        if (has(type)) entries.push(...(await this.#executions(session, projectId, type, filter, page)))
      if (has('campaign.sent') && filter.contactId === undefined)
        entries.push(...(await this.#campaigns(session, projectId, filter, page)))
      const { after } = page
      const behind = after ? entries.filter(({ id }) => id < after.id) : entries
      return inOrder(behind, ({ id }) => id)
        .reverse()
        .slice(0, page.limit + 1)
    })
  }

  count(projectId: ProjectId, filter: ActivityFilter, atMost: number): Promise<number> {
    const { types, contactId, from, to } = filter
    return this.access.scan(projectId, async (session) => {
      if (contactId === undefined && from === undefined && to === undefined) {
        const counts = await this.#all(session, projectId)
        return [...counts].reduce((sum, [type, count]) => sum + (types && !types.includes(type) ? 0 : count), 0)
      }
      return this.#counted(session, projectId, filter, atMost)
    })
  }

  types(projectId: ProjectId): Promise<ReadonlySet<ActivityType>> {
    return this.access.scan(projectId, async (session) => {
      const counts = await this.#all(session, projectId)
      return new Set([...counts].flatMap(([type, count]) => (count > 0 ? [type] : [])))
    })
  }

  upcoming(projectId: ProjectId, now: Date, until: Date, limit: number): Promise<readonly UpcomingActivity[]> {
    const { dialect } = this
    return this.access.scan(projectId, (session) => upcoming(dialect, session, projectId, { now, until, limit }))
  }

  /** How many of each type there are, as kept with every write. */
  async #all(session: Session, projectId: ProjectId): Promise<ReadonlyMap<ActivityType, number>> {
    const counts = new Map<ActivityType, number>()
    const add = (type: ActivityType, count: unknown) => counts.set(type, (counts.get(type) ?? 0) + Number(count ?? 0))
    const { rows } = await largestCounters(session, projectId, 'event')
    for (const { name, count } of rows) add(activityTypeOf(name), count)
    const figures = `select sum("started") as "started", sum("completed") as "completed" from "activity_counts"
      where "project_id" = ? and "length" = 96 and "name" = ''`
    const [executions] = await session.all(figures, [projectId])
    add('workflow.started', executions?.started)
    add('workflow.completed', executions?.completed)
    const sent = `select count(*) as "count" from "campaigns" where "project_id" = ? and status = 'SENT'`
    add('campaign.sent', (await session.all(sent, [projectId]))[0]?.count)
    return counts
  }

  /** Counts rows, of each table up to `atMost`. */
  async #counted(session: Session, projectId: ProjectId, filter: ActivityFilter, atMost: number): Promise<number> {
    const { dialect } = this
    const date = dialect.encode('date')
    const has = (type: ActivityType) => filter.types === undefined || filter.types.includes(type)
    const between = (where: Conditions, column: string) => {
      if (filter.from) where.and(`${column} >= ?`, date(filter.from))
      if (filter.to) where.and(`${column} < ?`, date(filter.to))
      return where
    }
    const rows = async (from: string, where: Conditions) => {
      const sql = `select count(*) as "count" from (select 1 as "one" from ${from} where ${where.text} limit ?) as "some"`
      const [row] = await session.all(sql, [...where.params, atMost])
      return Number(row?.count)
    }
    let count = await countStored(session, projectId, filter, atMost)
    const mails = filter.contactId === undefined ? '"emails" as m' : dialect.byIndex('emails', 'emails_by_contact', 'm')
    for (const name of [EVENTS.sent, EVENTS.delivery] as const) {
      if (!has(name)) continue
      const of = `m."ledger_events" is not null and m."contact_id" is not null and ${standsFor(name, 'm.')}`
      const where = new Conditions().and('m."project_id" = ?', projectId).and(of)
      where.equal('m."contact_id"', filter.contactId)
      count += await rows(mails, between(where, 'm."sent_at"'))
    }
    for (const type of ['workflow.started', 'workflow.completed'] as const) {
      if (!has(type)) continue
      const { column, condition } = EXECUTIONS[type]
      count += await rows('"workflow_executions" as x', between(this.#whose(projectId, filter, condition), column))
    }
    if (has('campaign.sent') && filter.contactId === undefined) {
      const where = new Conditions().and(`k."project_id" = ? and status = 'SENT'`, projectId)
      count += await rows('"campaigns" as k', between(where, 'k."sent_at"'))
    }
    return Math.min(count, atMost)
  }

  async #ofLedger(session: Session, projectId: ProjectId, filter: ActivityFilter, page: PageRequest) {
    const { types, contactId, from, to } = filter
    const names = [EVENTS.sent, EVENTS.delivery].filter((name) => types === undefined || types.includes(name))
    const [name] = names
    if (name === undefined) return []
    const asked = { ...(names.length === 1 ? { name } : {}), ...(contactId === undefined ? {} : { contactId }) }
    return pageOfLedger(this.access, session, projectId, asked, page, { from, to })
  }

  async #executions(
    session: Session,
    projectId: ProjectId,
    type: WorkflowType,
    filter: ActivityFilter & Between,
    page: PageRequest,
  ): Promise<readonly ActivityEntry[]> {
    const { dialect } = this
    const { column, condition } = EXECUTIONS[type]
    const moments = {
      list: EXECUTION_COLUMNS,
      from: `"workflow_executions" as x ${OF_EXECUTION}`,
      where: this.#whose(projectId, filter, condition),
      column,
    }
    const rows = await rowsByMoment(dialect, session, moments, page, filter)
    return rows.map((row) => {
      const workflow = { type, ...executionIn(row, dialect.decode('date')(row.moment) as Date) }
      return { id: activityId(type, workflow.at, workflow.executionId), workflow }
    })
  }

  #whose(projectId: ProjectId, { contactId }: ActivityFilter, condition: string): Conditions {
    const where = new Conditions()
    // a contact has few executions, which the index of contacts has
    if (contactId === undefined) return where.and(`x."project_id" = ?${condition}`, projectId)
    return where.and('x."contact_id" = ?', contactId).and(`(x."project_id" = ?) is true${condition}`, projectId)
  }

  async #campaigns(
    session: Session,
    projectId: ProjectId,
    between: Between,
    page: PageRequest,
  ): Promise<readonly ActivityEntry[]> {
    const { dialect } = this
    const where = new Conditions().and(`k."project_id" = ? and k."status" = 'SENT'`, projectId)
    const moments = { list: 'k."id", k."name"', from: '"campaigns" as k', where, column: 'k."sent_at"' }
    const rows = await rowsByMoment(dialect, session, moments, page, between)
    return rows.map(({ id, name, moment }) => {
      const sentAt = dialect.decode('date')(moment) as Date
      return {
        id: activityId('campaign.sent', sentAt, String(id)),
        campaign: { id: String(id), name: String(name), sentAt },
      }
    })
  }
}

/** After which moment, up to which, and how many at most. */
interface Ahead {
  readonly now: Date
  readonly until: Date
  readonly limit: number
}

/** The things that will happen by themselves, the next first. */
async function upcoming(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  { now, until, limit }: Ahead,
): Promise<readonly UpcomingActivity[]> {
  const toDate = (value: unknown) => dialect.decode('date')(value) as Date
  const span = [dialect.encode('date')(now), dialect.encode('date')(until)]
  const campaigns = `select "id", "name", "scheduled_at" from "campaigns" where "project_id" = ? and "status" = 'SCHEDULED'
    and "scheduled_at" > ? and "scheduled_at" <= ? order by "scheduled_at", "id" limit ?`
  const found: UpcomingActivity[] = (await session.all(campaigns, [projectId, ...span, limit])).map((row) => ({
    type: 'campaign.scheduled',
    at: toDate(row.scheduled_at),
    id: String(row.id),
    name: String(row.name),
  }))
  // one that was tried, or put off, waits for its next try and not for a time that was asked for
  const mails = `select "id", "due_at" from "emails" where "lane" = ? and "project_id" = ? and "due_at" > ? and "due_at" <= ?
    and status = 'QUEUED' and campaign_id is null and "attempts" = 0 and "error" is null order by "due_at", "id" limit ?`
  for (const lane of LANES)
    for (const { id, due_at } of await session.all(mails, [laneCodec.encode(lane), projectId, ...span, limit]))
      found.push({ type: 'email.scheduled', at: toDate(due_at), id: String(id) })
  // by their time: SQLite would look at all that the project ever started
  const executions = `select ${EXECUTION_COLUMNS}, x."due_at", x."waiting_for" from "workflow_executions" as x ${OF_EXECUTION}
    where x.due_at is not null and x."due_at" > ? and x."due_at" <= ? and ${dialect.unindexed('x."project_id"')} and x."status" = 'WAITING'
    order by x."due_at", x."id" limit ?`
  for (const row of await session.all(executions, [...span, projectId, limit])) {
    const waitingFor = row.waiting_for === null ? {} : { waitingFor: String(row.waiting_for) }
    found.push({ type: 'workflow.waiting', ...executionIn(row, toDate(row.due_at)), ...waitingFor })
  }
  return found.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, limit)
}

/** The columns that are shown of an execution, and the other tables they are read from. */
const EXECUTION_COLUMNS = `x."id", x."workflow_id", x."contact_id", x."status", w."name" as "workflow_name",
  c."email" as "contact_email"`
const OF_EXECUTION = `join "workflows" as w on w."id" = x."workflow_id"
  left join "contacts" as c on c."id" = x."contact_id" and c."project_id" = x."project_id"`

function executionIn(row: Row, at: Date): Omit<WorkflowActivity, 'type'> {
  const { id, workflow_id, workflow_name, contact_id, contact_email, status } = row
  return {
    at,
    executionId: String(id),
    workflowId: String(workflow_id),
    workflowName: String(workflow_name),
    status: status as ExecutionStatus,
    contactId: String(contact_id),
    ...(contact_email === null ? {} : { contactEmail: String(contact_email) }),
  }
}
