import { isId } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Params, Session } from '../../engine/session.ts'
import { EVENT_FIGURES, type EventTable } from '../../engine/stored-events.ts'
import { SKIP_REMOVED } from './erase-mails.ts'

/** Whose history is erased, and how many rows of each kind at a time. */
export interface History {
  readonly projectId: ProjectId
  readonly contactIds: readonly string[]
  readonly limit: number
  readonly now: Date
}

/** Removes what was recorded about contacts, up to a limit, inside a transaction. Answers whether more may be left. */
export async function eraseHistory(
  dialect: Dialect,
  events: EventTable,
  session: Session,
  history: History,
): Promise<boolean> {
  const { projectId, contactIds, limit, now } = history
  const ids = dialect.list(contactIds)
  const listed = dialect.listed('uuid')
  // by the index of contacts; SQLite would use one of the project's
  const theirs = `"contact_id" ${listed} and ("project_id" = ?) is true limit ?`
  const remove = (table: string, where: string, params: Params) =>
    session.run(`delete from "${table}" where "id" in (select "id" from "${table}" where ${where})`, params)
  const forget = `delete from "events" where "id" in (select "id" from "events"
    where "project_id" = ? and "contact_id" ${listed} limit ?) returning ${EVENT_FIGURES}`
  const removed = [
    await remove('webhook_deliveries', `"contact_id" is not null and ${theirs}`, [ids, projectId, limit]),
    await remove('segment_stays', theirs, [ids, projectId, limit]),
    (await events.remove(session, forget, [projectId, ids, limit])).length,
  ]
  const which = `"contact_id" ${listed} and ("project_id" = ?) is true and "redacted_at" is null limit ?`
  const found = await session.all(`select "id" from "workflow_executions" where ${which}`, [ids, projectId, limit])
  const executions = found.map(({ id }) => String(id))
  const isDone = await redactExecutions(dialect, session, executions, limit, now, (emailIds) =>
    removeVariablesAbout(dialect, session, projectId, emailIds, now),
  )
  return !isDone || executions.length === limit || removed.some((count) => count === limit)
}

/**
 * Erases what executions were given and answered, `limit` step runs at a time. False when more are left. `about` gets
 * the ids of the mails that the steps sent.
 */
export async function redactExecutions(
  dialect: Dialect,
  session: Session,
  executionIds: readonly string[],
  limit: number,
  now: Date,
  about: (emailIds: readonly string[]) => Promise<void> = async () => {},
): Promise<boolean> {
  if (executionIds.length === 0) return true
  const listed = dialect.listed('uuid')
  const ids = dialect.list(executionIds)
  const filled = `select "id", "output" from "workflow_step_runs" where "execution_id" ${listed}
    and ("output" is not null or "error" is not null) limit ?`
  const runs = await session.all(filled, [ids, limit])
  if (runs.length > 0) {
    const json = dialect.decode('json')
    await about(runs.flatMap(({ output }) => (output === null ? [] : emailIdIn(json(output)))))
    const clear = `update "workflow_step_runs" set "output" = null, "error" = null where "id" ${listed}`
    await session.run(clear, [dialect.list(runs.map(({ id }) => String(id)))])
  }
  if (runs.length === limit) return false
  const empty = dialect.encode('json')({})
  const redact = `update "workflow_executions" set "context" = ?, "event" = ?, "error" = null, "redacted_at" = ?
    where "id" ${listed} and "status" not in ('RUNNING', 'WAITING')`
  await session.run(redact, [empty, empty, dialect.encode('date')(now), ids])
  return true
}

/** A mail that a workflow sent to somebody else about the contact holds the contact's data. */
async function removeVariablesAbout(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  emailIds: readonly string[],
  now: Date,
): Promise<void> {
  if (emailIds.length === 0) return
  const sql = `update "emails" set "variables" = ?, "tries" = null, "redacted_at" = ?, "updated_at" = ?, ${SKIP_REMOVED}
    where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')} and "redacted_at" is null`
  const date = dialect.encode('date')(now)
  await session.run(sql, [dialect.encode('json')({}), date, date, projectId, dialect.list(emailIds)])
}

function emailIdIn(output: unknown): readonly string[] {
  const isObject = typeof output === 'object' && output !== null
  const id = isObject && 'emailId' in output ? output.emailId : undefined
  return typeof id === 'string' && isId(id) ? [id] : []
}
