import { LANES } from '../../../../../core/ports/queue.ts'
import type { UpcomingActivity } from '../../../../../core/ports/store/activity.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { laneCodec } from '../../engine/email-table.ts'
import type { Session } from '../../engine/session.ts'
import { EXECUTION_COLUMNS, executionIn, OF_EXECUTION } from './told-execution.ts'

/** After which moment, up to which, and how many at most. */
interface Ahead {
  readonly now: Date
  readonly until: Date
  readonly limit: number
}

/** What is to happen by itself, the next first. */
export async function upcoming(
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
  // one that was tried, or put off, waits for its next try and not for a time that somebody has set
  const mails = `select "id", "due_at" from "emails" where "lane" = ? and "project_id" = ? and "due_at" > ? and "due_at" <= ?
    and status = 'QUEUED' and campaign_id is null and "attempts" = 0 and "error" is null order by "due_at", "id" limit ?`
  for (const lane of LANES)
    for (const { id, due_at } of await session.all(mails, [laneCodec.encode(lane), projectId, ...span, limit]))
      found.push({ type: 'email.scheduled', at: toDate(due_at), id: String(id) })
  const executions = `select ${EXECUTION_COLUMNS}, x."due_at", x."waiting_for" from "workflow_executions" as x ${OF_EXECUTION}
    where x.due_at is not null and x."due_at" > ? and x."due_at" <= ? and x."project_id" = ? and x."status" = 'WAITING'
    order by x."due_at", x."id" limit ?`
  for (const row of await session.all(executions, [...span, projectId, limit])) {
    const waitingFor = row.waiting_for === null ? {} : { waitingFor: String(row.waiting_for) }
    found.push({ type: 'workflow.waiting', ...executionIn(row, toDate(row.due_at)), ...waitingFor })
  }
  return found.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, limit)
}
