import type { Execution } from '../../../../../core/ports/store/executions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/**
 * Inserts the executions that may start. The unique indexes decide between processes that try at the same time. The
 * contacts are locked against removal meanwhile, so that none leaves an execution behind. Answers the ids inserted.
 */
export async function startExecutions(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const there = await contactsThere(dialect, session, executions)
  const known = executions.filter((execution) => there.has(ofContact(execution)))
  const before = await ranBefore(dialect, session, known)
  const rows = inOrder(
    known.filter((execution) => !(execution.once && before.has(place(execution)))),
    place,
  )
  return tables.executions.insertNew(session, rows, UNLESS_FORBIDDEN)
}

/** Whichever unique index forbids it. */
const UNLESS_FORBIDDEN = 'on conflict do nothing'

async function contactsThere(
  dialect: Dialect,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const sql = `select "id", "project_id" from "contacts" where "id" ${dialect.listed('uuid')}
    order by "id"${dialect.keepRows('"contacts"')}`
  const ids = new Set(executions.map(({ contactId }) => contactId))
  const rows = await session.all(sql, [dialect.list([...ids])])
  return new Set(rows.map((row) => `${row.project_id} ${row.id}`))
}

/**
 * The workflow and contact of each execution that runs only once and has run before. The unique index knows only those
 * started as such; others ran while re-entry was allowed.
 */
async function ranBefore(
  dialect: Dialect,
  session: Session,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const once = executions.filter((execution) => execution.once)
  if (once.length === 0) return new Set()
  const sql = `select distinct given."of_workflow", given."of_contact" from ${dialect.given(PLACES)} as given
    join ${dialect.byIndex('workflow_executions', 'workflow_executions_of_contact', 'x')} on x."contact_id" = given."of_contact" and x."workflow_id" = given."of_workflow"`
  const places = once.map(({ workflowId, contactId }) => [workflowId, contactId])
  const rows = await session.all(sql, dialect.givenParams(PLACES, places))
  return new Set(rows.map((row) => `${row.of_workflow} ${row.of_contact}`))
}

const PLACES = [
  { name: 'of_workflow', kind: 'uuid' },
  { name: 'of_contact', kind: 'uuid' },
] as const

function ofContact({ projectId, contactId }: Execution): string {
  return `${projectId} ${contactId}`
}

/** The execution's key in the order in which executions are written. */
function place({ workflowId, contactId }: Execution): string {
  return `${workflowId} ${contactId}`
}
