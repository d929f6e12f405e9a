import { inject, injectable } from '../di.ts'
import { TestAddresses } from '../domains/test-addresses.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { Feedback, type FeedbackEnvelope } from '../feedback/feedback.ts'
import { Kit } from '../kit.ts'
import { Links } from '../mail/links/links.ts'
import { ReturnPaths } from '../mail/links/return-paths.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { Queue } from '../ports/queue.ts'
import type { Claim, WaitingMessage } from '../ports/store/inbound.ts'
import { Store } from '../ports/store/store.ts'
import { ring } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'
import { Leases } from '../work/leases.ts'
import { Thread, ThreadOverrun, threadFile } from '../work/thread.ts'
import type { Authentication } from './authenticate.ts'
import type { ParsedMessage, ParseQuestion } from './parsed-message.ts'
import { type ReadMessage, recordReceived, WriteConflict } from './record-received.ts'
import { arrivalOf } from './test-arrival.ts'
import { unreadable } from './unreadable.ts'

/** While so many messages wait for the thread or are in it, no more are claimed; so many are claimed together. */
const PARSED_AT_A_TIME = 4
const CLAIM = { messages: 8, bytes: 16 * 1024 * 1024 }
/** So many are worked on at the same time, while they have not too many bytes together: most wait for the DNS. */
const AT_A_TIME = 64
const MOST_BYTES = 64 * 1024 * 1024
/** How long who sent a message may take to be found out, in milliseconds: slow name servers of some keep no others waiting. */
const DNS_MS = 20_000
const DNS_MS_IN_A_CROWD = 2_000
/** How long a message may take to be read, in milliseconds, and how many megabytes of memory. */
const PATIENCE_MS = 30_000
const MEMORY_MB = 512
/** After so many tries that failed a message is kept as it is, unread. */
const TRIES = 5
const PAUSE_MS = 10_000
/** Each message has its answer within the lease, however long those before it take. */
const LEASE_MS = (PARSED_AT_A_TIME + CLAIM.messages) * PATIENCE_MS + 60_000
/** What was read is gathered for so long, to be stored together. */
const GATHER_MS = 20
/** When more than so many messages came in since the last claim, the next one waits so many times as long as this took. */
const BUSY = 20
const GIVE_WAY = 8
const LONGEST_REST_MS = 1_000
/** While this process reads, the queue is told no more often of what comes. */
const RING_MS = 500

interface Claimed extends Claim {
  readonly message: WaitingMessage
}

/** Reads received mail in the background: each message becomes an e-mail record and an event, once. */
@injectable()
export class ReadInbound {
  readonly #thread = new Thread<ParseQuestion>({
    ...{ file: threadFile('./inbound-thread', import.meta.url), name: 'mailwright-inbound' },
    ...{ patience: PATIENCE_MS, memory: MEMORY_MB },
  })
  #running: Promise<void> | undefined
  #isAsked = false
  #wake = () => {}
  readonly #reading = new Set<Promise<void>>()
  #parsing = 0
  #bytes = 0
  readonly #ready: { readonly read: ReadMessage; readonly settled: PromiseWithResolvers<void> }[] = []
  #isRecording = false
  #isRinging = false
  /** When the queue was told last, as `performance.now()` counts. */
  #rung = 0
  /** How many messages came since the last claim, and when that was, as `performance.now()` counts. */
  #arrived = 0
  #resumed = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(Links) private readonly links: Links,
    @inject(Leases) private readonly leases: Leases,
    @inject(Feedback) private readonly feedback: Feedback,
    @inject(ReturnPaths) private readonly returnPaths: ReturnPaths,
    @inject(TestAddresses) private readonly tests: TestAddresses,
    @inject(DispatchTrigger) private readonly dispatch: DispatchTrigger,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** There is mail to read. Answers at once; when the job is lost the next tick finds it. */
  ask(): void {
    this.#arrived++
    // whoever runs looks again before it ends, and is helped by other processes
    this.#isAsked = true
    this.#wake()
    const isQuiet = performance.now() - this.#rung > RING_MS
    if (!this.#isRinging && (this.#running === undefined || isQuiet)) void this.#ring()
  }

  /**
   * Reads a fetched message that is for nobody here: what it says of a mail we sent is written down when this answers; else
   * nothing becomes of it. Throws when it could not be written.
   */
  async readReport(raw: Uint8Array, envelope: FeedbackEnvelope): Promise<void> {
    const { kind, outcomes } = await this.feedback.read(raw, envelope)
    this.kit.log.debug('read a message that is for none of our addresses', { kind, outcomes })
    if (outcomes.length > 0) this.dispatch.ask()
  }

  /** Loads what the first message would have everybody wait for. */
  async prepare(): Promise<void> {
    await import('./authenticate.ts')
  }

  /** Every few seconds: asks for what waits, and frees what a dead process held. */
  async tick(): Promise<void> {
    await this.store.inbound.expireLeases(this.kit.now())
    const next = await this.store.inbound.next()
    if (next && next <= this.kit.now()) this.ask()
  }

  /** The queue's handler: answers when nothing waits any more, or soon after the signal. In one process it runs once. */
  handle(signal: AbortSignal): Promise<void> {
    this.#isAsked = true
    this.#wake()
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
      // while it may claim nothing the next tick asks: asking at once again and again would leave the event loop no turn
      if (this.#isAsked && this.leases.areSure && !signal.aborted) void this.#ring()
    })
    return this.#running
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#thread.close()
  }

  async #ring(): Promise<void> {
    this.#isRinging = true
    this.#rung = performance.now()
    await ring(this.queue, this.kit, TASKS.readInbound)
    this.#isRinging = false
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#arrived = 0
    this.#resumed = performance.now()
    while (!signal.aborted) {
      const mayClaim = this.#isAsked && this.leases.areSure
      if (mayClaim && this.#hasRoom) {
        await this.#giveWay(signal)
        this.#isAsked = false
        if (await this.#takeUp()) this.#isAsked = true
        continue
      }
      if (this.#reading.size === 0) break
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([woken, ...this.#reading])
    }
    await Promise.all(this.#reading)
  }

  get #hasRoom(): boolean {
    return this.#parsing < PARSED_AT_A_TIME && this.#reading.size < AT_A_TIME && this.#bytes < MOST_BYTES
  }

  /** Begins with the next messages; false when there are none. */
  async #takeUp(): Promise<boolean> {
    const now = this.kit.now()
    const token = this.leases.token()
    const lease = { token, until: new Date(now.getTime() + LEASE_MS) }
    const messages = await this.store.inbound.claim(now, lease, CLAIM)
    for (const message of messages) {
      this.#bytes += message.raw.length
      const reading = this.#read({ id: message.id, token, message }).finally(() => {
        this.#bytes -= message.raw.length
        this.#reading.delete(reading)
      })
      this.#reading.add(reading)
    }
    return messages.length > 0
  }

  /** Reading waits while more comes in than it can keep up with, and goes on meanwhile at a part of its pace. */
  async #giveWay(signal: AbortSignal): Promise<void> {
    const worked = performance.now() - this.#resumed
    if (this.#arrived > BUSY) {
      await pause(Math.min(GIVE_WAY * worked, LONGEST_REST_MS), signal)
    }
    this.#arrived = 0
    this.#resumed = performance.now()
  }

  /** Never rejects: what could not be done is tried again. */
  async #read(claimed: Claimed): Promise<void> {
    const { message, id, token } = claimed
    try {
      if (message.recipients.every((address) => this.returnPaths.read(address) !== undefined)) {
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
      const [parsed, authentication] = await Promise.all([this.#parsed(message), this.#authenticated(message)])
      // who has no return path of ours reports to an address
      if (parsed.isAutomatic) await this.#report(message)
      await this.#record({ ...claimed, parsed, authentication })
      this.dispatch.ask()
    } catch (error) {
      this.kit.log.warn('could not read a received message; it will be tried again', { message: id, error })
      const dueAt = new Date(this.kit.now().getTime() + PAUSE_MS * message.attempts)
      await this.store.inbound
        .putOff(id, token, dueAt)
        .catch((error) => this.kit.log.debug('its lease will run out', { message: id, error }))
    }
  }

  /** Answers when it is stored, with others that were read at about the same time. */
  #record(read: ReadMessage): Promise<void> {
    const settled = Promise.withResolvers<void>()
    this.#ready.push({ read, settled })
    if (!this.#isRecording) void this.#recordAll()
    return settled.promise
  }

  async #recordAll(): Promise<void> {
    this.#isRecording = true
    while (this.#ready.length > 0) {
      await pause(GATHER_MS)
      const batch = this.#ready.splice(0)
      try {
        await this.#recordTogether(batch.map(({ read }) => read))
        for (const { settled } of batch) settled.resolve()
      } catch {
        // one that cannot be stored harms only itself
        for (const { read, settled } of batch) await this.#recordTogether([read]).then(settled.resolve, settled.reject)
      }
    }
    this.#isRecording = false
  }

  async #recordTogether(batch: readonly ReadMessage[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.store.transaction((tx) => recordReceived(tx, batch, this.links, this.kit))
      } catch (error) {
        if (!(error instanceof WriteConflict) || tries >= TRIES) throw error
      }
    }
  }

  /** What it says of a mail we sent; what it says twice counts once. */
  async #report({ id, raw, sender, recipients }: WaitingMessage): Promise<void> {
    const { kind, outcomes } = await this.feedback.read(raw, { from: sender, to: recipients })
    this.kit.log.debug('read a message that came back', { message: id, kind, outcomes })
    if (outcomes.length > 0) this.dispatch.ask()
  }

  async #parsed(message: WaitingMessage): Promise<ParsedMessage> {
    const { raw, sender, attempts, id } = message
    // whoever has been at it so often does not get through; what was answered for is not lost
    if (attempts > TRIES) return unreadable(message)
    this.#parsing++
    try {
      const parsed = (await this.#thread.ask({ raw, sender })) as ParsedMessage
      const { problem } = parsed
      if (problem) this.kit.log.warn('a received message cannot be read; it is kept as it is', { message: id, problem })
      return parsed
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      this.kit.log.warn('a received message takes too much to read; it is kept as it is', { message: id, error })
      return unreadable(message)
    } finally {
      this.#parsing--
      this.#wake()
    }
  }

  async #authenticated(message: WaitingMessage): Promise<Authentication> {
    try {
      const { authenticateMessage } = await import('./authenticate.ts')
      const patience = this.#reading.size < AT_A_TIME / 2 ? DNS_MS : DNS_MS_IN_A_CROWD
      return await authenticateMessage(message, this.dns, patience)
    } catch (error) {
      this.kit.log.warn('could not check who a received message is from', { message: message.id, error })
      return { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' }
    }
  }
}

/** Waits so many milliseconds, or until the signal. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
