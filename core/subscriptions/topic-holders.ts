import type { Repositories } from '../ports/store/store.ts'
import type { Topic } from '../ports/store/topics.ts'
import type { WorkflowStep } from '../ports/store/workflows.ts'
import { filterUses, segmentsThatUse } from '../references/segment-references.ts'
import type { StepUse } from '../references/step-uses.ts'
import { type Holder, holdersOf } from '../references/uses.ts'
import { workflowsThatUse } from '../references/workflow-references.ts'

/** Campaigns with these statuses are never sent again. */
const ENDED = ['CANCELLED', 'FAILED', 'SENT'] as const

/**
 * What still needs the topic: the templates and unsent campaigns with it, and what filters by it: segments, audiences and
 * steps of workflows.
 */
export async function holdersOfTopic(
  tx: Repositories,
  { id, slug, projectId }: Pick<Topic, 'id' | 'slug' | 'projectId'>,
): Promise<readonly Holder[]> {
  const thing = { kind: 'topic', id, slug } as const
  const { templates, campaigns } = await tx.topics.users(projectId, id)
  const others = await tx.campaigns.except(projectId, ENDED)
  const filtering = others.filter(({ audienceFilter }) => audienceFilter && filterUses(audienceFilter, thing))
  const all = new Map([...campaigns, ...filtering].map((campaign) => [campaign.id, campaign]))
  return [
    ...templates.map(({ name }) => ({ kind: 'template', name }) as const),
    ...holdersOf({
      segments: await segmentsThatUse(tx, projectId, thing),
      campaigns: [...all.values()],
      workflows: await workflowsThatUse(tx, projectId, thing, usesTopic(thing)),
    }),
  ]
}

/** What steps name of a topic: every filter in a config has the field as a text. */
function usesTopic({ id, slug }: Pick<Topic, 'id' | 'slug'>): (step: WorkflowStep) => readonly StepUse[] {
  const fields = [id, slug].flatMap((name) => [`topic.${name}`, `contact.topic.${name}`])
  return ({ config }) => {
    const text = JSON.stringify(config)
    return fields.some((field) => text.includes(JSON.stringify(field))) ? [{ kind: 'topic', id, slug }] : []
  }
}
