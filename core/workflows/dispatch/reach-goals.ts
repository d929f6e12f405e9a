import type { ContactEvent } from '../../ports/store/events.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { Repositories } from '../../ports/store/store.ts'
import { momentOf } from '../../values/id.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { ended, endedRun } from '../run/moves.ts'
import { SKEW_MS } from './wake-waiting.ts'

/** The `exitReason` of executions that the goal ended. */
const GOAL = 'goal'

/**
 * Ends the executions whose contacts reach the goal of their workflow with one of these events, all of one project, on
 * whatever step they are. An event from before the execution does not count, nor the one that started it. Where no
 * workflow has such a goal, it costs one look-up in a small index.
 */
export async function reachGoals(
  tx: Repositories,
  projectId: ProjectId,
  events: readonly ContactEvent[],
  now: Date,
): Promise<void> {
  const byName = Map.groupBy(events, ({ name }) => name)
  const workflows = await tx.goals.withGoals(projectId, [...byName.keys()])
  if (workflows.length === 0) return
  const goals = new Map(workflows.map(({ id, goalEvent }) => [id, byName.get(goalEvent) ?? []]))
  const pairs = [...goals].flatMap(([workflowId, done]) => done.map(({ contactId }) => ({ workflowId, contactId })))
  const reached = (await tx.goals.activeAmong(projectId, pairs)).filter((execution) =>
    goals.get(execution.workflowId)?.some((event) => isReached(execution, event)),
  )
  if (reached.length === 0) return
  const ids = reached.map(({ id }) => id)
  const runs = Map.groupBy(await tx.stepRuns.open(projectId, ids), ({ executionId }) => executionId)
  await tx.executions.wake(
    reached.map((from) => ({
      from,
      to: ended(from, { status: 'EXITED', exitReason: GOAL, goalAt: now }, now),
      runs: (runs.get(from.id) ?? []).map((run) => endedRun(run, 'CANCELLED', now, { output: { reason: GOAL } })),
    })),
  )
}

/** An execution begins with its event, though it is dispatched later; without one, at its start by the clock of another process. */
function isReached({ eventId, contactId, startedAt }: Execution, event: ContactEvent): boolean {
  if (event.contactId !== contactId || event.id === eventId) return false
  const since = eventId === undefined ? startedAt.getTime() - SKEW_MS : momentOf(eventId).getTime()
  return event.createdAt.getTime() >= since
}
