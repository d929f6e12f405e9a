import { WAITS_FOR_RAMP } from '../delivery/throttle/ramp.ts'
import { WAITS_FOR_TRANSPORT } from '../delivery/throttle/transport-quota.ts'
import { hoursOf, WAITS_FOR_PLAN, WAITS_FOR_QUOTA, WAITS_FOR_SHARE } from '../mail/plan-hours.ts'
import type { CampaignQueue } from '../ports/store/campaign-mails.ts'
import type { Campaign, PlanProgress, SendPlan } from '../ports/store/campaigns.ts'
import type { Store } from '../ports/store/store.ts'

/** Why the next mail of a campaign does not go yet: its plan says so, the day has its share, a quota
 * is used up, its sender domain is warmed up, its transport may take no more for now, or it was put off. */
export const WAIT_REASONS = ['plan', 'perDay', 'quota', 'ramp', 'transport', 'putOff'] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

/** The reason why a campaign that is being sent waits. */
export interface CampaignWaiting {
  /** When the next of its mails is due. */
  readonly nextAt: Date
  /** When the last one is due, as far as its audience is written. */
  readonly lastAt: Date
  /** Absent while mails are due. */
  readonly reason?: WaitReason
  /** The reason in words. */
  readonly message?: string
}

/** The reason why the campaign waits; undefined unless it is SENDING and mails of it wait. */
export async function waitingOf(
  { campaignMails }: Pick<Store, 'campaignMails'>,
  campaign: Campaign,
  now: Date,
): Promise<CampaignWaiting | undefined> {
  const queue = campaign.status === 'SENDING' ? await campaignMails.queue(campaign.id) : undefined
  return queue && waitingIn(campaign, queue, now)
}

function waitingIn(
  { plan, fanOut }: Pick<Campaign, 'plan' | 'fanOut'>,
  { firstDueAt, lastDueAt, error }: CampaignQueue,
  now: Date,
): CampaignWaiting {
  const due = { nextAt: firstDueAt, lastAt: lastDueAt }
  if (firstDueAt <= now) return due
  if (plan && error === undefined && isFullToday(plan, fanOut?.plan, now))
    return { ...due, reason: 'perDay', message: WAITS_FOR_SHARE }
  if (plan && (error === undefined || error === WAITS_FOR_PLAN))
    return { ...due, reason: 'plan', message: WAITS_FOR_PLAN }
  if (error === WAITS_FOR_QUOTA.day || error === WAITS_FOR_QUOTA.month)
    return { ...due, reason: 'quota', message: error }
  if (error === WAITS_FOR_RAMP) return { ...due, reason: 'ramp', message: error }
  if (error === WAITS_FOR_TRANSPORT) return { ...due, reason: 'transport', message: error }
  if (error === WAITS_FOR_SHARE) return { ...due, reason: 'perDay', message: WAITS_FOR_SHARE }
  return { ...due, reason: 'putOff', ...(error === undefined ? {} : { message: error }) }
}

/** Whether as many mails as the plan allows on a day were laid out for today. */
function isFullToday(plan: SendPlan, progress: PlanProgress | undefined, now: Date): boolean {
  if (plan.perDay === undefined || progress === undefined) return false
  const today = hoursOf(plan, progress.zone).days.of(now)
  return (progress.days?.[today] ?? 0) >= plan.perDay
}
