import * as v from 'valibot'
import type { CampaignStats } from '../../core/campaigns/campaign-numbers.ts'
import { LEFT_OUT_FIGURES } from '../../core/campaigns/campaign-request.ts'
import { TEST_PARTS } from '../../core/ports/store/campaigns.ts'
import { EMAIL_STATUSES, type Email } from '../../core/ports/store/emails.ts'
import { named } from '../../core/values/described.ts'
import { answer } from './answer.ts'
import { Count, Id, many, Percentage, success, Time } from './parts.ts'

export const counts = {
  totalRecipients: Count,
  queued: Count,
  sent: Count,
  delivered: Count,
  toFolder: Count,
  opened: Count,
  clicked: Count,
  bounced: Count,
  complained: Count,
  unsubscribed: Count,
  replied: Count,
  failed: Count,
}

/** The same figures under Plunk's names. */
export const countsUnderOldNames = {
  sentCount: Count,
  deliveredCount: Count,
  openedCount: Count,
  clickedCount: Count,
  bouncedCount: Count,
  complainedCount: Count,
  unsubscribedCount: Count,
  failedCount: Count,
}

export function countsByOldNames({
  sent,
  delivered,
  opened,
  clicked,
  bounced,
  complained,
  unsubscribed,
  failed,
}: CampaignStats) {
  return {
    sentCount: sent,
    deliveredCount: delivered,
    openedCount: opened,
    clickedCount: clicked,
    bouncedCount: bounced,
    complainedCount: complained,
    unsubscribedCount: unsubscribed,
    failedCount: failed,
  }
}

const figures = {
  ...counts,
  ...countsUnderOldNames,
  anonymous: v.object({ opened: Count, clicked: Count }),
  skipped: v.object({
    unsubscribed: Count,
    suppressed: Count,
    paused: Count,
    topic: Count,
    contactRemoved: Count,
    cancelled: Count,
    capped: Count,
    heldOut: Count,
    caught: Count,
  }),
  leftOutAtStart: Count,
  openRate: Percentage,
  clickRate: Percentage,
  bounceRate: Percentage,
  deliveryRate: Percentage,
  // what went wrong, although the campaign is SENT
  problem: v.optional(v.string()),
}

/** The figures under Plunk's names, and under our own. */
export const CampaignFigures = answer('CampaignStats', figures, (stats: CampaignStats) => {
  return { ...stats, ...countsByOldNames(stats) }
})

/** The figures beside `success`, and under `data`. */
export const CampaignStatsAnswer = success({ ...figures, data: CampaignFigures.schema })

/** The answer of `GET /campaigns/{id}/timeseries`. */
export const CampaignSeries = many(
  named(
    'CourseFigures',
    v.object({ date: v.string(), delivered: Count, opens: Count, clicks: Count, unsubscribes: Count }),
  ),
)

/** The answer of `GET /campaigns/{id}/links`. */
export const CampaignLinks = many(
  named('CampaignLink', v.object({ url: v.string(), clicks: Count, humanClicks: Count, people: Count })),
)

/** A campaign's mail, in its list of recipients; `id` is the e-mail record's. */
export const RecipientAnswer = answer(
  'Recipient',
  {
    id: Id,
    contactId: v.nullable(Id),
    // or "deleted", once the contact is erased
    email: v.string(),
    status: v.picklist(EMAIL_STATUSES),
    sentAt: v.optional(Time),
    toFolder: v.optional(v.boolean()),
    deliveredAt: v.optional(Time),
    openedAt: v.optional(Time),
    clickedAt: v.optional(Time),
    bouncedAt: v.optional(Time),
    unsubscribedAt: v.optional(Time),
    repliedAt: v.optional(Time),
    error: v.optional(v.string()),
    skipReason: v.optional(v.string()),
    variant: v.optional(v.picklist(TEST_PARTS)),
  },
  (email: Email) => ({ ...email, email: email.to }),
)

/** A contact that a campaign left out. */
export const LeftOutAnswer = answer('LeftOut', {
  id: Id,
  contactId: v.nullable(Id),
  // or "deleted", once the contact is erased
  email: v.string(),
  reason: v.picklist(LEFT_OUT_FIGURES),
  at: Time,
})
