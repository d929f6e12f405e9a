import type { FeedbackReport, RefusalClass } from './feedback-report.ts'
import { LimitedLog } from './limited-log.ts'
import type { Log } from './log.ts'
import type { Lane } from './queue.ts'

/** How a mail's turn ended: `deferred` mail is tried again, `skipped` mail is never sent. */
export type MailOutcome = 'sent' | 'deferred' | 'bounced' | 'failed' | 'skipped'

/**
 * Why a mail was not sent: the class of the refusal, or `no-answer` (the outcome of the try is unknown), `expired` (it
 * waited beyond its lifetime), `not-made` (its content could not be made).
 */
export type FailureClass = RefusalClass | 'no-answer' | 'expired' | 'not-made'

/** One turn of one mail, whose result is stored. */
export interface MailTurn {
  readonly lane: Lane
  readonly outcome: MailOutcome
  /** Present unless it was sent or skipped. */
  readonly failure?: FailureClass
  /** The transport that answered; absent when it was handed to none. */
  readonly transport?: string
  /** The time from when it was due until its result was stored, in milliseconds. */
  readonly waitedMs: number
}

/** The writes whose commits are timed: accepted mail, events, and results of sent mail. */
export type TimedWrite = 'accept' | 'track' | 'results'

/**
 * Receives what the engine counts while it works, for a monitoring system. Its methods are called on the hot paths of
 * the main thread, after the commit, so each must return at once.
 */
export interface Metrics {
  /** Mails were stored to be sent. */
  accepted(lane: Lane, mails: number): void
  ended(turn: MailTurn): void
  /** A report about a sent mail changed something: a bounce that came later, a complaint. */
  reported(kind: FeedbackReport['kind'], about?: RefusalClass): void
  /** A webhook was tried once. */
  webhook(outcome: 'succeeded' | 'deferred' | 'failed', tookMs: number): void
  /** A write was committed, with its wait for other writes. */
  committed(write: TimedWrite, tookMs: number): void
}

/** Counts nothing. */
export const noMetrics: Metrics = {
  accepted() {},
  ended() {},
  reported() {},
  webhook() {},
  committed() {},
}

/** How many failures of each method are logged a minute. */
const MAX_LOGGED = 1

/**
 * Wraps metrics: what they throw is logged and never reaches the caller, which might otherwise repeat a write or a mail.
 */
export function harmless(metrics: Metrics, log: Log): Metrics {
  const limited = new LimitedLog(log, MAX_LOGGED)
  const attempt = (method: keyof Metrics, count: () => void) => {
    try {
      count()
    } catch (error) {
      limited.warn(method, 'something could not be counted', { method, error })
    }
  }
  return {
    accepted: (lane, mails) => attempt('accepted', () => metrics.accepted(lane, mails)),
    ended: (turn) => attempt('ended', () => metrics.ended(turn)),
    reported: (kind, about) => attempt('reported', () => metrics.reported(kind, about)),
    webhook: (outcome, tookMs) => attempt('webhook', () => metrics.webhook(outcome, tookMs)),
    committed: (write, tookMs) => attempt('committed', () => metrics.committed(write, tookMs)),
  }
}
