import { UNPROVEN } from '../bounces/refusal-meaning.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import { type Email, type EmailStatus, type Stage, stagesBefore } from '../ports/store/emails.ts'
import type { MailNews } from '../ports/store/feedback.ts'
import type { SuppressionReason } from '../ports/store/suppressions.ts'
import { EVENTS } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'

/** How many characters of a server's reply are kept. */
const MAX_LENGTH = 1000

/** The changes that a report makes to a mail. */
export interface Consequence {
  /** The mail after the change. */
  readonly email: Email
  readonly news: MailNews
  readonly event?: { readonly name: string; readonly data: JsonObject }
  /** The address is suppressed, and the contact unsubscribed. */
  readonly signOff?: { readonly reason: Exclude<SuppressionReason, 'MANUAL'>; readonly detail: string }
  /** It is one of the soft bounces of which several in a row suppress. */
  readonly isSoftBounce?: boolean
}

/**
 * Computes what a report changes; undefined when this or something later is known already. Openings and clicks are
 * counted elsewhere. Pure.
 */
export function consequence(email: Email, report: FeedbackReport, now: Date): Consequence | undefined {
  const at = momentOf(report, email, now)
  if (report.kind === 'delivered') return delivered(email, at, now)
  if (report.kind === 'complained') return complained(email, report, at, now)
  if (report.kind === 'rejected') return rejected(email, report, now)
  if (report.kind === 'bounced') {
    return report.bounce?.class === 'permanent'
      ? bouncedForGood(email, report, at, now)
      : failed(email, report, at, now)
  }
  return undefined
}

/**
 * Keeps a report that does not prove enough as a note on the record, once; undefined when there is one, or something
 * better is known. Pure.
 */
export function note(email: Email, report: FeedbackReport, now: Date): Consequence | undefined {
  const isKnown = email.bouncedAt !== undefined || email.complainedAt !== undefined || email.error !== undefined
  if (isKnown) return undefined
  const said = report.kind === 'complained' ? 'a complaint' : errorOf(report)
  return changed(email, now, undefined, { error: `${UNPROVEN}${said}` })
}

/**
 * Whether the mail was taken by its transport and is refused for good only now: once for each mail. A soft bounce is no
 * refusal; what follows one is.
 */
export function isLateRefusal(before: Email, { news }: Consequence): boolean {
  const isSoft = before.softBouncedAt !== undefined
  if (before.bouncedAt !== undefined || (before.status === 'FAILED' && !isSoft)) return false
  return news.bouncedAt !== undefined || (news.status === 'FAILED' && news.softBouncedAt === undefined)
}

/** True for a mail that was handed to a transport at least once: nothing can be reported about others. */
export function wasTried({ sourceType, status, attempts }: Email): boolean {
  return sourceType !== 'INBOUND' && status !== 'SKIPPED' && attempts > 0
}

function delivered(email: Email, at: Date, now: Date): Consequence | undefined {
  if (email.deliveredAt !== undefined || email.bouncedAt !== undefined || email.status === 'FAILED') return undefined
  // never exactly the time of sending, which means acceptance by the next hop
  const deliveredAt = at.getTime() === email.sentAt?.getTime() ? new Date(at.getTime() + 1) : at
  return changed(
    email,
    now,
    raised(email, 'DELIVERED'),
    { deliveredAt },
    { name: EVENTS.delivery, data: { deliveredAt: deliveredAt.toISOString() } },
  )
}

function bouncedForGood(email: Email, report: FeedbackReport, at: Date, now: Date): Consequence | undefined {
  if (email.bouncedAt !== undefined) return undefined
  const error = errorOf(report)
  const data = { bounceType: 'Permanent', bouncedAt: at.toISOString(), transientBounce: false, ...bounceOf(report) }
  const event = { name: EVENTS.bounce, data }
  const outcome = changed(email, now, raised(email, 'BOUNCED'), { bouncedAt: at, error }, event)
  return { ...outcome, signOff: { reason: 'BOUNCE', detail: error } }
}

/** The mail did not arrive, but not because of the address: the cause is temporary, or ours or our network's. */
function failed(email: Email, report: FeedbackReport, at: Date, now: Date): Consequence | undefined {
  const isPolicy = report.bounce?.class === 'policy'
  const isKnown = email.bouncedAt !== undefined || email.softBouncedAt !== undefined || email.status === 'FAILED'
  if (isKnown || wasSeen(email)) return undefined
  const error = errorOf(report)
  const data = { bounceType: 'Transient', transientBounce: true, ...bounceOf(report) }
  const times = isPolicy ? { error } : { error, softBouncedAt: at }
  const outcome = changed(email, now, endedAs(email, 'FAILED'), times, { name: EVENTS.bounce, data })
  return isPolicy ? outcome : { ...outcome, isSoftBounce: true }
}

function rejected(email: Email, report: FeedbackReport, now: Date): Consequence | undefined {
  const isKnown = email.bouncedAt !== undefined || email.deliveredAt !== undefined || email.status === 'FAILED'
  if (isKnown || wasSeen(email)) return undefined
  return changed(email, now, endedAs(email, 'FAILED'), { error: errorOf(report) })
}

function complained(email: Email, report: FeedbackReport, at: Date, now: Date): Consequence | undefined {
  if (email.complainedAt !== undefined) return undefined
  const detail = errorOf(report, 'The recipient reported the mail as spam.')
  const event = { name: EVENTS.complaint, data: { complainedAt: at.toISOString(), ...wordsOf(report) } }
  const outcome = changed(email, now, raised(email, 'COMPLAINED'), { complainedAt: at }, event)
  return { ...outcome, signOff: { reason: 'COMPLAINT', detail } }
}

function changed(
  email: Email,
  now: Date,
  status: EmailStatus | undefined,
  fields: Pick<MailNews, 'deliveredAt' | 'bouncedAt' | 'softBouncedAt' | 'complainedAt' | 'error'>,
  event?: Consequence['event'],
): Consequence {
  const change = { ...fields, ...(status === undefined ? {} : { status }) }
  const news = { projectId: email.projectId, emailId: email.id, at: now, ...change }
  return { email: { ...email, ...change }, news, ...(event ? { event } : {}) }
}

/** The status after a stage, which never goes back. While a mail waits or is being sent, its worker sets the status. */
function raised({ status }: Email, stage: Stage): EmailStatus | undefined {
  if (status === 'FAILED') return stage === 'DELIVERED' ? undefined : stage
  return stagesBefore(stage).includes(status) ? stage : undefined
}

function endedAs({ status }: Email, end: EmailStatus): EmailStatus | undefined {
  return status === 'SENT' || status === 'DELIVERED' ? end : undefined
}

/** A mail that was opened has arrived, whatever a server says. */
function wasSeen({ humanOpenedAt, humanClickedAt, complainedAt }: Email): boolean {
  return humanOpenedAt !== undefined || humanClickedAt !== undefined || complainedAt !== undefined
}

function errorOf(
  { bounce = { class: 'unknown' } }: FeedbackReport,
  otherwise = 'It was returned without a reason.',
): string {
  const { status = '', diagnostic = '' } = bounce
  const text = diagnostic.includes(status) ? diagnostic : `${status} ${diagnostic}`
  return text.trim().slice(0, MAX_LENGTH).toWellFormed() || otherwise
}

function wordsOf({ bounce }: FeedbackReport): JsonObject {
  const { status, diagnostic } = bounce ?? {}
  return {
    ...(bounce === undefined ? {} : { bounceClass: bounce.class }),
    ...(status === undefined ? {} : { bounceStatus: status }),
    ...(diagnostic === undefined ? {} : { diagnostic: diagnostic.slice(0, MAX_LENGTH).toWellFormed() }),
  }
}

/** The data of a bounce: what was said, and why it was judged so. */
function bounceOf(report: FeedbackReport): JsonObject {
  const { why } = report.bounce ?? {}
  return { ...wordsOf(report), ...(why === undefined ? {} : { why: { ...why } }) }
}

/** The time of a report, which may claim any: not before the mail was made, and not later than now. */
function momentOf({ at }: FeedbackReport, { createdAt }: Email, now: Date): Date {
  const isSound = at >= createdAt && at <= now
  return isSound ? at : now
}
