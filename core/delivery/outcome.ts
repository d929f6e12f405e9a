import { classOf, judgeRefusal } from '../bounces/judge.ts'
import { causeOf, type RefusalCause, sentence } from '../bounces/refusal.ts'
import { subscriptionEvent } from '../contacts/subscription-event.ts'
import { countedTry } from '../feedback/counted.ts'
import type { Accepted, Answer, Refusal } from '../ports/mail-transport.ts'
import type { ClaimedEmail, DeliveryResult } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import { EVENTS, ledgerEventId } from '../values/event-names.ts'
import { type NewId, stamp } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'

/** One finished try: the mail, its recipients, the transport and the answer. */
export interface Try {
  readonly email: ClaimedEmail
  /** The envelope's recipients: all of them, or those that earlier tries left. */
  readonly recipients: readonly string[]
  readonly transport: string
  /** Whether the transport reaches no recipient, such as a folder. */
  readonly toFolder?: boolean
  /** Whether the simulator answered: that is no figure of a domain. */
  readonly isSimulated?: boolean
  readonly answer: Answer
  /** The author's address. */
  readonly from: string
  /** The fields of every e-mail event (specification, "Email event data"). */
  readonly eventData: JsonObject
  readonly at: Date
  /** We aborted it because we stop: such a try is never the last. */
  readonly isInterrupted?: boolean
}

/** The pause after an interrupted try that had none left, in seconds. */
const INTERRUPTED_PAUSE = 60

/** A mail that ends without a further try. */
export type Ending = Pick<Try, 'email' | 'at'> & {
  /** Absent when the mail cannot be rendered; then there is no event. */
  readonly eventData: JsonObject | undefined
  /** Why it was not delivered in time. */
  readonly reason: string
}

/** The result of a mail that expired while it waited: FAILED with a soft bounce, as when its tries are used up. */
export function expiredResult({ email, at, eventData, reason }: Ending, newId: NewId): DeliveryResult {
  const base = { emailId: email.id, projectId: email.projectId, token: email.lease.token, at, events: [] }
  // its recipient has it; only copies were left
  if (email.accepted.includes(email.to)) return { ...base, status: 'DELIVERED', error: reason }
  const error = `expired: ${reason.replace(/^expired: /, '')}`
  if (!eventData) return { ...base, status: 'FAILED', error }
  return {
    ...base,
    status: 'FAILED',
    error,
    events: softBounce({ email, at, eventData }, { diagnostic: error }, newId),
  }
}

/** Computes what a try changes in the ledger: the row, its events, the suppression list and the contact. Pure. */
export function deliveryResult(tried: Try, retryDelays: readonly number[], newId: NewId): DeliveryResult {
  const result = resultOf(tried, retryDelays, newId)
  const { email, recipients } = tried
  // a recipient who had it before was counted then
  if (!recipients.includes(email.to) || email.accepted.includes(email.to)) return result
  // a folder says nothing about the domain of the recipient, nor does the simulator
  if (tried.toFolder || tried.isSimulated) return result
  const refusal = refusalsOf(tried).find(({ recipient }) => recipient === email.to)
  const counted = countedTry({ ...tried, refusal })
  return counted ? { ...result, counted } : result
}

/** Which recipients were refused, and why. */
function refusalsOf({ answer, recipients }: Try): readonly (Refusal & { readonly recipient: string })[] {
  if (answer.outcome === 'unknown') return []
  const given = answer.refused ?? []
  if (answer.outcome === 'accepted') return given
  return recipients.map((recipient) => given.find((one) => one.recipient === recipient) ?? { ...answer, recipient })
}

function resultOf(tried: Try, retryDelays: readonly number[], newId: NewId): DeliveryResult {
  const { email, answer, recipients, transport, at } = tried
  const base = { emailId: email.id, projectId: email.projectId, token: email.lease.token, at, transport, events: [] }
  const pause = retryDelays[email.attempts - 1] ?? (tried.isInterrupted ? INTERRUPTED_PAUSE : undefined)
  const isLast = pause === undefined || (answer.outcome === 'unknown' && answer.unreadable === true)
  const dueAt = isLast ? undefined : new Date(at.getTime() + pause * 1000)
  const hadIt = email.accepted.includes(email.to)
  if (answer.outcome === 'unknown') {
    return hadIt && !dueAt
      ? { ...base, status: 'DELIVERED' }
      : later(base, tried, { diagnostic: answer.reason }, dueAt, newId)
  }

  const refusals = refusalsOf(tried)
  const own = refusals.find(({ recipient }) => recipient === email.to)
  const cause = own && causeOf(own)
  if (own && cause && cause !== 'later') return giveUp(base, tried, cause, own, newId)

  const done = hadIt || own ? undefined : delivered(base, tried, answer.outcome === 'accepted' ? answer : {}, newId)
  const put = refusals.find((refusal) => causeOf(refusal) === 'later')
  if (put && (dueAt || own)) {
    // Recipients that have it are not sent it again.
    const refused = new Set(refusals.map(({ recipient }) => recipient))
    const accepted = [...email.accepted, ...recipients.filter((address) => !refused.has(address))]
    // only a copy's refusal needs a name
    const words = own ? bounceWords(own) : { ...bounceWords(put), diagnostic: `${put.recipient}: ${sentence(put)}` }
    const again = later(base, tried, words, dueAt, newId)
    const softBounced = !again.dueAt && own !== undefined && classOf(own) === 'transient' && isOfRecipient(own)
    return {
      ...again,
      ...(softBounced ? { softBounced } : {}),
      accepted,
      // its row does not say that it was sent: its copies are still to be
      events: [...(done?.events ?? []), ...(done?.ledgerEvents ?? []), ...again.events],
    }
  }
  return done ?? { ...base, status: 'DELIVERED' }
}

type Base = Pick<DeliveryResult, 'emailId' | 'projectId' | 'token' | 'at' | 'transport' | 'events'>

function delivered(base: Base, tried: Try, answer: Partial<Accepted>, newId: NewId): DeliveryResult {
  const at = tried.at.toISOString()
  const { id, messageId, deliveryPending } = answer
  const data = messageId === undefined ? tried.eventData : { ...tried.eventData, messageId }
  const sent = { name: EVENTS.sent, data: { ...data, sentAt: at } } as const
  const { toFolder } = tried
  const delivery = { name: EVENTS.delivery, data: { ...data, deliveredAt: at, ...(toFolder && { toFolder }) } } as const
  const events = deliveryPending ? [sent] : [sent, delivery]
  const { email } = tried
  // of a mail that is sent once more, its row stands for the first time
  const isOfLedger = messageId === undefined && email.sentAt === undefined
  const records = events.flatMap(({ name, data }) =>
    emailEvent(isOfLedger ? () => ledgerEventId(name, email.id, tried.at) : newId, tried, name, data),
  )
  return {
    ...base,
    status: deliveryPending ? 'SENT' : 'DELIVERED',
    ...(toFolder && { toFolder }),
    ...(id === undefined ? {} : { providerId: id }),
    // a Message-ID that the provider made is not in the row either
    ...(isOfLedger ? { ledgerEvents: records } : { events: records }),
  }
}

function giveUp(base: Base, tried: Try, cause: RefusalCause, refusal: Refusal, newId: NewId): DeliveryResult {
  const error = sentence(refusal)
  const words = bounceWords(refusal)
  if (cause !== 'recipient') {
    const softBounced = cause === 'unclear' && isOfRecipient(refusal)
    const ended = { ...base, status: 'FAILED', error, events: softBounce(tried, words, newId) } as const
    return softBounced ? { ...ended, softBounced } : ended
  }
  const { email, at, eventData } = tried
  const bounce = emailEvent(newId, tried, EVENTS.bounce, {
    ...eventData,
    bounceType: 'Permanent',
    bouncedAt: at.toISOString(),
    transientBounce: false,
    ...words,
  })
  const { contactId, projectId } = email
  const contact = contactId === undefined ? undefined : { id: contactId, projectId, subscribed: false }
  return {
    ...base,
    status: 'BOUNCED',
    error,
    events: bounce,
    ...(email.campaignId === undefined ? {} : { campaignId: email.campaignId }),
    suppress: { id: newId(), projectId, email: email.to, reason: 'BOUNCE', detail: error, createdAt: at },
    ...(contact ? { unsubscribe: subscriptionEvent(newId, contact, 'bounce') } : {}),
  }
}

/** A refusal before the recipient was named says nothing about the recipient. */
function isOfRecipient({ stage }: Refusal): boolean {
  return stage === 'rcpt' || stage === 'data'
}

/** To be tried again when due, or FAILED with a soft bounce when the tries are used up. */
function later(base: Base, tried: Try, words: BounceWords, dueAt: Date | undefined, newId: NewId): DeliveryResult {
  const error = words.diagnostic
  if (dueAt) return { ...base, status: 'QUEUED', error, dueAt }
  return { ...base, status: 'FAILED', error, events: softBounce(tried, words, newId) }
}

/** Fields of the event beside those of the specification, the same as for a bounce that is reported later. */
interface BounceWords extends JsonObject {
  readonly diagnostic: string
}

function bounceWords(refusal: Refusal): BounceWords {
  const { enhancedCode } = refusal
  const status = enhancedCode === undefined ? {} : { bounceStatus: enhancedCode }
  const { class: bounceClass, why } = judgeRefusal(refusal)
  return { bounceClass, ...status, diagnostic: sentence(refusal), why: { ...why } }
}

function softBounce(tried: Pick<Try, 'email' | 'at' | 'eventData'>, words: BounceWords, newId: NewId): EventRecord[] {
  const data = { ...tried.eventData, bounceType: 'Transient', transientBounce: true, ...words }
  return emailEvent(newId, tried, EVENTS.bounce, data)
}

/** No event without a contact: the contact was removed, and its history with it. */
function emailEvent(newId: NewId, { email }: Pick<Try, 'email'>, name: string, data: JsonObject): EventRecord[] {
  const { contactId, projectId, id: emailId } = email
  return contactId === undefined ? [] : [{ ...stamp(newId), projectId, name, contactId, emailId, data }]
}
