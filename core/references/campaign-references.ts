import type { CampaignNeeds } from '../ports/store/campaigns.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { filterUses } from './segment-references.ts'
import type { CampaignUse, Thing } from './uses.ts'

/** Campaigns with these statuses are never sent again, so they need nothing; a SENT one is still listed. */
const ENDED = ['CANCELLED', 'FAILED'] as const

/** The campaigns that were made from the template, or whose audience refers to the thing, newest first. */
export async function campaignsThatUse(
  reads: Repositories,
  projectId: ProjectId,
  thing: Thing,
): Promise<readonly CampaignUse[]> {
  const campaigns = await reads.campaigns.except(projectId, ENDED)
  return campaigns.filter((campaign) => uses(campaign, thing)).map(({ id, name, status }) => ({ id, name, status }))
}

function uses({ templateId, segmentId, audienceFilter }: CampaignNeeds, thing: Thing): boolean {
  if (thing.kind === 'template') return templateId === thing.id
  if (thing.kind === 'segment' && segmentId === thing.id) return true
  return audienceFilter !== undefined && filterUses(audienceFilter, thing)
}
