import type { EventRecord } from '../events/event.ts'
import { subscriptionEvent } from '../events/subscription-event.ts'
import type { Accepted, Refusal, SendResult } from '../ports/mail-transport.ts'
import type { NewId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import type { ClaimedEmail, DeliveryResult } from './email.ts'
import { causeOf, type RefusalCause } from './refusal.ts'

/** One finished try: which mail, to whom, over which transport, with what result. */
export interface Try {
  readonly email: ClaimedEmail
  /** The envelope's recipients: all of them, or those an earlier try left. */
  readonly recipients: readonly string[]
  readonly transport: string
  /** `unknown`: the transport threw, so nobody knows whether the mail was taken. */
  readonly result: SendResult | { readonly outcome: 'unknown'; readonly reason: string }
  /** The fields every e-mail event carries (specification, "Email event data"). */
  readonly eventData: JsonObject
  readonly at: Date
}

/** What a try means for the ledger: the row, its events, the suppression list and the contact. Pure. */
export function deliveryResult(tried: Try, retryDelays: readonly number[], newId: NewId): DeliveryResult {
  const { email, result, recipients, transport, at } = tried
  const base = { emailId: email.id, projectId: email.projectId, token: email.lease.token, at, transport, events: [] }
  const pause = retryDelays[email.attempts - 1]
  const dueAt = pause === undefined ? undefined : new Date(at.getTime() + pause * 1000)
  if (result.outcome === 'unknown') return later(base, tried, result.reason, dueAt, newId)

  const given = result.refused ?? []
  const refusals =
    result.outcome === 'accepted'
      ? given
      : recipients.map((recipient) => given.find((one) => one.recipient === recipient) ?? { ...result, recipient })
  const own = refusals.find(({ recipient }) => recipient === email.to)
  const cause = own && causeOf(own)
  if (own && cause && cause !== 'later') return giveUp(base, tried, cause, own, newId)

  const put = refusals.find((refusal) => causeOf(refusal) === 'later')
  if (put && (dueAt || own)) {
    // Whoever has it already is not sent it again.
    const refused = new Set(refusals.map(({ recipient }) => recipient))
    const accepted = [...email.accepted, ...recipients.filter((address) => !refused.has(address))]
    return { ...later(base, tried, `${put.recipient}: ${sentence(put)}`, dueAt, newId), accepted }
  }
  return delivered(base, tried, result.outcome === 'accepted' ? result : {}, newId)
}

type Base = Pick<DeliveryResult, 'emailId' | 'projectId' | 'token' | 'at' | 'transport' | 'events'>

function delivered(base: Base, tried: Try, answer: Partial<Accepted>, newId: NewId): DeliveryResult {
  const at = tried.at.toISOString()
  const data = answer.messageId === undefined ? tried.eventData : { ...tried.eventData, messageId: answer.messageId }
  const sent = emailEvent(newId, tried, 'email.sent', { ...data, sentAt: at })
  const delivery = emailEvent(newId, tried, 'email.delivery', { ...data, deliveredAt: at })
  return {
    ...base,
    status: answer.deliveryPending ? 'SENT' : 'DELIVERED',
    ...(answer.id === undefined ? {} : { providerId: answer.id }),
    events: answer.deliveryPending ? sent : [...sent, ...delivery],
  }
}

function giveUp(base: Base, tried: Try, cause: RefusalCause, refusal: Refusal, newId: NewId): DeliveryResult {
  const error = sentence(refusal)
  if (cause === 'sender') return { ...base, status: 'FAILED', error }
  const { email, at, eventData } = tried
  const bounce = emailEvent(newId, tried, 'email.bounce', {
    ...eventData,
    bounceType: 'Permanent',
    bouncedAt: at.toISOString(),
    transientBounce: false,
  })
  const { contactId, projectId } = email
  const contact = contactId === undefined ? undefined : { id: contactId, projectId, subscribed: false }
  return {
    ...base,
    status: 'BOUNCED',
    error,
    events: bounce,
    suppress: {
      id: newId(),
      projectId,
      email: email.to,
      reason: 'BOUNCE',
      detail: error.slice(0, 1000),
      createdAt: at,
    },
    ...(contact ? { unsubscribe: subscriptionEvent(newId, contact, 'bounce', at) } : {}),
  }
}

/** To be tried again when due, or FAILED with a soft bounce when the tries are used up. */
function later(base: Base, tried: Try, error: string, dueAt: Date | undefined, newId: NewId): DeliveryResult {
  if (dueAt) return { ...base, status: 'QUEUED', error, dueAt }
  const data = { ...tried.eventData, bounceType: 'Transient', transientBounce: true }
  return { ...base, status: 'FAILED', error, events: emailEvent(newId, tried, 'email.bounce', data) }
}

/** No event without a contact: it was removed, and its history with it. */
function emailEvent(newId: NewId, { email, at }: Try, name: string, data: JsonObject): EventRecord[] {
  const { contactId, projectId, id: emailId } = email
  return contactId === undefined ? [] : [{ id: newId(), projectId, name, contactId, emailId, data, createdAt: at }]
}

function sentence({ code, enhancedCode, reason }: Refusal): string {
  const status = [code, enhancedCode].filter((part) => part !== undefined).join(' ')
  return status === '' || reason.startsWith(status) ? reason : `${status} ${reason}`
}
