import type { EmailStatus } from '../../../../../core/ports/store/emails.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'

/** Rows of the ledger: the text after `from`, and the conditions. */
export interface Chosen {
  readonly from: string
  readonly where: Conditions
}

/** A campaign's mails, found by the campaign, since a project may have many more. */
export function ofCampaign(dialect: Dialect, projectId: ProjectId, campaignId: string): Chosen {
  const where = new Conditions().and('"campaign_id" = ?', campaignId).and('("project_id" = ?) is true', projectId)
  return { from: dialect.byIndex('emails', 'emails_campaign_page'), where }
}

/** Those of a campaign's mails with this moment: few, however many it has sent. */
export function ofCampaignWhere(
  dialect: Dialect,
  projectId: ProjectId,
  campaignId: string,
  what: 'clicked' | 'unsubscribed',
): Chosen {
  const { where } = ofCampaign(dialect, projectId, campaignId)
  // repeats the condition of the index, so that both databases use it
  return { from: dialect.byIndex('emails', `emails_campaign_${what}`), where: where.and(`"${what}_at" is not null`) }
}

/** A project's mails with this status. */
export function withStatus(projectId: ProjectId, status: EmailStatus): Chosen {
  const where = new Conditions().and('"project_id" = ?', projectId)
  if (status === 'SENDING') return { from: WORKING, where }
  // repeats the condition of the index word for word, so that both databases use it
  return { from: '"emails"', where: where.and(`"status" = ? and status <> 'SENDING'`, status) }
}

/** The mails that are being sent. Few are at a time, so all of them are looked through. */
const WORKING = `(with "working" as materialized (select * from "emails" where "status" = 'SENDING')
  select * from "working") as "emails"`

/**
 * A campaign's mails with this status. They are searched by status between the campaign's first mail and its last,
 * which is fast whether there are few or many.
 */
export function ofCampaignBy(dialect: Dialect, projectId: ProjectId, campaignId: string, status: EmailStatus): Chosen {
  const { from, where } = withStatus(projectId, status)
  if (status === 'SENDING') return { from, where: where.and('"campaign_id" = ?', campaignId) }
  where
    .and(`"id" >= (${mailOf('asc')}) and "id" <= (${mailOf('desc')})`, campaignId, campaignId)
    .and('("campaign_id" = ?) is true', campaignId)
  return { from: dialect.byIndex('emails', 'emails_by_status'), where }
}

function mailOf(direction: 'asc' | 'desc'): string {
  return `select e."id" from "emails" as e where e."campaign_id" = ? order by e."id" ${direction} limit 1`
}
