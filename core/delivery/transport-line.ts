import { randomInt } from 'node:crypto'
import { causeOf, hopTrouble, isUnspoken, sentence } from '../bounces/refusal.ts'
import type { Log } from '../ports/log.ts'
import type { Answer, MailTransport, NamedTransport, Refusal } from '../ports/mail-transport.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import type { ProjectId } from '../values/project-id.ts'
import { checkedAnswer, shownAnswer, unknownAnswer } from './checked-answer.ts'
import type { Deadlines } from './deadlines.ts'
import { handOver, type MailOrder, type Sent } from './hand-over.ts'
import { Slots } from './slots.ts'
import type { SendInThread } from './threads/sending-threads.ts'
import { BackOff, type Caution } from './throttle/back-off.ts'
import { Gate } from './throttle/gate.ts'
import type { TransportQuota } from './throttle/transport-quota.ts'

/** This many refusals in a row that may be the next hop's trouble count as its trouble. */
const IN_A_ROW = 3
/** A restarted relay should not be waited for much longer than its restart takes, and it knows us. */
const OF_A_HOP: Caution = { firstPauseMs: 1_000, longestPauseMs: 60_000, firstRate: 10, leastRate: 10 }
/** How often ongoing trouble is logged, instead of with each mail. */
const SAY_AGAIN_MS = 60_000

export type LineLimits = EngineValues['delivery']['throttle']['transports'][string]

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

/** A transport with its slots, and the state of its next hop. */
export class TransportLine {
  readonly name: string
  /** The name in metrics, which is one for the servers of all projects: those are named by their members. */
  readonly label: string
  readonly named: NamedTransport
  readonly slots: Slots
  readonly quota: TransportQuota | undefined
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
    { connections = Number.POSITIVE_INFINITY, perSecond = Number.POSITIVE_INFINITY, quota }: LineLimits,
    given: {
      readonly owner: ProjectId | undefined
      readonly inThread: SendInThread | undefined
      readonly deadlines: Deadlines
      readonly log: Log
      readonly quota?: TransportQuota | undefined
    },
  ) {
    const { name, plugin, transport } = named
    this.name = name
    this.label = given.owner === undefined ? name : OF_PROJECTS
    this.named = named
    this.#plugin = plugin
    this.slots = new Slots(
      Math.min(transport.concurrency, connections),
      Math.min(perSecond, quota?.second ?? Number.POSITIVE_INFINITY),
    )
    this.quota = given.quota
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
    this.slots.open()
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
    if (answer.outcome === 'unknown' || (answer.outcome === 'refused' && isUnspoken(answer))) return undefined
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

/** The label of projects' own mail servers in metrics. */
const OF_PROJECTS = 'project'

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
