import type { EventRecord } from '../../ports/store/events.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { WorkflowGraph } from '../../ports/store/workflows.ts'
import type { NewId } from '../../values/id.ts'
import type { JsonObject } from '../../values/json.ts'
import { isEntry } from '../steps/trigger.ts'

/** A contact that is to run a workflow, with its context. */
export interface Start {
  readonly graph: WorkflowGraph
  readonly contactId: string
  /** The cause of the start: an event, or a date that came. */
  readonly event?: Pick<EventRecord, 'id' | 'data'>
  readonly context?: JsonObject
}

/** The execution on the workflow's entry, due at once; undefined when it has none. */
export function executionOf(
  { graph, contactId, event, context = {} }: Start,
  newId: NewId,
  now: Date,
): Execution | undefined {
  const { workflow, steps } = graph
  const entry = steps.find(isEntry)
  if (entry === undefined) return undefined
  return {
    id: newId(),
    projectId: workflow.projectId,
    workflowId: workflow.id,
    contactId,
    status: 'RUNNING',
    currentStepId: entry.id,
    context,
    event: event?.data ?? {},
    ...(event === undefined ? {} : { eventId: event.id }),
    once: !workflow.allowReentry,
    attempts: 0,
    dueAt: now,
    startedAt: now,
    updatedAt: now,
  }
}
