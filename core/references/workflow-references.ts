import type { Filter } from '../ports/store/filters.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Workflow, WorkflowGraph } from '../ports/store/workflows.ts'
import { segmentEvent } from '../values/event-names.ts'
import { Pace } from '../values/pace.ts'
import type { ProjectId } from '../values/project-id.ts'
import { filterUses } from './segment-references.ts'
import type { StepUse, StepUses } from './step-uses.ts'
import type { Thing, WorkflowUse } from './uses.ts'

/**
 * The workflows that the thing starts or is the goal of, and their steps that need it, newest first; disabled ones too. A segment is also
 * needed by what waits for its entries and exits.
 */
export async function workflowsThatUse(
  reads: Repositories,
  projectId: ProjectId,
  thing: Thing,
  stepUses: StepUses,
): Promise<readonly WorkflowUse[]> {
  const things = [thing, ...(await eventsOf(reads, projectId, thing))]
  const graphs = await reads.workflows.graphs(projectId)
  const pace = new Pace()
  const found: WorkflowUse[] = []
  for (const graph of graphs) found.push(...(await pace.run(() => usesIn(graph, things, stepUses))))
  return found
}

function usesIn(
  { workflow, steps }: WorkflowGraph,
  things: readonly Thing[],
  stepUses: StepUses,
): readonly WorkflowUse[] {
  const { id, name, triggerType, eventName, goalEvent } = workflow
  const isNamed = things.some((thing) => starts(workflow, thing))
  const names = things.flatMap((thing) => (thing.kind === 'event' ? thing.name : []))
  const isItself = names.some((each) => each === goalEvent || (triggerType === 'EVENT' && each === eventName))
  const users = steps.filter((step) => stepUses(step).some((use) => things.some((thing) => isOf(use, thing))))
  return [...(isItself || isNamed ? [{ id, name }] : []), ...users.map((step) => ({ id, name, stepId: step.id }))]
}

/** Whether the trigger of the workflow names the thing, besides by its event. */
function starts({ eventTrigger, dateTrigger }: Workflow, thing: Thing): boolean {
  switch (thing.kind) {
    case 'form':
      return eventTrigger?.formId === thing.id
    case 'topic':
      return eventTrigger?.topicId === thing.id
    case 'campaign':
      return eventTrigger?.campaignId === thing.id
    case 'field': {
      const fields = dateTrigger ? [dateTrigger.field, dateTrigger.timezoneField ?? 'timezone'] : []
      return fields.some((field) => filterUses(asked(field), thing))
    }
    default:
      return false
  }
}

function asked(field: string): Filter {
  return { operator: 'AND', conditions: [{ field: field.replace(/^contact\./, ''), operator: 'exists' }] }
}

/** Whether a step with this use needs the thing. */
function isOf(use: StepUse, thing: Thing): boolean {
  switch (use.kind) {
    case 'filter':
      return filterUses(use.filter, thing)
    case 'event':
      return thing.kind === 'event' && thing.name === use.name
    case 'key':
      return thing.kind === 'field' && 'key' in thing.field && thing.field.key === use.key
    case 'template':
      return thing.kind === 'template' && thing.id === use.id
    case 'topic':
      return thing.kind === 'topic' && thing.id === use.id
    case 'snippet':
      return thing.kind === 'snippet' && thing.name === use.name
  }
}

/** The events of a segment's entries and exits. */
async function eventsOf(reads: Repositories, projectId: ProjectId, thing: Thing): Promise<readonly Thing[]> {
  const segment = thing.kind === 'segment' ? await reads.segments.find(projectId, thing.id) : undefined
  if (segment === undefined) return []
  return (['entry', 'exit'] as const).map((change) => ({ kind: 'event', name: segmentEvent(segment.slug, change) }))
}
