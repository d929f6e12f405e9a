import { createHash } from 'node:crypto'
import type { ParsedReport } from '../bounces/parse/parsed-report.ts'
import type { FeedbackReport, ReportedMail } from '../ports/feedback-report.ts'
import type { FeedbackOutcome } from './report.ts'

/** A message that came back to us, and what it changed. */
export interface FeedbackReading {
  /** The kind of message; `none` when it is no report and no automatic reply. */
  readonly kind: ParsedReport['kind']
  /** One report per recipient; none when it names no mail that may be ours. */
  readonly reports: readonly FeedbackReport[]
  /** The effects of the reports, in order. */
  readonly outcomes: readonly FeedbackOutcome[]
}

const OF_ACTION = {
  failed: 'bounced',
  delayed: 'delayed',
  delivered: 'delivered',
  // another server, or several, have it: whether it arrives is unknown
  relayed: 'delayed',
  expanded: 'delayed',
} as const

/** Turns a parsed message into reports on one mail of ours, one for each recipient. Pure. */
export function reportsOf(parsed: ParsedReport, mail: ReportedMail, raw: Uint8Array, now: Date): FeedbackReport[] {
  const id = parsed.id ?? createHash('sha256').update(raw).digest('base64url')
  return parsed.recipients.map((recipient): FeedbackReport => {
    const { address, status, diagnostic, why } = recipient
    const kind = parsed.kind === 'complaint' ? 'complained' : OF_ACTION[recipient.action]
    const about = {
      class: recipient.class,
      ...(status ? { status } : {}),
      ...(diagnostic ? { diagnostic } : {}),
      ...(why ? { why } : {}),
    }
    return {
      kind,
      mail,
      at: parsed.date ?? now,
      key: `${id} ${address ?? ''}`,
      ...(address === undefined ? {} : { recipient: address }),
      ...(kind === 'bounced' ? { bounce: about } : {}),
    }
  })
}
