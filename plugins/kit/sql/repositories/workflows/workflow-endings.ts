import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Row, Session } from '../../engine/session.ts'

/** How executions are cancelled. */
export interface Cancelling {
  /** When. Default the time of each execution's last change. */
  readonly at?: Date | undefined
  readonly reason?: string
}

/**
 * Cancels those of these executions that are active, with their open step runs, and ends their leases. It locks them
 * first, in the order of ids as everybody does. Answers their rows with the columns of `list`, in that order.
 */
export async function cancelExecutions(
  dialect: Dialect,
  session: Session,
  which: { readonly projectId: ProjectId; readonly by: 'id' | 'contact_id'; readonly ids: readonly string[] },
  list: string,
  { at, reason }: Cancelling,
): Promise<readonly Row[]> {
  const listed = dialect.listed('uuid')
  // the project comes last, or SQLite would go through all its executions
  const hold = `select "id" from "workflow_executions" where "${which.by}" ${listed} and ("project_id" = ?) is true
    and "status" in ('RUNNING', 'WAITING') order by "id"${dialect.lockRows('"workflow_executions"')}`
  const held = await session.all(hold, [dialect.list(which.ids), which.projectId])
  if (held.length === 0) return []
  const ids = dialect.list(held.map(({ id }) => String(id)))
  const date = dialect.encode('date')(at)
  const runs = `update "workflow_step_runs" set "status" = 'CANCELLED', "completed_at" = coalesce(?, "started_at")
    where "execution_id" ${listed} and "status" in ('RUNNING', 'WAITING')`
  await session.run(runs, [date, ids])
  const executions = `update "workflow_executions" set "status" = 'CANCELLED', "exit_reason" = ?, "due_at" = null,
    "waiting_for" = null, "lease_token" = null, "lease_until" = null, "completed_at" = coalesce(?, "updated_at"),
    "updated_at" = coalesce(?, "updated_at") where "id" ${listed} returning ${list}`
  const rows = await session.all(executions, [reason ?? null, date, date, ids])
  return rows.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
}
