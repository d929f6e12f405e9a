import { causeOf, sentence } from '../bounces/refusal.ts'
import type { SoftBounces } from '../bounces/soft-bounces.ts'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { emailEventData, messageIdOf } from '../mail/email.ts'
import type { Lane } from '../ports/queue.ts'
import type { ClaimedEmail, DeliveryResult, MailTry } from '../ports/store/emails.ts'
import { earlier } from '../values/earlier.ts'
import type { JsonObject } from '../values/json.ts'
import { givenUp } from '../work/interrupted.ts'
import type { Ends } from '../work/work.ts'
import { type Catching, catches, caughtNotice } from './catching.ts'
import { failureOf, textOf, tryOf } from './checked-answer.ts'
import type { MailOrder } from './hand-over.ts'
import { type Goal, type LastChecks, skipReason, type Unsent } from './last-checks.ts'
import { deliveryResult, expiredResult } from './outcome.ts'
import type { Recorder } from './recorder.ts'
import { Route } from './route.ts'
import { type Later, Permit, type Throttle } from './throttle/throttle.ts'
import { WAITS_FOR_TRANSPORT } from './throttle/transport-quota.ts'
import type { TransportLine, Tried } from './transport-line.ts'
import type { Transports } from './transports.ts'

/** Three times alone: a process that is killed again and again, whatever the reason, has always mail in hand. */
const MOST_INTERRUPTED = 5

/** When a mail is tried again whose signing key is unavailable. */
const UNAVAILABLE_MS = 60_000

/** When a mail looks again whose quotas are used up while another of its transports is in trouble. */
const LOOK_AGAIN_MS = 60_000

/** Mails of one claim. */
export interface ClaimedMails {
  readonly mails: readonly ClaimedEmail[]
  readonly lane: Lane
  /** When their lease ends, by the monotonic clock. */
  readonly leaseEnd: number
}

/** A claimed mail on its way. */
interface Underway {
  readonly email: ClaimedEmail
  /** Absent when it is not loaded yet. */
  readonly mail: CompiledMail | undefined
  /** All mails that were claimed with it. */
  readonly claim: readonly ClaimedEmail[]
  readonly lane: Lane
  readonly leaseEnd: number
  /** When it expires. */
  readonly end: Date
  /** The way it goes: it never leaves it. */
  readonly route: Route
  /** The transports it was handed to in this try. */
  readonly tries: MailTry[]
  /** Whether a next hop was told of it; false while none could be reached. */
  isKnownOutside: boolean
  /** The transports whose quotas it does not fit, with the times until when. */
  readonly full: Map<TransportLine, Date>
  /** The last refusal after which another transport was to be tried. */
  refused?: () => Promise<void>
}

/**
 * Delivers claimed mail: makes each, hands it over, and writes the result. Every claimed row ends in exactly one of a
 * stored result or a release. Only then is a transport's slot free again, so that a crash can repeat at most one mail
 * per slot.
 */
export class Deliver {
  constructor(
    private readonly transports: Transports,
    private readonly throttle: Throttle,
    private readonly compiled: CompiledMails,
    private readonly checks: LastChecks,
    private readonly catching: Catching,
    private readonly recorder: Recorder,
    private readonly softBounces: SoftBounces,
    private readonly kit: Kit,
  ) {}

  /**
   * Sends claimed rows. Answers when each has its result stored or was given back; never rejects. Once the engine stops
   * those without a slot are given back; when the signal is aborted, running tries are.
   */
  async send({ mails, lane, leaseEnd }: ClaimedMails, ends: Ends): Promise<void> {
    const unfollow = this.transports.follow(ends.signal)
    const loaded = await this.compiled.load(mails.map(({ contentId }) => contentId)).catch(() => NONE)
    await Promise.all(
      mails.map((email) =>
        this.#deliverOne({ email, mail: loaded.get(email.contentId), claim: mails, lane, leaseEnd }, ends),
      ),
    )
    unfollow()
  }

  /** Never rejects: on an error outside the transport the row is given back. */
  async #deliverOne(
    given: Omit<Underway, 'end' | 'route' | 'tries' | 'isKnownOutside' | 'full'>,
    ends: Ends,
  ): Promise<void> {
    const { email, lane } = given
    let permit: Permit | undefined
    try {
      const now = this.kit.now()
      const end = await this.checks.end(email, now)
      // one of several that are too large to be loaded together is loaded in its slot
      const content = given.mail?.content ?? (await this.compiled.head(email.contentId))
      const found = this.transports.of(email, content)
      const route = found instanceof Route ? found : await found
      const mail: Underway = { ...given, end, route, tries: [], isKnownOutside: false, full: new Map() }
      const error = givenUp(email, MOST_INTERRUPTED)
      if (error !== undefined) return await this.#giveUp(email, error, ends.signal)
      if (end <= now) return await this.#expire(mail, ends.signal)
      const caught = catches(email, email.mode, route.isSimulator)
      if (caught === true || (caught && (await this.catching.isForOthers(email, mail.mail, mail.claim))))
        return await this.#catch(mail, ends)
      if (route.hasQuotas && route.open(lane, mail.full).length === 0 && mail.full.size > 0)
        return await this.#waitForQuota(mail, ends.signal)
      const asked = await this.throttle.permit(email, lane, route)
      if (asked && !(asked instanceof Permit)) return await this.#putOff(mail, asked, ends.signal)
      permit = asked
      let isFirst = true
      let hasQueued = permit !== undefined
      const lines = route.hasQuotas ? route.open(lane, mail.full) : route.lines()
      if (lines.length === 0 && mail.full.size > 0) return await this.#waitForQuota(mail, ends.signal)
      // its last server was removed while it waited for its turn: it is claimed anew, for another way
      if (lines.length === 0) return await this.#putOff(mail, { until: this.kit.now() }, ends.signal)
      for (const line of lines) {
        const isLast = line === lines.at(-1)
        if (mail.full.size > 0 && route.isKeptFrom(line, mail.full)) continue
        const queued = line.slots.take(lane)
        if (queued) await queued
        hasQueued ||= queued !== undefined
        try {
          // its next hop may have got into trouble while the mail queued for its slot
          if (line.isPaused && !isLast) continue
          if (await this.#inSlot(line, mail, { permit, hasQueued: isFirst && hasQueued, isLast }, ends)) return
          isFirst = false
        } finally {
          line.slots.free()
        }
      }
      // the last ones had no room in their quotas
      await (mail.refused?.() ?? this.#waitForQuota(mail, ends.signal))
    } catch (error) {
      this.kit.log.error('a mail could not be worked on', { email: email.id, error })
      await this.recorder.release(email.id, email.lease.token, ends.signal)
    } finally {
      permit?.end()
    }
  }

  /** Makes the mail and keeps it, as it would have been sent. No next hop hears of it, and it counts as no delivery. */
  async #catch(mail: Underway, ends: Ends): Promise<void> {
    const { email } = mail
    const order = await this.#order(mail, false, 'nowhere', ends)
    if (!order) return
    // an earlier try sent it, and only copies are left
    if (email.accepted.includes(email.to)) {
      return this.#end(email, { status: 'DELIVERED', error: 'its other recipients are caught' }, ends.signal)
    }
    try {
      await this.catching.make(order)
    } catch (error) {
      return this.#notMade(mail, error, ends.signal)
    }
    const result = this.#ending(email, { status: 'SKIPPED', skipReason: 'caught' })
    const notice = caughtNotice(email, await this.#eventData(email, mail.mail), result.at)
    await this.recorder.record(result, email, ends.signal, undefined, undefined, notice)
    this.catching.caught(email)
  }

  /** Sends the mail in a slot of this transport, and writes the result. False when the next transport is to be tried. */
  async #inSlot(
    line: TransportLine,
    mail: Underway,
    {
      permit,
      hasQueued,
      isLast,
    }: { readonly permit: Permit | undefined; readonly hasQueued: boolean; readonly isLast: boolean },
    { signal, stopping }: Ends,
  ): Promise<boolean> {
    // it may have been used up while the mail queued for its slot
    const full = line.quota?.fullUntil(mail.lane)
    if (full !== undefined) {
      mail.full.set(line, full)
      return false
    }
    const { owner, isSimulator } = mail.route
    const goal = owner === undefined && !isSimulator ? { transport: line.name } : 'apart'
    const order = await this.#order(mail, hasQueued, goal, { signal, stopping })
    if (!order) return true
    const receipt = await line.quota?.take(mail.lane, recipientsOf(order))
    if (receipt instanceof Date) {
      mail.full.set(line, receipt)
      return false
    }
    permit?.started()
    const since = performance.now()
    let tried: Tried
    const { email } = mail
    const ended = this.kit.traces.begin({
      id: email.id,
      lane: email.lane,
      transport: line.name,
      attempt: email.attempts,
    })
    try {
      tried = await line.send(order)
    } catch (error) {
      ended('not-made')
      if (receipt) line.quota?.giveBack(receipt)
      await this.#notMade(mail, error, signal)
      return true
    }
    const { answer } = tried
    mail.route.noted?.(line, answer)
    if (receipt && answer.outcome === 'refused') line.quota?.giveBack(receipt)
    ended(failureOf(answer, email.to))
    mail.tries.push(tryOf(line.name, order.date, answer))
    if (answer.outcome !== 'refused' || answer.stage !== 'connect') mail.isKnownOutside = true
    // After an unknown outcome another transport could double the mail; after a bounce it could only repeat the bounce.
    if (!isLast && answer.outcome === 'refused' && causeOf(answer) !== 'recipient') {
      mail.refused = () => this.#conclude(line, mail, order, tried, since, signal)
      return false
    }
    await this.#conclude(line, mail, order, tried, since, signal)
    return true
  }

  /** Writes the result of the last try. */
  async #conclude(
    line: TransportLine,
    mail: Underway,
    order: MailOrder,
    tried: Tried,
    since: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { email, route } = mail
    const { answer } = tried
    if (!signal.aborted) this.throttle.note(email, answer, since, route)
    // no server was told of the mail: it waits with the transport, and has lost no try
    if (answer.outcome === 'refused' && !answer.permanent && !mail.isKnownOutside) {
      return this.#putOff(mail, { until: this.kit.now(), reason: sentence(answer) }, signal)
    }
    await this.#record(line, mail, order, tried, signal)
    if (answer.outcome === 'accepted') void this.recorder.bringForward(this.throttle.sooner(email, route))
  }

  /** The order to send; undefined when the row was concluded without sending. */
  async #order(
    mail: Underway,
    hasQueued: boolean,
    goal: Goal,
    { signal, stopping }: Ends,
  ): Promise<MailOrder | undefined> {
    const { email, lane, leaseEnd, end, route } = mail
    if (stopping.aborted || signal.aborted) return this.#giveBack(mail, signal)
    // its domain may have been paused while it queued for its turn or its slot
    const later = hasQueued ? this.throttle.paused(email, lane, route) : undefined
    if (later) return void (await this.#putOff(mail, later, signal))
    if (end <= this.kit.now()) return void (await this.#expire(mail, signal))
    const verdict = await this.checks.verdict(email, mail.mail, leaseEnd, mail.claim, goal)
    if (verdict === 'give back') return this.#giveBack(mail, signal)
    if ('order' in verdict) return verdict.order
    if ('later' in verdict) await this.recorder.putOff(email, verdict.later, email.lane, signal)
    else await this.#end(email, verdict.end, signal)
    return undefined
  }

  async #record(
    { name, label, named: { transport } }: TransportLine,
    { email, end, tries, route }: Underway,
    order: MailOrder,
    tried: Tried,
    signal: AbortSignal,
  ) {
    const { answer, subject, recipients } = tried
    // Aborted because we stop, and known not to be delivered: this does not count as a try.
    if (signal.aborted && answer.outcome === 'refused' && !answer.permanent) {
      return this.recorder.release(email.id, email.lease.token, signal)
    }
    const { from, submitted } = order.mail.content
    const messageId = submitted?.messageId ?? messageIdOf(email.id, from.email)
    const result = deliveryResult(
      {
        email,
        transport: name,
        toFolder: transport.reach === 'nobody',
        isSimulated: route.isSimulator,
        answer,
        recipients,
        at: this.kit.now(),
        from: from.email,
        eventData: emailEventData(email, { from, subject, messageId }),
        isInterrupted: signal.aborted,
      },
      this.kit.settings.delivery.retryDelays,
      this.kit.newId,
    )
    const timely = { ...result, tries, ...(result.dueAt ? { dueAt: earlier(result.dueAt, end) } : {}) }
    await this.recorder.record(timely, email, signal, failureOf(answer, email.to), label)
    if (result.softBounced) await this.#lookAtSoftBounces(email, result.error)
  }

  /** Composing failed. If only the signing key is unavailable, the mail is postponed: it never goes out unsigned. */
  async #notMade({ email }: Underway, error: unknown, signal: AbortSignal): Promise<void> {
    if (EngineError.is(error) && error.kind === 'unavailable') {
      const until = new Date(this.kit.now().getTime() + UNAVAILABLE_MS)
      return this.recorder.putOff(email, { until, reason: error.message }, email.lane, signal)
    }
    await this.#end(email, { status: 'FAILED', error: `The mail could not be made: ${textOf(error)}` }, signal)
  }

  /** A mail that would wait beyond its lifetime is due again when it ends. */
  #putOff({ email, lane, end }: Underway, later: Later, signal: AbortSignal): Promise<void> {
    return this.recorder.putOff(email, { ...later, until: earlier(later.until, end) }, lane, signal)
  }

  /**
   * Puts a mail off until a quota has room, or until a transport in trouble may take it. The time that it waits for a quota
   * does not count towards its lifetime, but for transactional mail, which is of no use then.
   */
  #waitForQuota({ email, lane, route, full, end }: Underway, signal: AbortSignal): Promise<void> {
    const now = this.kit.now().getTime()
    const renewed = new Date(Math.min(...[...full.values()].map((until) => until.getTime())))
    const mayBeSooner = route.mayTakeBefore(full)
    const until = mayBeSooner ? earlier(renewed, new Date(now + LOOK_AGAIN_MS)) : renewed
    const later = { until, reason: WAITS_FOR_TRANSPORT }
    if (lane === 'transactional' || mayBeSooner)
      return this.recorder.putOff(email, { ...later, until: earlier(until, end) }, lane, signal)
    const expiresAt = new Date(Math.max(end.getTime(), until.getTime() + this.kit.settings.delivery.expireAfter * 1000))
    return this.recorder.putOff(email, { ...later, expiresAt }, lane, signal)
  }

  #giveUp(email: ClaimedEmail, error: string, signal: AbortSignal): Promise<void> {
    this.kit.log.error('a mail is given up', { email: email.id, reason: error })
    return this.#end(email, { status: 'FAILED', error }, signal)
  }

  async #giveBack({ email }: Underway, signal: AbortSignal): Promise<undefined> {
    await this.recorder.release(email.id, email.lease.token, signal)
  }

  /** Ends a mail that has waited beyond its lifetime. */
  async #expire({ email, mail }: Underway, signal: AbortSignal): Promise<void> {
    const skip = skipReason(email, mail)
    if (skip) return this.#end(email, { status: 'SKIPPED', skipReason: skip }, signal)
    const reason = email.error ?? 'it waited for its turn'
    const ending = { email, at: this.kit.now(), reason, eventData: await this.#eventData(email, mail) }
    await this.recorder.record(expiredResult(ending, this.kit.newId), email, signal, 'expired')
  }

  async #eventData(email: ClaimedEmail, mail: CompiledMail | undefined): Promise<JsonObject | undefined> {
    try {
      const compiled = mail ?? (await this.compiled.find(email.contentId))
      return compiled && emailEventData(email, compiled.facts(email, this.kit.now()))
    } catch {
      return undefined
    }
  }

  async #end(email: ClaimedEmail, unsent: Unsent, signal: AbortSignal) {
    const failure = unsent.status === 'FAILED' ? 'not-made' : undefined
    await this.recorder.record(this.#ending(email, unsent), email, signal, failure)
  }

  #ending({ id: emailId, projectId, lease }: ClaimedEmail, unsent: Unsent): DeliveryResult {
    return { emailId, projectId, token: lease.token, at: this.kit.now(), events: [], ...unsent }
  }

  /** Never rejects: the bounce is stored, and the next one checks again. */
  async #lookAtSoftBounces(email: ClaimedEmail, reason: string | undefined): Promise<void> {
    try {
      await this.softBounces.check([{ ...email, reason }])
    } catch (error) {
      this.kit.log.warn('could not look at the soft bounces of an address', { email: email.id, error })
    }
  }
}

/** How many recipients this try is for. */
function recipientsOf({ email, mail, unwanted }: MailOrder): number {
  const all = [email.to, ...mail.copies]
  return all.filter((address) => !email.accepted.includes(address) && !unwanted.has(address)).length
}

const NONE: ReadonlyMap<string, CompiledMail> = new Map()
