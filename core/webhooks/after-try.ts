import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookAnswer } from '../ports/webhook-sender.ts'
import { EVENTS } from '../values/event-names.ts'

/** The longest pause a receiver may ask for, in milliseconds. */
const MAX_PAUSE_MS = 24 * 3600 * 1000

/** How much of an address a reason names, in characters. */
const MAX_PLACE = 300

/** The retry schedule. */
export interface Retries {
  /** Pauses before the second, third … try, in seconds. */
  readonly delays: readonly number[]
  /** From 0 up to 1: makes a pause up to a fifth shorter or longer, so that not all come back at once. */
  readonly random: number
}

/**
 * The delivery after its try (already counted in `attempts`): SUCCEEDED by a 2xx, PENDING until its next try, or FAILED
 * for good. It is retried without a response, after a redirect that was not followed, and after 408, 429 or 5xx; a
 * `Retry-After` may make the pause longer, up to a day. A test is tried once, since a person waits for its result.
 */
export function afterTry(
  delivery: WebhookDelivery,
  answer: WebhookAnswer,
  { delays, random }: Retries,
  now: Date,
): WebhookDelivery {
  const { responseStatus: _status, responseBody: _body, error: _error, completedAt: _at, ...asked } = delivery
  const tried = { ...asked, ...responseOf(answer), updatedAt: now }
  if (answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300) {
    return { ...tried, status: 'SUCCEEDED', completedAt: now }
  }
  const failed = { ...tried, error: problemOf(answer) }
  const isAgain = isTemporary(answer) && delivery.eventName !== EVENTS.webhookTest
  const delay = isAgain ? delays[delivery.attempts - 1] : undefined
  if (delay === undefined) return { ...failed, status: 'FAILED', completedAt: now }
  const pause = Math.max(delay * 1000 * (0.8 + 0.4 * random), askedPause(answer, now))
  return { ...failed, status: 'PENDING', dueAt: new Date(now.getTime() + Math.round(pause)) }
}

function responseOf(answer: WebhookAnswer): Pick<WebhookDelivery, 'responseStatus' | 'responseBody'> {
  return answer.outcome === 'answered' ? { responseStatus: answer.status, responseBody: answer.body } : {}
}

function problemOf(answer: WebhookAnswer): string {
  if (answer.outcome === 'forbidden') return `The request is not allowed: ${answer.reason}`
  if (answer.outcome === 'failed') return answer.reason
  const { status, leadsTo } = answer
  if (leadsTo === undefined) return `The receiver answered ${status}.`
  return `The receiver answered ${status} and points to ${placeOf(leadsTo)}, where it would be asked for a page instead of given this request. Enter the address that takes the requests itself; if that is a login page, let requests through without a login.`
}

/** An address without what may be a secret in it, cut. */
function placeOf(address: string): string {
  const { protocol, host, pathname, search } = new URL(address)
  return `${`${protocol}//${host}${pathname}`.slice(0, MAX_PLACE)}${search === '' ? '' : '?…'}`
}

function isTemporary(answer: WebhookAnswer): boolean {
  if (answer.outcome !== 'answered') return answer.outcome === 'failed'
  // a page of maintenance or a login may stand there for an hour
  return answer.leadsTo !== undefined || answer.status === 408 || answer.status === 429 || answer.status >= 500
}

/** The pause that `Retry-After` (RFC 9110, section 10.2.3) asks for, in seconds or as a date; in milliseconds. */
function askedPause(answer: WebhookAnswer, now: Date): number {
  const asked = answer.outcome === 'answered' ? (answer.headers['retry-after'] ?? '').trim() : ''
  const pause = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now.getTime()
  return Number.isNaN(pause) ? 0 : Math.min(Math.max(pause, 0), MAX_PAUSE_MS)
}
