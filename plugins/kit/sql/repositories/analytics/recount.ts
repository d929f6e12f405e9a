import { FIGURES, type FigureDifference } from '../../../../../core/ports/store/analytics.ts'
import { NIL_ID } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { yieldToLoop } from '../../../../../core/values/yield-to-loop.ts'
import type { Access } from '../../engine/access.ts'
import { ActivityDeltas, DAY, type Kept } from '../../engine/activity-deltas.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** How many rows are read at a time. */
const ROWS = 5000

/**
 * Counts all rows of a project, and compares what is kept; with `mend` adds what is missing. All of it is read as it was
 * at one moment, and what is written are differences, so that others may go on counting meanwhile. The project's row is
 * held, so that two at once do not both add them.
 */
export function recount(
  access: Access,
  tables: Tables,
  projectId: ProjectId,
  mend: boolean,
): Promise<readonly FigureDifference[]> {
  const { dialect } = access
  return access.write(async (session) => {
    if (dialect.snapshot !== '') await session.run(dialect.snapshot, [])
    await session.all(`select "id" from "projects" where "id" = ?${dialect.lockRows('"projects"')}`, [projectId])
    const counted = new ActivityDeltas()
    await countMails(session, tables, projectId, counted)
    await countEvents(session, projectId, counted)
    await countExecutions(session, tables, projectId, counted)
    const differences = counted.differences(projectId, await keptOf(session, projectId))
    if (mend) {
      const missing = new ActivityDeltas()
      for (const { days, at, name, figure, kept, counted: right } of differences)
        missing.addTo(projectId, days ? DAY : 1, at, name, figure, right - kept)
      await missing.write(dialect, session)
    }
    return differences
  })
}

async function countMails(
  session: Session,
  { emails }: Tables,
  projectId: ProjectId,
  counted: ActivityDeltas,
): Promise<void> {
  const columns = `"id", "status", "created_at", "sent_at", "delivered_at", "opened_at", "clicked_at", "bounced_at",
    "complained_at", "campaign_id"`
  await eachRow(session, 'emails', columns, projectId, (row) => {
    const mail = emails.record(row)
    counted.mail(projectId, {}, mail)
    if (mail.status === 'RECEIVED') counted.add(projectId, 'received', mail.createdAt, 1)
  })
}

/** Ids and names alone, which stand in an index. */
async function countEvents(session: Session, projectId: ProjectId, counted: ActivityDeltas): Promise<void> {
  const sql = `select "name", "id" from "events" where "project_id" = ? and ("name", "id") > (?, ?)
    order by "name", "id" limit ${ROWS}`
  for (let last = { name: '', id: NIL_ID }; ; ) {
    const rows = await session.all(sql, [projectId, last.name, last.id])
    for (const { name, id } of rows) counted.event(projectId, String(name), String(id), 1)
    const end = rows.at(-1)
    if (rows.length < ROWS || end === undefined) return
    last = { name: String(end.name), id: String(end.id) }
    await yieldToLoop()
  }
}

async function countExecutions(
  session: Session,
  { executions }: Tables,
  projectId: ProjectId,
  counted: ActivityDeltas,
): Promise<void> {
  await eachRow(session, 'workflow_executions', '"id", "status", "started_at", "completed_at"', projectId, (row) => {
    const execution = executions.record(row)
    counted.add(projectId, 'started', execution.startedAt, 1)
    counted.ended(projectId, execution, 1)
  })
}

async function eachRow(
  session: Session,
  table: string,
  columns: string,
  projectId: ProjectId,
  take: (row: Row) => void,
): Promise<void> {
  const sql = `select ${columns} from "${table}" where "project_id" = ? and "id" > ? order by "id" limit ${ROWS}`
  for (let last = NIL_ID; ; ) {
    const rows = await session.all(sql, [projectId, last])
    for (const row of rows) take(row)
    const end = rows.at(-1)
    if (rows.length < ROWS || end === undefined) return
    last = String(end.id)
    await yieldToLoop()
  }
}

async function keptOf(session: Session, projectId: ProjectId): Promise<readonly Kept[]> {
  const sums = FIGURES.map((figure) => `sum("${figure}") as "${figure}"`).join(', ')
  const sql = `select "length", "name", "start", ${sums} from "activity_counts" where "project_id" = ?
    group by "length", "name", "start"`
  const rows = await session.all(sql, [projectId])
  return rows.map((row) => ({
    length: Number(row.length),
    name: String(row.name),
    start: Number(row.start),
    by: FIGURES.map((figure) => Number(row[figure])),
  }))
}
