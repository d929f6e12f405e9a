import type { CampaignCounters } from '../ports/store/campaign-mails.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import { percentage } from '../values/percentage.ts'
import type { LeftOutFigure } from './campaign-request.ts'
import type { CampaignWaiting } from './waiting.ts'

/** A campaign's figures, counted from the ledger. Rates are percentages of the mails sent, with up to two decimals. */
export interface CampaignStats {
  /** The frozen audience without those left out when it was written; as counted at the beginning while it is written. */
  readonly totalRecipients: number
  /** Waiting or being sent. */
  readonly queued: number
  /** How many mails the next hop accepted. */
  readonly sent: number
  /** How many were delivered, and did not come back later. */
  readonly delivered: number
  /** How many of these were only written to a folder, since no mail server was set. */
  readonly toFolder: number
  /** How many were opened. */
  readonly opened: number
  /** How many had a link followed. */
  readonly clicked: number
  /** How many of these come from people who may only be counted anonymously; one who comes back later counts again. */
  readonly anonymous: { readonly opened: number; readonly clicked: number }
  /** How many bounced for good. */
  readonly bounced: number
  /** How many were reported as spam. */
  readonly complained: number
  /** How many recipients unsubscribed by its link. */
  readonly unsubscribed: number
  /** How many were answered by a person. */
  readonly replied: number
  /** How many could not be sent. */
  readonly failed: number
  /** Contacts left out, when the audience was written or later, by reason. */
  readonly skipped: Skipped
  /** How many of these were left out when the audience was written: they have no mail that could be listed. */
  readonly leftOutAtStart: number
  /** Percentage of the mails sent that were opened. */
  readonly openRate: number
  /** Percentage of the mails sent with a click. */
  readonly clickRate: number
  /** Percentage of the mails handed over, those that bounced at once included, that bounced. */
  readonly bounceRate: number
  /** Percentage of the mails handed over that were delivered. */
  readonly deliveryRate: number
  /** The problem, although the campaign is SENT. */
  readonly problem?: string
}

/** A campaign with its figures. */
export interface CountedCampaign {
  /** The campaign. */
  readonly campaign: Campaign
  /** Its figures as of now. */
  readonly stats: CampaignStats
  /** Read for a single campaign that is SENDING, while mails of it wait. */
  readonly waiting?: CampaignWaiting
}

/** Those of `heldOut` get nothing, so that others can be compared with them. */
type Skipped = Readonly<Record<LeftOutFigure, number>>

/** Computes the figures; without machines, openings and clicks that no person made do not count. */
export function campaignStats(
  { fanOut, status, statusReason }: Partial<Pick<Campaign, 'fanOut' | 'status' | 'statusReason'>>,
  counters: CampaignCounters,
  excludeMachine = false,
): CampaignStats {
  const { bounced, failed } = counters
  const isOnItsWay = fanOut?.done === false && (status === 'SENDING' || status === 'PAUSED')
  const recipients = isOnItsWay ? Math.max(counters.recipients, fanOut.expected ?? 0) : counters.recipients
  const atStart = fanOut?.skipped ?? {}
  const anonymous = excludeMachine
    ? { opened: counters.anonymousHumanOpened, clicked: counters.anonymousHumanClicked }
    : { opened: counters.anonymousOpened, clicked: counters.anonymousClicked }
  const opened = anonymous.opened + (excludeMachine ? counters.humanOpened : counters.opened)
  const clicked = anonymous.clicked + (excludeMachine ? counters.humanClicked : counters.clicked)
  const later = Object.values(counters.skipped).reduce((sum, count) => sum + count, 0)
  const handedOver = handedOverOf(counters)
  return {
    totalRecipients: recipients,
    queued: Math.max(0, recipients - answeredOf(counters) - later),
    sent: counters.sent,
    delivered: counters.delivered,
    toFolder: counters.toFolder,
    opened,
    clicked,
    anonymous,
    bounced,
    complained: counters.complained,
    unsubscribed: counters.unsubscribed,
    replied: counters.replied,
    failed,
    skipped: skippedOf(atStart, counters.skipped),
    leftOutAtStart: Object.values(atStart).reduce((sum, count) => sum + count, 0),
    openRate: percentage(opened, counters.sent),
    clickRate: percentage(clicked, counters.sent),
    bounceRate: percentage(bounced, handedOver),
    deliveryRate: percentage(counters.delivered, handedOver),
    ...(status === 'SENT' && statusReason !== undefined ? { problem: statusReason } : {}),
  }
}

/** How many mails a next hop has accepted, or refused because of the recipient: those are not SENT. */
function handedOverOf({ sent, bounced, bouncedLater }: CampaignCounters): number {
  return sent + bounced - bouncedLater
}

/** How many mails have an answer: those that came back later are counted once. */
export function answeredOf(counters: CampaignCounters): number {
  return handedOverOf(counters) + counters.failed - counters.failedLater
}

function skippedOf(atStart: Readonly<Record<string, number>>, later: CampaignCounters['skipped']): Skipped {
  const suppressed = Object.entries(later).filter(([reason]) => reason.startsWith('suppressed:'))
  return {
    unsubscribed: (atStart.unsubscribed ?? 0) + (later.unsubscribed ?? 0),
    suppressed: suppressed.reduce((sum, [, count]) => sum + count, atStart.suppressed ?? 0),
    paused: (atStart.paused ?? 0) + (later.paused ?? 0),
    topic: (atStart.topic ?? 0) + (later.topic ?? 0),
    contactRemoved: later['contact-removed'] ?? 0,
    capped: later.capped ?? 0,
    cancelled: (later['campaign-cancelled'] ?? 0) + (later.cancelled ?? 0),
    heldOut: later['held-out'] ?? 0,
    caught: (later.caught ?? 0) + (later.cleared ?? 0),
  }
}
