import type { ContactEvent } from '../../ports/store/events.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { WorkflowGraph } from '../../ports/store/workflows.ts'
import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { endedRun, movedOn } from '../run/moves.ts'

/**
 * Continues the executions that wait for one of these events, all of one project. Of several that fit the first counts;
 * events from before the wait do not, nor the one that started the execution. An execution whose time-out is already
 * being worked on is not woken. Answers how many continue.
 */
export async function wakeWaiting(
  tx: Repositories,
  projectId: ProjectId,
  events: readonly ContactEvent[],
  now: Date,
): Promise<number> {
  const byPair = Map.groupBy(events, ({ contactId, name }) => `${contactId} ${name}`)
  const pairs = [...byPair.values()].flatMap(([first]) =>
    first ? [{ contactId: first.contactId, eventName: first.name }] : [],
  )
  const waiting = await tx.executions.waitingFor(projectId, pairs)
  if (waiting.length === 0) return 0
  const ids = waiting.map(({ id }) => id)
  const runs = new Map((await tx.stepRuns.open(projectId, ids)).map((run) => [run.executionId, run]))
  const graphs = new Map<string, WorkflowGraph | undefined>()
  const moves: { from: Execution; to: Execution; runs: readonly StepRun[] }[] = []
  for (const from of waiting) {
    const { workflowId, contactId, waitingFor, currentStepId } = from
    const event = byPair.get(`${contactId} ${waitingFor}`)?.find((each) => isAwaited(from, each))
    if (event === undefined || currentStepId === undefined) continue
    if (!graphs.has(workflowId)) graphs.set(workflowId, await tx.workflows.graph(projectId, workflowId))
    const graph = graphs.get(workflowId)
    if (graph === undefined) continue
    const run = runs.get(from.id)
    const output: JsonObject = { branch: 'event', eventId: event.id }
    moves.push({
      from,
      to: { ...movedOn(from, graph, currentStepId, 'event', now), event: event.data },
      runs: run ? [endedRun(run, 'COMPLETED', now, { output })] : [],
    })
  }
  return moves.length === 0 ? 0 : (await tx.executions.wake(moves)).size
}

/** The clocks of two processes differ a little. */
export const SKEW_MS = 1000

function isAwaited({ eventId, updatedAt }: Execution, { id, createdAt }: ContactEvent): boolean {
  return id !== eventId && createdAt.getTime() >= updatedAt.getTime() - SKEW_MS
}
