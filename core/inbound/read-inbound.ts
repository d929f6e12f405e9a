import { inject, injectable } from '../di.ts'
import { TestAddresses } from '../domains/test-addresses.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { Feedback, type FeedbackEnvelope } from '../feedback/feedback.ts'
import { Kit } from '../kit.ts'
import { Links } from '../mail/links/links.ts'
import { WaysBack } from '../mail/links/ways-back.ts'
import { isSimulated } from '../mail/simulator-address.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import type { Claim, WaitingMessage } from '../ports/store/inbound.ts'
import type { Interrupted } from '../ports/store/interrupted.ts'
import { Store } from '../ports/store/store.ts'
import { DomainReports } from '../reports/domain-reports.ts'
import { allDone, Batcher } from '../values/batcher.ts'
import { retryConflicts } from '../values/conflict.ts'
import { pause } from '../values/pause.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { givenUp } from '../work/interrupted.ts'
import { Thread, ThreadOverrun } from '../work/thread.ts'
import type { Claimed as ClaimedWork, ClaimRequest, Ends, Work } from '../work/work.ts'
import type { Authentication } from './authenticate.ts'
import type { ParsedMessage, ParseQuestion } from './parsed-message.ts'
import { type ReadMessage, recordReceived } from './record-received.ts'
import { arrivalOf } from './test-arrival.ts'
import { unreadable } from './unreadable.ts'

/** How many messages may wait for the thread before no more are claimed, and how much one claim takes. */
const MAX_PARSING = 4
const CLAIM = { messages: 8, bytes: 16 * 1024 * 1024 }
/** How many messages are worked on at the same time, while their bytes stay below the limit: most wait for the DNS. */
const MAX_CONCURRENT = 64
const MAX_CONCURRENT_BYTES = 64 * 1024 * 1024
/** How long authenticating a message may take, in milliseconds; less when many wait for slow name servers. */
const DNS_MS = 20_000
const DNS_MS_WHEN_BUSY = 2_000
/** How long parsing a message may take, in milliseconds, and how many megabytes of memory. */
const PARSE_TIMEOUT_MS = 30_000
const MEMORY_MB = 512
/** After this many failed tries a message is stored unparsed. */
const MAX_TRIES = 5
const PAUSE_MS = 10_000
/** Long enough that each message is done within the lease, however long those before it take. */
const LEASE_MS = (MAX_PARSING + CLAIM.messages) * PARSE_TIMEOUT_MS + 60_000
/** How long parsed messages are gathered, to be stored together. */
const GATHER_MS = 20
/** After more than `BUSY` new messages the next claim waits `GIVE_WAY` times as long as this one took. */
const BUSY = 20
const GIVE_WAY = 8
const MAX_PAUSE_MS = 1_000

/** A message, as far as its sender is checked. */
type Authenticated = Pick<WaitingMessage, 'id' | 'raw' | 'sender' | 'remoteAddress' | 'helo'>

interface Claimed extends Claim {
  readonly message: WaitingMessage & Interrupted
}

/** Parses received mail in the background: each message becomes an e-mail record and an event, once. */
@injectable()
export class ReadInbound implements Work {
  readonly topic = TOPICS.inbound
  readonly lane = 'workflow'
  readonly atOnce = MAX_CONCURRENT
  readonly leaseMs = LEASE_MS
  readonly #thread = new Thread<ParseQuestion>({
    file: new URL('./inbound-thread.ts', import.meta.url),
    name: 'mailwright-inbound',
    patience: PARSE_TIMEOUT_MS,
    memory: MEMORY_MB,
  })
  #freed = () => {}
  #reading = 0
  #parsing = 0
  #bytes = 0
  /** Read messages are stored together with others that are read at about the same time. */
  readonly #ready = new Batcher<ReadMessage>({
    gather: (begin) => setTimeout(begin, GATHER_MS),
    write: async (batch) => {
      const forwarded = await retryConflicts(MAX_TRIES, () =>
        this.store.transaction((tx) => recordReceived(tx, batch, this.links, this.kit)),
      )
      if (forwarded > 0) {
        this.kit.metrics.accepted('transactional', forwarded)
        this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
      }
      return allDone(batch)
    },
  })
  /** How many messages came since the last claim, and when that was, by `performance.now()`. */
  #arrived = 0
  #resumed = 0
  #isIdle = true

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(Links) private readonly links: Links,
    @inject(Feedback) private readonly feedback: Feedback,
    @inject(WaysBack) private readonly waysBack: WaysBack,
    @inject(TestAddresses) private readonly tests: TestAddresses,
    @inject(DomainReports) private readonly reports: DomainReports,
    @inject(DispatchTrigger) private readonly dispatch: DispatchTrigger,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Call it when there is mail to read. Does not wait. */
  ask(): void {
    this.#arrived++
    this.doorbell.ring(TOPICS.inbound)
  }

  /**
   * Reads a fetched message that is for none of our addresses: a report on a mail we sent is stored when this answers;
   * anything else is dropped. Throws when it could not be stored.
   */
  async readReport(raw: Uint8Array, envelope: FeedbackEnvelope): Promise<void> {
    const { dmarc } = mayBeComplaint(raw)
      ? await this.#authenticated({ id: 'fetched', raw, sender: envelope.from, remoteAddress: '', helo: '' })
      : {}
    const { kind, outcomes } = await this.feedback.read(raw, { ...envelope, ...(dmarc === undefined ? {} : { dmarc }) })
    this.kit.log.debug('read a message that is for none of our addresses', { kind, outcomes })
    if (outcomes.length > 0) this.dispatch.ask()
  }

  /** Loads code ahead, so that the first message does not have to wait for it. */
  async prepare(): Promise<void> {
    await import('./authenticate.ts')
  }

  /** Every few seconds: frees messages whose lease has run out. */
  async tick(): Promise<void> {
    await this.store.inbound.expireLeases(this.kit.now())
  }

  next(): Promise<Date | undefined> {
    return this.store.inbound.next()
  }

  /** Waits while messages take up too much memory or the thread is busy, or while mail comes in faster than it is read. */
  async room({ stopping }: Ends): Promise<void> {
    while (this.#parsing >= MAX_PARSING || this.#bytes >= MAX_CONCURRENT_BYTES) {
      await new Promise<void>((resolve) => {
        this.#freed = resolve
      })
    }
    await this.#slowDown(stopping)
  }

  async claim({ now, lease, room }: ClaimRequest): Promise<ClaimedWork | undefined> {
    const messages = await this.store.inbound.claim(now, lease, { ...CLAIM, messages: Math.min(room, CLAIM.messages) })
    this.#isIdle = messages.length === 0
    if (this.#isIdle) return undefined
    const running = messages.map((message) => this.#read({ id: message.id, token: lease.token, message }))
    return { isMore: true, running }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** Slows reading down while more mail comes in than it can keep up with. */
  async #slowDown(signal: AbortSignal): Promise<void> {
    const worked = performance.now() - this.#resumed
    if (this.#arrived > BUSY && !this.#isIdle) {
      await pause(Math.min(GIVE_WAY * worked, MAX_PAUSE_MS), signal)
    }
    this.#arrived = 0
    this.#resumed = performance.now()
  }

  /** Never rejects: a failed message is tried again. */
  async #read(claimed: Claimed): Promise<void> {
    const { message, id, token } = claimed
    this.#reading++
    this.#bytes += message.raw.length
    try {
      const reason = givenUp(message)
      if (reason !== undefined) return await this.#giveUp(claimed, reason)
      if (message.recipients.every((address) => this.waysBack.returnPaths.read(address) !== undefined)) {
        await this.#report(message)
        await this.store.inbound.remove([claimed])
        return
      }
      const [address = ''] = message.recipients
      const testId = this.tests.read(address)
      if (testId !== undefined) {
        await this.store.domainTests.arrived(testId, await arrivalOf(message, this.dns))
        await this.store.inbound.remove([claimed])
        return
      }
      if (await this.reports.failed(claimed)) return
      const [parsed, authentication] = await Promise.all([this.#parsed(message), this.#authenticated(message)])
      // a sender without our return path reports to an address
      if (parsed.isAutomatic) await this.#report(message, authentication)
      const last = message.attempts >= MAX_TRIES
      if (await this.reports.arrived(message, parsed, { dmarc: authentication.dmarc, last })) {
        await this.store.inbound.remove([claimed])
        return
      }
      await this.#ready.add({ ...claimed, parsed, authentication })
      this.dispatch.ask()
    } catch (error) {
      this.kit.log.warn('could not read a received message; it will be tried again', { message: id, error })
      const dueAt = new Date(this.kit.now().getTime() + PAUSE_MS * message.attempts)
      await this.store.inbound
        .putOff(id, token, dueAt)
        .catch((error) => this.kit.log.debug('its lease will run out', { message: id, error }))
    } finally {
      this.#reading--
      this.#bytes -= message.raw.length
      this.#freed()
    }
  }

  /** It is kept as it came, and nothing is made of it. */
  async #giveUp(claimed: Claimed, reason: string): Promise<void> {
    const { message } = claimed
    this.kit.log.error('a received message is given up; it is kept unread', { message: message.id, reason })
    await this.#ready.add({ ...claimed, parsed: unreadable(message), authentication: UNCHECKED })
    this.dispatch.ask()
  }

  /** Stores what it reports on a mail we sent; repeated reports count once. */
  async #report(
    { id, raw, sender, recipients }: WaitingMessage,
    { dmarc }: Partial<Authentication> = {},
  ): Promise<void> {
    const envelope = { from: sender, to: recipients, ...(dmarc === undefined ? {} : { dmarc }) }
    const { kind, outcomes } = await this.feedback.read(raw, envelope)
    this.kit.log.debug('read a message that came back', { message: id, kind, outcomes })
    if (outcomes.length > 0) this.dispatch.ask()
  }

  async #parsed(message: WaitingMessage): Promise<ParsedMessage> {
    const { raw, sender, attempts, id } = message
    // it will not get through after so many tries, but accepted mail must not be lost
    if (attempts > MAX_TRIES) return unreadable(message)
    this.#parsing++
    try {
      const parsed = (await this.#thread.ask({ raw, sender })) as ParsedMessage
      const { problem } = parsed
      if (problem)
        this.kit.log.warn('a received message cannot be read; it is kept unchanged', { message: id, problem })
      return parsed
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      this.kit.log.warn('a received message takes too long or too much memory to read; it is kept unchanged', {
        message: id,
        error,
      })
      return unreadable(message)
    } finally {
      this.#parsing--
      this.#freed()
    }
  }

  async #authenticated(message: Authenticated): Promise<Authentication> {
    // the simulator has no DNS; every other message comes from an address, or from a mailbox, which names no host
    if (message.remoteAddress === '' && isSimulated(message.helo, this.kit.settings)) return UNCHECKED
    try {
      const { authenticateMessage } = await import('./authenticate.ts')
      const patience = this.#reading < MAX_CONCURRENT / 2 ? DNS_MS : DNS_MS_WHEN_BUSY
      return await authenticateMessage(message, this.dns, patience)
    } catch (error) {
      this.kit.log.warn('could not check who a received message is from', { message: message.id, error })
      return { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' }
    }
  }
}

const UNCHECKED: Authentication = { spf: 'none', dkim: 'none', dmarc: 'none' }

/** Whether it may be a complaint: only those need to be from a sender that is known. */
function mayBeComplaint(raw: Uint8Array): boolean {
  return /feedback-report|complain|X-HmXmr/i.test(Buffer.from(raw.subarray(0, 64 * 1024)).toString('latin1'))
}
