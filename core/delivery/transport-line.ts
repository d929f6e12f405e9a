import { randomInt } from 'node:crypto'
import { causeOf, hopTrouble, sentence } from '../bounces/refusal.ts'
import type { Log } from '../ports/log.ts'
import type { Answer, NamedTransport, Refusal } from '../ports/mail-transport.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { checkedAnswer, unknownAnswer } from './answer.ts'
import type { Deadlines } from './deadlines.ts'
import type { MailOrder, Sender, Sent } from './sender.ts'
import { Slots } from './slots.ts'
import { BackOff, type Caution } from './throttle-back-off.ts'
import { Gate } from './throttle-gate.ts'

/** This many refusals in a row that may be the next hop's trouble count as its trouble. */
const IN_A_ROW = 3
/** A restarted relay should not be waited for much longer than its restart takes, and it knows us. */
const OF_A_HOP: Caution = { firstPauseMs: 1_000, longestPauseMs: 60_000, firstRate: 10, leastRate: 10 }
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

/** A transport with its slots, and the state of its next hop. */
export class TransportLine {
  readonly name: string
  readonly slots: Slots
  /** When a mail last had an answer of the next hop, by the monotonic clock. */
  reachedAt: number | undefined
  readonly #sender: Sender
  readonly #deadlines: Deadlines
  readonly #log: Log
  #trouble: Gate | undefined
  #lastError: { readonly reason: string; readonly at: number } | undefined
  #row = 0
  #isSaid = false
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(
    { name, transport }: NamedTransport,
    { connections = Number.POSITIVE_INFINITY, perSecond }: LineLimits,
    given: { readonly sender: Sender; readonly deadlines: Deadlines; readonly log: Log },
  ) {
    this.name = name
    this.slots = new Slots(Math.min(transport.concurrency, connections), perSecond)
    this.#sender = given.sender
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
    const handOver = async () => {
      sent = await this.#sender.send(order, deadline.signal)
      return sent.answer
    }
    let answer: Answer
    try {
      answer = checkedAnswer(await Promise.race([handOver(), deadline.lost.then(tooLate)]))
    } catch (error) {
      if (sent === undefined && !(error instanceof TooLate)) throw error
      this.#log.warn('the outcome of a try is unknown', { transport: this.name, email: id, error })
      answer = unknownAnswer(error)
    } finally {
      deadline.end()
    }
    return { subject: sent?.subject ?? '', recipients: sent?.recipients ?? [to], answer }
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
      this.#trouble = new Gate({}, () => performance.now())
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

class TooLate extends Error {}

function tooLate(): never {
  throw new TooLate('the transport did not answer in time')
}
