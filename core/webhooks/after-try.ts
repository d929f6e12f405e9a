import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookAnswer } from '../ports/webhook-sender.ts'

/** The longest pause a receiver may ask for, in milliseconds. */
const MAX_PAUSE_MS = 24 * 3600 * 1000

/** The retry schedule. */
export interface Retries {
  /** Pauses before the second, third … try, in seconds. */
  readonly delays: readonly number[]
  /** From 0 up to 1: makes a pause up to a fifth shorter or longer, so that not all come back at once. */
  readonly random: number
}

/**
 * The delivery after its try (already counted in `attempts`): SUCCEEDED by a 2xx, PENDING until its next try, or FAILED
 * for good. It is retried without a response and after 408, 429 or 5xx; a `Retry-After` may make the pause longer, up
 * to a day.
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
  const delay = isTemporary(answer) ? delays[delivery.attempts - 1] : undefined
  if (delay === undefined) return { ...failed, status: 'FAILED', completedAt: now }
  const pause = Math.max(delay * 1000 * (0.8 + 0.4 * random), askedPause(answer, now))
  return { ...failed, status: 'PENDING', dueAt: new Date(now.getTime() + Math.round(pause)) }
}

function responseOf(answer: WebhookAnswer): Pick<WebhookDelivery, 'responseStatus' | 'responseBody'> {
  return answer.outcome === 'answered' ? { responseStatus: answer.status, responseBody: answer.body } : {}
}

function problemOf(answer: WebhookAnswer): string {
  if (answer.outcome === 'answered') return `The receiver answered ${answer.status}.`
  return answer.outcome === 'forbidden' ? `The request is not allowed: ${answer.reason}` : answer.reason
}

function isTemporary(answer: WebhookAnswer): boolean {
  if (answer.outcome !== 'answered') return answer.outcome === 'failed'
  return answer.status === 408 || answer.status === 429 || answer.status >= 500
}

/** The pause that `Retry-After` (RFC 9110, section 10.2.3) asks for, in seconds or as a date; in milliseconds. */
function askedPause(answer: WebhookAnswer, now: Date): number {
  const asked = answer.outcome === 'answered' ? (answer.headers['retry-after'] ?? '').trim() : ''
  const pause = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now.getTime()
  return Number.isNaN(pause) ? 0 : Math.min(Math.max(pause, 0), MAX_PAUSE_MS)
}
