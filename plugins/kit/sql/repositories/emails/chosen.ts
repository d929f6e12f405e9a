import type { EmailFilter } from '../../../../../core/ports/store/emails.ts'
import type { MailSearch } from '../../../../../core/ports/store/mails.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { type Chosen, ofCampaign, ofCampaignBy, ofCampaignWhere, withStatus } from '../campaigns/of-campaign.ts'

/** A project's mails by status, contact and campaign, found by the index that leads to the fewest. */
export function chosenMails(
  dialect: Dialect,
  projectId: ProjectId,
  { status, contactId, campaignId }: EmailFilter,
): Chosen {
  if (campaignId !== undefined && contactId === undefined) {
    if (status === undefined) return ofCampaign(dialect, projectId, campaignId)
    return ofCampaignBy(dialect, projectId, campaignId, status)
  }
  const { from, where } =
    status === undefined || contactId !== undefined
      ? { from: '"emails"', where: new Conditions().and('"project_id" = ?', projectId).equal('"status"', status) }
      : withStatus(projectId, status)
  where.equal('"contact_id"', contactId).equal('"campaign_id"', campaignId)
  return { from, where }
}

/** The same for a search, which may ask for those that were clicked or unsubscribed by: few of a campaign's. */
export function searchedMails(dialect: Dialect, projectId: ProjectId, search: MailSearch): Chosen {
  const { campaignId, contactId, status, happened = [], link } = search
  const asked = new Set(happened.map(({ what }) => what))
  const rare = asked.has('unsubscribed')
    ? 'unsubscribed'
    : link !== undefined || asked.has('clicked')
      ? 'clicked'
      : undefined
  if (rare === undefined || campaignId === undefined || contactId !== undefined)
    return chosenMails(dialect, projectId, search)
  const { from, where } = ofCampaignWhere(dialect, projectId, campaignId, rare)
  return { from, where: where.equal('"status"', status) }
}
