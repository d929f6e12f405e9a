import { SoftBounces } from '../bounces/soft-bounces.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { isTest } from '../mail/email.ts'
import { emailEventData } from '../mail/email-event.ts'
import type { ReadyMail } from '../mail/ready-mail.ts'
import type { Answer, OutgoingMail } from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import type { ClaimedEmail, DeliveryResult, SkipReason } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { Reputation } from '../reputation/reputation.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import type { JsonObject } from '../values/json.ts'
import { Leases } from '../work/leases.ts'
import { CampaignWatch } from './campaign-watch.ts'
import { earlier, Lifetime } from './lifetime.ts'
import { deliveryResult, expiredResult } from './outcome.ts'
import { Recorder } from './recorder.ts'
import { textOf } from './send-answer.ts'
import { type Later, Permit, Throttle } from './throttle.ts'
import { TransportRouter } from './transport-router.ts'

/** How many seconds a try may overrun its time limit: to be aborted, to end, and to be recorded. */
const OVERRUN = 7
/** Tries beyond the retries that may end without any result (a crash, a kill) before a mail is given up. */
const SPARE_TRIES = 5
/** When a mail is tried again whose signing key is unavailable. */
const UNAVAILABLE_MS = 60_000
/** When marketing mail of a stopped domain is checked again. */
const STOPPED_MS = 600_000

/** Signals of a delivery job: after `stopping` no further mail is begun, after `signal` running tries are aborted. */
export interface Ends {
  readonly signal: AbortSignal
  readonly stopping: AbortSignal
}

/** Mails of one claim. */
export interface ClaimedMails {
  readonly mails: readonly ClaimedEmail[]
  readonly lane: Lane
  /** When their lease ends, by the monotonic clock. */
  readonly leaseEnd: number
}

/** A mail on its way, until when it may be sent at all, and when its lease ends by the monotonic clock. */
interface Underway {
  readonly email: ClaimedEmail
  readonly end: Date
  readonly leaseEnd: number
}

/**
 * Delivers claimed mail: renders and composes each, hands it over, and writes the result. Every claimed row ends in
 * exactly one of a stored result or a release. Only then is a transport's slot free again, so that a crash can repeat
 * at most one mail per slot.
 */
@injectable()
export class Deliver {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(TransportRouter) private readonly router: TransportRouter,
    @inject(Throttle) private readonly throttle: Throttle,
    @inject(Lifetime) private readonly lifetime: Lifetime,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(CampaignWatch) private readonly campaigns: CampaignWatch,
    @inject(Recorder) private readonly recorder: Recorder,
    @inject(Leases) private readonly leases: Leases,
    @inject(SoftBounces) private readonly softBounces: SoftBounces,
    @inject(Reputation) private readonly reputation: Reputation,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {
    leases.onLapse(() => router.giveUp('this worker was cut off from its database'))
  }

  /**
   * Sends claimed rows. Answers when each has its result stored or was given back; never rejects. Once the engine stops
   * those without a slot are given back; when the signal is aborted, running tries are.
   */
  async send(claimed: ClaimedMails, ends: Ends): Promise<void> {
    const unfollow = this.router.follow(ends.signal)
    const compiled = await this.compiled.load(claimed.mails.map(({ contentId }) => contentId)).catch(() => NONE)
    await Promise.all(
      claimed.mails.map((email) => this.#deliverOne(email, compiled.get(email.contentId), claimed, ends)),
    )
    unfollow()
  }

  /** Never rejects: on an error outside the transport the row is given back. */
  async #deliverOne(
    email: ClaimedEmail,
    mail: ReadyMail | undefined,
    { lane, leaseEnd }: ClaimedMails,
    ends: Ends,
  ): Promise<void> {
    const { signal } = ends
    let permit: Permit | undefined
    try {
      const now = this.kit.now()
      const ending = this.lifetime.end(email, now)
      const end = ending instanceof Date ? ending : await ending
      if (end <= now) return await this.#expire(email, mail, signal)
      const asked = this.throttle.permit(email, lane, this.router.trouble)
      const answer = asked && (await asked)
      if (answer && !(answer instanceof Permit)) return await this.#putOff(email, answer, end, lane, signal)
      permit = answer
      await this.#sendThroughSlot({ email, end, leaseEnd }, mail, lane, ends, permit)
    } catch (error) {
      this.kit.log.error('a mail could not be worked on', { email: email.id, error })
      await this.recorder.release(email.id, email.lease.token, signal)
    } finally {
      permit?.end()
    }
  }

  /** A mail that would wait beyond its lifetime is due again when it ends. */
  #putOff(email: ClaimedEmail, later: Later, end: Date, lane: Lane, signal: AbortSignal): Promise<void> {
    return this.recorder.putOff(email, { ...later, until: earlier(later.until, end) }, lane, signal)
  }

  async #sendThroughSlot(
    underway: Underway,
    mail: ReadyMail | undefined,
    lane: Lane,
    { signal, stopping }: Ends,
    permit: Permit | undefined,
  ): Promise<void> {
    const { email, end } = underway
    let compiled = mail
    let since: number | undefined
    await this.router.send(lane, {
      prepare: async () => {
        if (stopping.aborted) return void (await this.recorder.release(email.id, email.lease.token, signal))
        // Its domain may have been paused while it queued for its slot.
        const later =
          since === undefined && !signal.aborted ? this.throttle.paused(email, lane, this.router.trouble) : undefined
        if (later) return void (await this.#putOff(email, later, end, lane, signal))
        compiled ??= await this.compiled.find(email.contentId)
        if (end <= this.kit.now()) return void (await this.#expire(email, compiled, signal))
        const outgoing = await this.#prepare(underway, compiled, signal)
        if (outgoing) permit?.started()
        since ??= performance.now()
        return outgoing
      },
      conclude: (outgoing, transport, answer) => {
        if (!signal.aborted) this.throttle.note(email, answer, since ?? performance.now())
        return this.#conclude(underway, outgoing, transport, answer, signal)
      },
    })
  }

  /** The mail to hand over; undefined when its row was concluded without sending. */
  async #prepare(
    { email, leaseEnd }: Underway,
    mail: ReadyMail | undefined,
    signal: AbortSignal,
  ): Promise<OutgoingMail | undefined> {
    const now = this.kit.now()
    const { sendTimeout, retryDelays } = this.values.delivery
    // Only when the lease outlasts the longest try and this worker is known to be alive: so nobody else can be sending it.
    const left = (leaseEnd - performance.now()) / 1000
    if (signal.aborted || left < sendTimeout + OVERRUN || !this.leases.hold(email.lease.token)) {
      await this.recorder.release(email.id, email.lease.token, signal)
      return undefined
    }
    if (email.campaignId !== undefined && !(await this.campaigns.isSending(email.projectId, email.campaignId))) {
      await this.recorder.release(email.id, email.lease.token, signal)
      return undefined
    }
    const skip = skipReason(email, mail)
    if (skip) return this.#end(email, { status: 'SKIPPED', skipReason: skip }, signal)
    if (!mail) return this.#end(email, await this.#without(email), signal)
    if (email.attempts > retryDelays.length + 1 + SPARE_TRIES) {
      return this.#end(email, { status: 'FAILED', error: 'Too many tries ended without a result.' }, signal)
    }
    const stopped = await this.#stopped(email, mail)
    if (stopped !== undefined) {
      const until = new Date(now.getTime() + STOPPED_MS)
      return void (await this.recorder.putOff(email, { until, reason: stopped }, email.lane, signal))
    }
    const copies = mail.copies
    const unwanted = await this.store.suppressions.among(email.projectId, copies, now)
    try {
      const outgoing = await mail.outgoing(email, now, unwanted)
      // Composed here, so that a mail that cannot be made is not mistaken for a failed transport.
      await outgoing.raw()
      return outgoing
    } catch (error) {
      // the signing key is unavailable just now: without its signature the mail does not go out
      if (EngineError.is(error) && error.kind === 'unavailable') {
        const until = new Date(now.getTime() + UNAVAILABLE_MS)
        return void (await this.recorder.putOff(email, { until, reason: error.message }, email.lane, signal))
      }
      const reason = `The mail could not be made: ${textOf(error)}`
      return this.#end(email, { status: 'FAILED', error: reason }, signal)
    }
  }

  /** Why marketing mail must wait. Campaigns are paused as a whole; tests and partly delivered mails still go out. */
  #stopped(email: ClaimedEmail, { content }: ReadyMail): Promise<string | undefined> | undefined {
    if (!content.marketing || email.campaignId !== undefined || isTest(email) || email.accepted.length > 0)
      return undefined
    return this.reputation.stopped(email.projectId, content.from.email)
  }

  /** Ends a mail that has waited beyond its lifetime. */
  async #expire(email: ClaimedEmail, mail: ReadyMail | undefined, signal: AbortSignal): Promise<void> {
    const skip = skipReason(email, mail)
    if (skip) return this.#end(email, { status: 'SKIPPED', skipReason: skip }, signal)
    const reason = email.error ?? 'it waited for its turn'
    const ending = { email, at: this.kit.now(), reason, eventData: await this.#eventData(email, mail) }
    await this.recorder.record(expiredResult(ending, this.kit.newId), email.lane, signal)
  }

  async #eventData(email: ClaimedEmail, mail: ReadyMail | undefined): Promise<JsonObject | undefined> {
    try {
      const compiled = mail ?? (await this.compiled.find(email.contentId))
      return compiled && emailEventData(email, compiled.facts(email, this.kit.now()))
    } catch {
      return undefined
    }
  }

  /** The result for a mail without content: its contact was removed while it was in work. */
  async #without({ projectId, id }: ClaimedEmail): Promise<Pick<DeliveryResult, 'status' | 'error' | 'skipReason'>> {
    const row = await this.store.emails.find(projectId, id)
    if (row?.redactedAt) return { status: 'SKIPPED', skipReason: 'contact-removed' }
    return { status: 'FAILED', error: 'The content of this mail is gone.' }
  }

  async #conclude(
    { email, end }: Underway,
    outgoing: OutgoingMail,
    transport: string,
    answer: Answer,
    signal: AbortSignal,
  ): Promise<void> {
    // Aborted because we stop, and known not to be delivered: this does not count as a try.
    if (signal.aborted && answer.outcome === 'refused' && !answer.permanent) {
      return this.recorder.release(email.id, email.lease.token, signal)
    }
    const tried = {
      email,
      transport,
      answer,
      at: this.kit.now(),
      recipients: outgoing.envelope.to,
      from: outgoing.from.email,
      eventData: emailEventData(email, outgoing),
      isInterrupted: signal.aborted,
    }
    const result = deliveryResult(tried, this.values.delivery.retryDelays, this.kit.newId)
    const timely = result.dueAt ? { ...result, dueAt: earlier(result.dueAt, end) } : result
    await this.recorder.record(timely, email.lane, signal)
    if (result.softBounced) await this.#lookAtSoftBounces(email, result.error)
  }

  /** Never rejects: the bounce is stored, and the next one checks again. */
  async #lookAtSoftBounces(email: ClaimedEmail, reason: string | undefined): Promise<void> {
    try {
      await this.softBounces.check([{ ...email, reason }])
    } catch (error) {
      this.kit.log.warn('could not look at the soft bounces of an address', { email: email.id, error })
    }
  }

  async #end(
    email: ClaimedEmail,
    result: Pick<DeliveryResult, 'status' | 'error' | 'skipReason'>,
    signal: AbortSignal,
  ): Promise<undefined> {
    const { id: emailId, projectId, lane, lease } = email
    const whole = { emailId, projectId, token: lease.token, at: this.kit.now(), events: [], ...result }
    await this.recorder.record(whole, lane, signal)
  }
}

const NONE: ReadonlyMap<string, ReadyMail> = new Map()

/**
 * Why the mail is skipped, such as removed variables. Once its recipient has it, only copies are left, and it goes on.
 */
function skipReason(email: ClaimedEmail, mail: ReadyMail | undefined): SkipReason | undefined {
  if (email.redactedAt !== undefined) return 'contact-removed'
  if (email.accepted.includes(email.to)) return undefined
  if (email.suppressed) return `suppressed:${email.suppressed}`
  if (isTest(email)) return undefined
  if (email.contactId === undefined || email.subscribed === undefined) return 'contact-removed'
  if (mail?.content.marketing && !email.subscribed) return 'unsubscribed'
  return undefined
}
