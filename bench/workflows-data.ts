import type { Execution } from '../core/ports/store/executions.ts'
import type { StepRun } from '../core/ports/store/step-runs.ts'
import type { Store } from '../core/ports/store/store.ts'
import type { WorkflowGraph, WorkflowStep } from '../core/ports/store/workflows.ts'
import { idSource } from '../core/values/id.ts'
import type { ProjectId } from '../core/values/project-id.ts'

const newId = idSource(() => Date.now())

/** How many executions are written in one transaction. */
const BATCH = 1_000

/** Stores an enabled workflow with a DELAY of 30 days and an EXIT. */
export async function insertDelayWorkflow(store: Store, projectId: ProjectId, name: string): Promise<WorkflowGraph> {
  const now = new Date()
  const workflowId = newId()
  const step = (type: WorkflowStep['type'], config: WorkflowStep['config'] = {}): WorkflowStep => {
    const place = { name: type, position: { x: 0, y: 0 }, config }
    return { id: newId(), projectId, workflowId, type, ...place, createdAt: now }
  }
  const [entry, delay, exit] = [step('TRIGGER'), step('DELAY', { amount: 30, unit: 'days' }), step('EXIT')]
  const lead = (fromStepId: string, toStepId: string) => {
    return { id: newId(), projectId, workflowId, fromStepId, toStepId, priority: 0 }
  }
  const graph: WorkflowGraph = {
    workflow: {
      ...{ id: workflowId, projectId, name, enabled: true, triggerType: 'EVENT', eventName: 'delay' },
      ...{ allowReentry: false, version: 1, createdAt: now, updatedAt: now },
    },
    steps: [entry, delay, exit],
    transitions: [lead(entry.id, delay.id), lead(delay.id, exit.id)],
  }
  await store.workflows.insert(graph)
  return graph
}

/** Makes these contacts wait in the workflow's DELAY, each until its time, as if they had got there by themselves. */
export async function letWait(
  store: Store,
  { workflow, steps }: WorkflowGraph,
  contactIds: readonly string[],
  until: (i: number) => Date,
): Promise<void> {
  const delay = steps.find(({ type }) => type === 'DELAY')
  if (delay === undefined) throw new Error('the workflow has no DELAY')
  const { projectId, id: workflowId } = workflow
  for (let from = 0; from < contactIds.length; from += BATCH) {
    const now = new Date()
    const moves = contactIds.slice(from, from + BATCH).map((contactId, i) => {
      const began: Execution = {
        ...{ id: newId(), projectId, workflowId, contactId, status: 'RUNNING', currentStepId: delay.id },
        ...{ context: {}, event: {}, once: true, attempts: 0, startedAt: now, updatedAt: now },
      }
      const dueAt = until(from + i)
      const run: StepRun = {
        ...{ id: newId(), projectId, workflowId, executionId: began.id, stepId: delay.id },
        ...{ status: 'WAITING', output: { until: dueAt.toISOString() }, startedAt: now },
      }
      return { from: began, to: { ...began, status: 'WAITING' as const, dueAt }, runs: [run] }
    })
    const waiting = await store.transaction(async (tx) => {
      await tx.executions.start(moves.map(({ from: began }) => began))
      return tx.executions.wake(moves)
    })
    if (waiting.size !== moves.length) throw new Error(`only ${waiting.size} of ${moves.length} wait`)
  }
}
