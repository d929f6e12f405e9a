import type { Execution } from '../../../../../core/ports/store/executions.ts'
import type { StepRun } from '../../../../../core/ports/store/step-runs.ts'
import type { Dialect, GivenColumn, Kind } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** An execution as it is to become, with its step runs. */
export interface Move {
  readonly to: Execution
  readonly runs: readonly StepRun[]
  /** Whether the row, held, is as it was when this was decided. */
  isStill(row: Row): boolean
}

/**
 * Writes moves in three statements, however many they are: the rows are held in the order of their ids, so that two who
 * write the same ones do not wait for each other, then those that are as expected are written, with their step runs.
 * Answers the ids of the executions written.
 */
export async function writeMoves(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  moves: readonly Move[],
): Promise<ReadonlySet<string>> {
  const hold = `select "id", "project_id", "status", "current_step_id", "lease_token" from "workflow_executions"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"workflow_executions"')}`
  const held = await session.all(hold, [dialect.list(moves.map(({ to }) => to.id))])
  const rows = new Map(held.map((row) => [String(row.id), row]))
  const valid = moves.filter(({ to, isStill }) => {
    const row = rows.get(to.id)
    return row !== undefined && row.project_id === to.projectId && isStill(row)
  })
  if (valid.length === 0) return new Set()
  const set = MOVED.map(({ column, name }) => `"${column}" = given."${name}"`).join(', ')
  const update = `update "workflow_executions" set ${set}, "lease_token" = null, "lease_until" = null
    from ${dialect.given(GIVEN)} as given where "workflow_executions"."id" = given."new_id"`
  const values = valid.map(({ to }) => {
    const fields: Readonly<Record<string, unknown>> = { ...to }
    return GIVEN.map(({ kind, property }) => dialect.encode(kind)(fields[property]))
  })
  await session.run(update, dialect.givenParams(GIVEN, values))
  const runs = inOrder(
    valid.flatMap((move) => move.runs),
    ({ id }) => id,
  )
  await tables.stepRuns.insert(session, runs, WRITE_OVER)
  return new Set(valid.map(({ to }) => to.id))
}

/** A step run that is known: what it is a stay of, and since when, does not change. */
const WRITE_OVER = `on conflict ("id") do update set "status" = excluded."status", "output" = excluded."output",
  "error" = excluded."error", "completed_at" = excluded."completed_at"
  where "workflow_step_runs"."execution_id" = excluded."execution_id"`

interface MovedColumn extends GivenColumn {
  readonly column: string
  readonly property: keyof Execution
}

/** A column of the moves, named apart from the row's own. */
function moved(column: string, kind: Kind, property: keyof Execution): MovedColumn {
  return { name: `new_${column}`, kind, column, property }
}

/** What a move may change: whose way it is, through what, and how it was started stays. */
const MOVED = [
  moved('status', 'text', 'status'),
  moved('current_step_id', 'uuid', 'currentStepId'),
  moved('exit_reason', 'text', 'exitReason'),
  moved('error', 'text', 'error'),
  moved('context', 'json', 'context'),
  moved('event', 'json', 'event'),
  moved('due_at', 'date', 'dueAt'),
  moved('waiting_for', 'text', 'waitingFor'),
  moved('attempts', 'integer', 'attempts'),
  moved('completed_at', 'date', 'completedAt'),
  moved('updated_at', 'date', 'updatedAt'),
]
const GIVEN = [moved('id', 'uuid', 'id'), ...MOVED]
