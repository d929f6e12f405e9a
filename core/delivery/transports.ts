import { randomInt } from 'node:crypto'
import { causeOf, hopTrouble, sentence } from '../bounces/refusal.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { DomainKeys } from '../mail/dkim/domain-keys.ts'
import { LinkSettings } from '../mail/links/links.ts'
import type { Log } from '../ports/log.ts'
import {
  type Answer,
  type MailTransport,
  MailTransports,
  type NamedTransport,
  type Refusal,
} from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { Leases } from '../work/leases.ts'
import { checkedAnswer, shownAnswer, unknownAnswer } from './checked-answer.ts'
import { Deadlines } from './deadlines.ts'
import { handOver, type MailOrder, type Sent } from './hand-over.ts'
import { Slots } from './slots.ts'
import { type SendInThread, SendingThreads } from './threads/sending-threads.ts'
import { BackOff, type Caution } from './throttle/back-off.ts'
import { Gate } from './throttle/gate.ts'

/** This many refusals in a row that may be the next hop's trouble count as its trouble. */
const IN_A_ROW = 3
/** A restarted relay should not be waited for much longer than its restart takes, and it knows us. */
const OF_A_HOP: Caution = { firstPauseMs: 1_000, longestPauseMs: 60_000, firstRate: 10, leastRate: 10 }
/** How often a transport in trouble is asked for turns, in milliseconds. */
const LOOK_MS = 100
/** How often ongoing trouble is logged, instead of with each mail. */
const SAY_AGAIN_MS = 60_000

type LineLimits = EngineValues['delivery']['throttle']['transports'][string]

/** One try: the mail as it was made, and the transport's answer. */
export interface Tried {
  readonly subject: string
  /** The envelope's recipients. */
  readonly recipients: readonly string[]
  readonly answer: Answer
}

/** How a transport stands, as its process knows it. */
export interface TransportState {
  readonly name: string
  /** `slowed`: its next hop refused mail for its own reasons; `paused`: no mail goes there just now. */
  readonly state: 'ok' | 'slowed' | 'paused'
  readonly pausedSeconds: number
  /** Seconds since its next hop last answered; absent before. */
  readonly reachedSecondsAgo?: number
  /** The last refusal that may be the next hop's trouble, and how many seconds ago. Kept when the trouble is over. */
  readonly lastError?: { readonly reason: string; readonly secondsAgo: number }
}

/**
 * The transports in their order. When one refuses a mail for a reason other than its recipient, the next is tried. One
 * whose next hop is in trouble is left out while another is not; when all are in trouble, mail waits at the gate of the
 * one whose pause ends first.
 */
@injectable()
export class Transports {
  /** Called before mail is claimed, to learn what other processes have changed. */
  look: (() => Promise<void>) | undefined
  #lines: readonly TransportLine[] = []
  readonly #limits: EngineValues['delivery']['throttle']['transports']
  readonly #deadlines: Deadlines
  readonly #threads: SendingThreads

  constructor(
    @inject(MailTransports) transports: readonly NamedTransport[],
    @inject(LinkSettings) links: LinkSettings,
    @inject(DomainKeys) keys: DomainKeys,
    @inject(Leases) leases: Leases,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const { throttle, sendTimeout } = kit.settings.delivery
    const deadlines = new Deadlines(sendTimeout * 1000)
    this.#limits = throttle.transports
    this.#deadlines = deadlines
    this.#threads = new SendingThreads(links, keys, kit)
    void this.use(transports)
    leases.onLapse(() => deadlines.giveUp(new Error('this worker was cut off from its database')))
  }

  /**
   * Sends through these from now on, in this order; those that are used already stay as they are. Answers when those that
   * are left out have no mail in hand any more: mail that still waits for them goes through the others.
   */
  async use(transports: readonly NamedTransport[]): Promise<void> {
    const before = this.#lines
    this.#lines = transports.map((named) => before.find((line) => line.named === named) ?? this.#lineOf(named))
    const left = before.filter((line) => !this.#lines.includes(line))
    await Promise.all(left.map((line) => line.retire()))
    for (const { named } of left) this.#threads.forget(named)
  }

  #lineOf(named: NamedTransport): TransportLine {
    const given = { inThread: this.#threads.open(named), deadlines: this.#deadlines, log: this.kit.log }
    return new TransportLine(named, this.#limits[named.name] ?? {}, given)
  }

  /** Those that mail goes through now, in their order. */
  get inUse(): readonly NamedTransport[] {
    return this.#lines.map(({ named }) => named)
  }

  /** Starts the threads that send. */
  start(): void {
    this.#threads.start()
  }

  /** Ends the threads that send, after the last mail. The transports themselves stay open. */
  close(): Promise<void> {
    return this.#threads.close()
  }

  /** When a mail last had an answer of the transport's next hop, by the monotonic clock. */
  reachedAt(transport: NamedTransport): number | undefined {
    return this.#lines.find(({ named }) => named === transport)?.reachedAt
  }

  /** How each transport of this process stands. */
  states(): readonly TransportState[] {
    return this.#lines.map((line) => line.state())
  }

  /** The gate where mail waits while every transport is in trouble; undefined when one is not. */
  get trouble(): Gate | undefined {
    let [first] = this.#lines
    for (const line of this.#lines) {
      if (line.trouble === undefined) return undefined
      if (first && line.pausedUntil < first.pausedUntil) first = line
    }
    return first?.trouble
  }

  /** The transports in order, without those that are paused; when all are, the one whose pause ends first. */
  route(): readonly TransportLine[] {
    if (this.#lines.every((line) => !line.isPaused)) return this.#lines
    const free = this.#lines.filter((line) => !line.isPaused)
    return free.length > 0 ? free : this.#lines.toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /**
   * Answers when few enough mails of this lane wait for the first transport that it can take more, and, while all are in
   * trouble, when one has turns: mail that is not claimed keeps its times, and goes as fast as the transport recovers.
   */
  async room(lane: Lane, stopping: AbortSignal): Promise<void> {
    await this.look?.()
    await this.#threads.ready()
    while (this.most(lane) === 0 && !stopping.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    for (let [first] = this.route(); first && !first.slots.hasRoom(lane); [first] = this.route()) {
      await first.slots.change()
    }
  }

  /** How many mails of this lane may be claimed now; undefined for any number. */
  most(lane: Lane): number | undefined {
    return this.trouble?.room(lane)
  }

  /** Aborts every running try when the signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    return this.#deadlines.follow(signal)
  }
}

/** A transport with its slots, and the state of its next hop. */
export class TransportLine {
  readonly name: string
  readonly named: NamedTransport
  readonly slots: Slots
  /** When a mail last had an answer of the next hop, by the monotonic clock. */
  reachedAt: number | undefined
  readonly #plugin: string
  readonly #transport: MailTransport
  readonly #inThread: SendInThread | undefined
  readonly #deadlines: Deadlines
  readonly #log: Log
  #trouble: Gate | undefined
  #lastError: { readonly reason: string; readonly at: number } | undefined
  #row = 0
  #inHand = 0
  #isRetired = false
  #whenIdle: (() => void) | undefined
  #isSaid = false
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(
    named: NamedTransport,
    { connections = Number.POSITIVE_INFINITY, perSecond }: LineLimits,
    given: { readonly inThread: SendInThread | undefined; readonly deadlines: Deadlines; readonly log: Log },
  ) {
    const { name, plugin, transport } = named
    this.name = name
    this.named = named
    this.#plugin = plugin
    this.slots = new Slots(Math.min(transport.concurrency, connections), perSecond)
    this.#transport = transport
    this.#inThread = given.inThread
    this.#deadlines = given.deadlines
    this.#log = given.log
  }

  /** The gate while the next hop is in trouble: it lets no mail through at first, then slowly. */
  get trouble(): Gate | undefined {
    return this.#trouble
  }

  get isPaused(): boolean {
    return this.#trouble !== undefined && performance.now() < this.pausedUntil
  }

  /** By the monotonic clock; 0 when it was never paused. */
  get pausedUntil(): number {
    return this.#trouble?.backOff?.pausedUntil ?? 0
  }

  /** How it stands now. */
  state(): TransportState {
    const now = performance.now()
    const ago = (at: number) => Math.round((now - at) / 1000)
    const pausedSeconds = Math.max(0, Math.ceil((this.pausedUntil - now) / 1000))
    const last = this.#lastError
    return {
      name: this.name,
      state: this.isPaused ? 'paused' : this.#trouble === undefined ? 'ok' : 'slowed',
      pausedSeconds,
      ...(this.reachedAt === undefined ? {} : { reachedSecondsAgo: ago(this.reachedAt) }),
      ...(last && { lastError: { reason: last.reason, secondsAgo: ago(last.at) } }),
    }
  }

  /**
   * Makes the mail, hands it over, and learns from the answer. Throws what making it throws; nothing was handed over
   * then.
   */
  async send(order: MailOrder): Promise<Tried> {
    if (this.#isRetired) return { subject: '', recipients: [order.email.to], answer: GONE }
    this.#inHand++
    try {
      return await this.#send(order)
    } finally {
      this.#inHand--
      if (this.#inHand === 0) this.#whenIdle?.()
    }
  }

  /** Takes no mail any more. Answers when it has none in hand. */
  retire(): Promise<void> {
    // mails that wait for it go through others
    this.#trouble?.recover()
    this.#trouble = undefined
    this.#isRetired = true
    return new Promise((resolve) => {
      this.#whenIdle = resolve
      if (this.#inHand === 0) resolve()
    })
  }

  async #send(order: MailOrder): Promise<Tried> {
    const since = performance.now()
    const tried = await this.#try(order)
    const news = this.#note(tried.answer, since)
    if (news === 'well again') this.#log.info('a transport can be reached again', { transport: this.name })
    this.#tell(order.email.id, tried.answer, news)
    return tried
  }

  async #try(order: MailOrder): Promise<Tried> {
    const { id, to } = order.email
    const deadline = this.#deadlines.start()
    let sent: Sent | undefined
    const answered = async () => {
      sent = await (this.#inThread?.(order, deadline.signal) ?? handOver(this.#transport, order, deadline.signal))
      return sent.answer
    }
    let answer: Answer
    try {
      const given = await Promise.race([answered(), deadline.lost.then(tooLate)])
      answer = checkedAnswer(given)
      if (answer.outcome === 'unknown') this.#sayUnreadable(id, given)
    } catch (error) {
      if (sent === undefined && !(error instanceof TooLate)) throw error
      this.#log.warn('the outcome of a try is unknown', { transport: this.name, email: id, error })
      answer = unknownAnswer(error)
    } finally {
      deadline.end()
    }
    return { subject: sent?.subject ?? '', recipients: sent?.recipients ?? [to], answer }
  }

  #sayUnreadable(email: string, given: unknown): void {
    const about = { transport: this.name, plugin: this.#plugin, email, answer: shownAnswer(given) }
    this.#log.error('the answer of a transport cannot be read: its plugin is wrong', about)
  }

  /** A refusal of one recipient is in the ledger and logged at `debug` only; otherwise a large mailing would fill the log. */
  #tell(email: string, answer: Answer, news: 'in trouble' | 'well again' | undefined): void {
    if (answer.outcome === 'accepted') {
      this.#log.debug('a mail was handed over', { transport: this.name, email, response: answer.response })
    }
    if (answer.outcome !== 'refused') return
    const { stage, reason } = answer
    const isForOperators = news === 'in trouble' || (stage !== 'connect' && causeOf(answer) === 'sender')
    const pause = this.isPaused ? { pauseSeconds: Math.ceil((this.pausedUntil - performance.now()) / 1000) } : {}
    const about = { transport: this.name, email, stage, reason, ...pause }
    this.#log[isForOperators ? 'warn' : 'debug']('a transport refused a mail', about)
  }

  /** Learns from the answer to a try that began at `since` (by `performance.now()`). Answers a change worth logging. */
  #note(answer: Answer, since: number): 'in trouble' | 'well again' | undefined {
    if (answer.outcome === 'unknown') return undefined
    const trouble = answer.outcome === 'refused' ? hopTrouble(answer) : undefined
    if (answer.outcome !== 'refused' || answer.stage !== 'connect') this.reachedAt = performance.now()
    if (answer.outcome === 'refused' && trouble) {
      this.#lastError = { reason: answer.reason, at: performance.now() }
      if (trouble === 'certain' || this.#trouble || ++this.#row >= IN_A_ROW) this.#refused(answer, since)
      return this.#changeTo(true)
    }
    this.#row = 0
    if (this.#trouble?.backOff?.took(performance.now())) {
      this.#trouble.recover()
      this.#trouble = undefined
    }
    return this.#changeTo(false)
  }

  #refused(refusal: Refusal, since: number): void {
    const now = performance.now()
    this.#row = 0
    if (this.#trouble?.backOff) this.#trouble.backOff.again(now, since, refusal.stage === 'mail')
    else {
      this.#trouble = new Gate({}, () => performance.now(), { isAsked: true })
      this.#trouble.backOff = new BackOff(now, undefined, () => randomInt(1000) / 1000, OF_A_HOP)
    }
    if (this.#trouble.backOff) this.#trouble.backOff.reason = sentence(refusal)
    this.#trouble.admit()
  }

  #changeTo(isInTrouble: boolean): 'in trouble' | 'well again' | undefined {
    const now = performance.now()
    if (isInTrouble ? now - this.#saidAt < SAY_AGAIN_MS : !this.#isSaid) return undefined
    this.#isSaid = isInTrouble
    if (isInTrouble) this.#saidAt = now
    return isInTrouble ? 'in trouble' : 'well again'
  }
}

/** The answer to a mail that had chosen a transport before it was replaced: it chooses again at once. */
const GONE = {
  outcome: 'refused',
  permanent: false,
  stage: 'connect',
  reason: 'the mail server was replaced meanwhile',
} as const satisfies Answer

class TooLate extends Error {}

function tooLate(): never {
  throw new TooLate('the transport did not answer in time')
}
