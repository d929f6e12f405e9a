import type { Execution } from '../../../../../core/ports/store/executions.ts'
import type { StepRun } from '../../../../../core/ports/store/step-runs.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Column } from '../../engine/table.ts'
import type { Tables } from '../../engine/tables.ts'

/** The new state of an execution, with its step runs. */
export interface Move {
  readonly to: Execution
  readonly runs: readonly StepRun[]
  /** Whether the locked row is still as it was when the move was decided. */
  isStill(row: Row): boolean
}

/**
 * Writes moves in three statements, however many they are. It locks the rows in the order of ids, so that two writers
 * do not block each other, then writes those that are as expected, with their step runs. Answers the ids of the
 * executions written.
 */
export async function writeMoves(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  moves: readonly Move[],
): Promise<ReadonlySet<string>> {
  const hold = `select "id", "project_id", "status", "current_step_id", "lease_token", "completed_at" from "workflow_executions"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"workflow_executions"')}`
  const held = await session.all(hold, [dialect.list(moves.map(({ to }) => to.id))])
  const rows = new Map(held.map((row) => [String(row.id), row]))
  const valid = moves.filter(({ to, isStill }) => {
    const row = rows.get(to.id)
    return row !== undefined && row.project_id === to.projectId && isStill(row)
  })
  if (valid.length === 0) return new Set()
  const { executions, stepRuns } = tables
  const changed = executions.without(KEPT)
  const columns = [...executions.pick('id'), ...changed].map(given)
  const set = changed.map(({ name }) => `"${name}" = given."new_${name}"`).join(', ')
  const update = `update "workflow_executions" set ${set}, "lease_token" = null, "lease_until" = null
    from ${dialect.given(columns)} as given where "workflow_executions"."id" = given."new_id"`
  const values = valid.map(({ to }) => {
    const fields: Readonly<Record<string, unknown>> = { ...to }
    return columns.map(({ property, encode }) => encode(fields[property]))
  })
  await session.run(update, dialect.givenParams(columns, values))
  const runs = inOrder(
    valid.flatMap((move) => move.runs),
    ({ id }) => id,
  )
  await stepRuns.insert(session, runs, stepRuns.overwrite(WRITTEN_OVER))
  const figures = new ActivityDeltas()
  for (const { to } of valid) {
    const before = rows.get(to.id)
    if (before) figures.ended(to.projectId, executions.record(before), -1)
    figures.ended(to.projectId, to, 1)
  }
  await figures.write(dialect, session)
  return new Set(valid.map(({ to }) => to.id))
}

/** What a move does not write: the contact, the workflow and how the execution was started stay. Its lease ends. */
const KEPT = [
  'id',
  'projectId',
  'workflowId',
  'contactId',
  'eventId',
  'once',
  'startedAt',
  'redactedAt',
  'leaseToken',
  'leaseUntil',
] as const

/** How an existing step run is updated: its execution, step and start never change. */
const WRITTEN_OVER = {
  on: ['id'],
  keep: ['projectId', 'workflowId', 'executionId', 'stepId', 'startedAt'],
  within: 'executionId',
} as const

/** A column of the moves, named apart from the row's own. */
function given(column: Column): Column {
  return { ...column, name: `new_${column.name}` }
}
