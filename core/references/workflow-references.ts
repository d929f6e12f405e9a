import { filterOf } from '../filters/condition-step.ts'
import { ofContact } from '../filters/workflow-filter.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WorkflowGraph, WorkflowStep } from '../ports/store/workflows.ts'
import { segmentEvent } from '../values/event-names.ts'
import { isJsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'
import { filterUses } from './segment-references.ts'
import type { Thing, WorkflowUse } from './uses.ts'

/**
 * The workflows that the thing starts, and their steps that need it, newest first; disabled ones too. A segment is also
 * needed by what waits for its entries and exits.
 */
export async function workflowsThatUse(
  reads: Repositories,
  projectId: ProjectId,
  thing: Thing,
): Promise<readonly WorkflowUse[]> {
  const things = [thing, ...(await eventsOf(reads, projectId, thing))]
  const graphs = await reads.workflows.graphs(projectId)
  return graphs.flatMap((graph) => usesIn(graph, things))
}

function usesIn({ workflow, steps }: WorkflowGraph, things: readonly Thing[]): readonly WorkflowUse[] {
  const { id, name, triggerType, eventName } = workflow
  const starts = triggerType === 'EVENT' && things.some((thing) => thing.kind === 'event' && thing.name === eventName)
  const users = steps.filter((step) => things.some((thing) => stepUses(step, thing)))
  return [...(starts ? [{ id, name }] : []), ...users.map((step) => ({ id, name, stepId: step.id }))]
}

function stepUses({ type, config, templateId }: WorkflowStep, thing: Thing): boolean {
  switch (type) {
    case 'SEND_EMAIL':
      return thing.kind === 'template' && templateId === thing.id
    case 'WAIT_FOR_EVENT':
      return thing.kind === 'event' && config.eventName === thing.name
    case 'CONDITION':
      return filterUses(ofContact(filterOf(config)), thing)
    case 'UPDATE_CONTACT':
      return thing.kind === 'field' && 'key' in thing.field && writes(config.data, thing.field.key)
    default:
      return false
  }
}

function writes(data: unknown, key: string): boolean {
  return isJsonObject(data) && Object.hasOwn(data, key)
}

/** The events of a segment's entries and exits. */
async function eventsOf(reads: Repositories, projectId: ProjectId, thing: Thing): Promise<readonly Thing[]> {
  const segment = thing.kind === 'segment' ? await reads.segments.find(projectId, thing.id) : undefined
  if (segment === undefined) return []
  return (['entry', 'exit'] as const).map((change) => ({ kind: 'event', name: segmentEvent(segment.slug, change) }))
}
