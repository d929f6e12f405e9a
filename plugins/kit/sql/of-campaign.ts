import type { ProjectId } from '../../../core/projects/project.ts'
import type { EmailStatus } from '../../../core/sending/email.ts'
import { Conditions } from './conditions.ts'

/**
 * The mails of a campaign that have this status. They are looked for by status between the campaign's first mail and its
 * last: few of few mails are found as fast as many of many.
 */
export function ofCampaignBy(projectId: ProjectId, campaignId: string, status: EmailStatus): Conditions {
  return new Conditions()
    .and('"project_id" = ? and "status" = ?', projectId, status)
    .and(`"id" >= (${mailOf('asc')}) and "id" <= (${mailOf('desc')})`, campaignId, campaignId)
    .and(NOT_BY_INDEX.replace('_', 'campaign_id'), campaignId)
}

/** The mails of a campaign, to be found by the campaign: a project may have many more. */
export function ofCampaign(projectId: ProjectId, campaignId: string): Conditions {
  return new Conditions().and('"campaign_id" = ?', campaignId).and(NOT_BY_INDEX.replace('_', 'project_id'), projectId)
}

/** Said so that no index is chosen for it. */
const NOT_BY_INDEX = '("_" = ?) is true'

function mailOf(direction: 'asc' | 'desc'): string {
  return `select e."id" from "emails" as e where e."campaign_id" = ? order by e."id" ${direction} limit 1`
}
