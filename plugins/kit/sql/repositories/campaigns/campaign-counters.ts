/* SQL by hand: sums over the counters that triggers keep. */
import type { CampaignCounters } from '../../../../../core/ports/store/campaign-mails.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Session } from '../../engine/session.ts'

/**
 * What the triggers have counted of a campaign's mails (see entities/counters.ts), the anonymous counts, and how many were
 * answered: so few that an index of them is counted. All zero
 * when there are none.
 */
export async function campaignCounters(session: Session, projectId: ProjectId, id: string): Promise<CampaignCounters> {
  const sql = `select "kind", sum("count") as "count" from "tallies"
    where "project_id" = ? and "subject" = 'campaign' and "name" = ? group by "kind" having sum("count") > 0
    union all select "kind", "count" from "anonymous_counts" where "campaign_id" = ? and "project_id" = ?
    union all select 'replied', count(*) from "emails" where "campaign_id" = ? and ("project_id" = ?) is true
      and campaign_id is not null and replied_at is not null`
  const counts = { ...NOTHING }
  const skipped: Record<string, number> = {}
  for (const { kind, count } of await session.all(sql, [projectId, id, id, projectId, id, projectId])) {
    const name = String(kind)
    if (name.startsWith(SKIPPED)) skipped[name.slice(SKIPPED.length)] = Number(count)
    else if (isCount(name)) counts[name] = Number(count)
  }
  return { ...counts, skipped }
}

const SKIPPED = 'skipped:'

const NOTHING = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  humanOpened: 0,
  clicked: 0,
  humanClicked: 0,
  anonymousOpened: 0,
  anonymousHumanOpened: 0,
  anonymousClicked: 0,
  anonymousHumanClicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  replied: 0,
  failed: 0,
}

function isCount(kind: string): kind is keyof typeof NOTHING {
  return Object.hasOwn(NOTHING, kind)
}
