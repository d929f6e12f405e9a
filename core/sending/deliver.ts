import { inject, injectable } from '../di.ts'
import { TASKS } from '../jobs.ts'
import { Kit } from '../kit.ts'
import type { OutgoingMail } from '../ports/mail-transport.ts'
import { type Lane, Queue } from '../ports/queue.ts'
import { Store } from '../ports/store.ts'
import { type EngineValues, Values } from '../settings.ts'
import { type CompiledMail, CompiledMails } from './compiled-mail.ts'
import type { ClaimedEmail, DeliveryResult, Lease, SkipReason } from './email.ts'
import { emailEventData } from './email-event.ts'
import { HandOver } from './hand-over.ts'
import { deliveryResult, type Try } from './outcome.ts'
import { Recorder } from './recorder.ts'

/** So many rows in one claim: enough to share its cost, few enough to be sent within the lease. */
const CLAIM = 200
/** Retries due sooner are queued for their moment; later ones are found by recovery. */
const QUEUE_AHEAD_MS = 120_000

/**
 * Delivers queued mail: claims rows, fills in and composes each mail, hands it over, and writes what came of it. A
 * transport's slot is free again only when the result of its mail is stored, so that a crash can repeat at most one
 * mail per slot.
 */
@injectable()
export class Deliver {
  readonly #lastClaims = new Map<Lane, Promise<unknown>>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(HandOver) private readonly handOver: HandOver,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Recorder) private readonly recorder: Recorder,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * The queue's handler: sends these e-mail records, as far as they are queued and due. Answers when every result is
   * stored. When the signal is aborted no further row is claimed and the tries under way are given up.
   */
  async handle(ids: readonly string[], given: { readonly lane: Lane; readonly signal: AbortSignal }): Promise<void> {
    const { lane, signal } = given
    const unfollow = this.handOver.follow(signal)
    const running: Promise<void>[] = []
    try {
      for (let start = 0; start < ids.length && !signal.aborted; start += CLAIM) {
        const claimed = await this.#claim(ids.slice(start, start + CLAIM), lane)
        const mails = await this.#contents(claimed)
        for (const email of claimed) running.push(this.#deliver(email, mails.get(email.contentId), lane, signal))
      }
    } finally {
      await Promise.all(running)
      unfollow()
    }
  }

  /** One claim of a lane at a time, and only when a transport can do with more: what is claimed should be sent soon. */
  #claim(ids: readonly string[], lane: Lane): Promise<readonly ClaimedEmail[]> {
    const before = this.#lastClaims.get(lane) ?? Promise.resolve()
    const claim = before.then(async () => {
      await this.handOver.room(lane)
      return this.#claimNow(ids)
    })
    this.#lastClaims.set(
      lane,
      claim.catch(() => {}),
    )
    return claim
  }

  #claimNow(ids: readonly string[]): Promise<readonly ClaimedEmail[]> {
    const now = this.kit.now()
    const lease: Lease = { token: this.kit.newId(), until: new Date(now.getTime() + this.values.delivery.lease * 1000) }
    return this.store.emails.claim(ids, now, lease)
  }

  /** Claimed rows nobody can work on are given back at once, instead of waiting for their lease to end. */
  async #contents(claimed: readonly ClaimedEmail[]): Promise<ReadonlyMap<string, CompiledMail>> {
    try {
      return await this.compiled.load(claimed.map(({ contentId }) => contentId))
    } catch (error) {
      const ids = claimed.map(({ id }) => id)
      const [first] = claimed
      if (first) await this.store.emails.release(ids, first.lease.token, this.kit.now()).catch(() => {})
      throw error
    }
  }

  async #deliver(email: ClaimedEmail, mail: CompiledMail | undefined, lane: Lane, signal: AbortSignal): Promise<void> {
    const skip = skipReason(email, mail)
    if (skip) return this.recorder.record({ ...this.#base(email), status: 'SKIPPED', skipReason: skip })
    if (!mail)
      return this.recorder.record({
        ...this.#base(email),
        status: 'FAILED',
        error: 'The content of this mail is gone.',
      })
    await this.handOver.pass(lane, {
      prepare: () => this.#prepare(email, mail, signal),
      conclude: (outgoing, transport, result) => this.#conclude(email, mail, lane, { outgoing, transport, result }),
    })
  }

  async #prepare(email: ClaimedEmail, mail: CompiledMail, signal: AbortSignal): Promise<OutgoingMail | undefined> {
    const now = this.kit.now()
    // Handed over only when the lease outlasts the longest try: nobody else can be sending it meanwhile.
    const left = email.lease.until.getTime() - now.getTime()
    if (signal.aborted || left <= this.values.delivery.sendTimeout * 1000) {
      await this.store.emails.release([email.id], email.lease.token, now)
      return undefined
    }
    try {
      const outgoing = mail.outgoing(email, now)
      // Composed here, so that a mail that cannot be made is told from a transport that failed.
      await outgoing.raw()
      return outgoing
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await this.recorder.record({
        ...this.#base(email),
        status: 'FAILED',
        error: `The mail could not be made: ${reason}`,
      })
      return undefined
    }
  }

  async #conclude(
    email: ClaimedEmail,
    mail: CompiledMail,
    lane: Lane,
    { outgoing, transport, result }: Pick<Try, 'transport' | 'result'> & { readonly outgoing: OutgoingMail },
  ): Promise<void> {
    const tried: Try = {
      email,
      recipients: outgoing.envelope.to,
      transport,
      result,
      eventData: emailEventData(email, mail.content, outgoing.subject),
      at: this.kit.now(),
    }
    const outcome = deliveryResult(tried, this.values.delivery.retryDelays, this.kit.newId)
    await this.recorder.record(outcome)
    const { dueAt } = outcome
    if (dueAt && dueAt.getTime() - tried.at.getTime() <= QUEUE_AHEAD_MS) {
      const again = { task: TASKS.deliver, lane, ids: [email.id], notBefore: dueAt }
      this.queue.add([again]).catch((error) => this.kit.log.debug('recovery will find a retry', { error }))
    }
  }

  #base(email: ClaimedEmail): Omit<DeliveryResult, 'status'> {
    const { id: emailId, projectId, lease } = email
    return { emailId, projectId, token: lease.token, at: this.kit.now(), events: [] }
  }
}

function skipReason(email: ClaimedEmail, mail: CompiledMail | undefined): SkipReason | undefined {
  if (email.suppressed) return `suppressed:${email.suppressed}`
  if (email.contactId === undefined || email.subscribed === undefined) return 'contact-removed'
  if (mail?.content.marketing && !email.subscribed) return 'unsubscribed'
  return undefined
}
