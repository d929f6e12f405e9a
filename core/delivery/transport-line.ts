import { randomInt } from 'node:crypto'
import PQueue from 'p-queue'
import { hopTrouble, sentence } from '../bounces/refusal.ts'
import type { Answer, NamedTransport, Refusal } from '../ports/mail-transport.ts'
import { LANES, type Lane } from '../ports/queue.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { BackOff, type Caution } from './throttle-back-off.ts'
import { Gate } from './throttle-gate.ts'

/** This many refusals in a row that may be the next hop's trouble count as its trouble. */
const IN_A_ROW = 3
/** A restarted relay should not be waited for much longer than its restart takes, and it knows us. */
const OF_A_HOP: Caution = { firstPauseMs: 1_000, longestPauseMs: 60_000, firstRate: 10, leastRate: 10 }
/** How often ongoing trouble is logged, instead of with each mail. */
const SAY_AGAIN_MS = 60_000

type LineLimits = EngineValues['delivery']['throttle']['transports'][string]

/** A transport with its slots, the mails that wait for one, and the state of its next hop. */
export class TransportLine {
  readonly name: string
  readonly transport: NamedTransport['transport']
  readonly slots: PQueue
  /** When a mail last had an answer of the next hop, by the monotonic clock. */
  reachedAt: number | undefined
  readonly #concurrency: number
  readonly #waiting: Record<Lane, number> = { transactional: 0, workflow: 0, campaign: 0 }
  readonly #watching: (() => void)[] = []
  #trouble: Gate | undefined
  #row = 0
  #isSaid = false
  #saidAt = Number.NEGATIVE_INFINITY

  constructor({ name, transport }: NamedTransport, { connections = Number.POSITIVE_INFINITY, perSecond }: LineLimits) {
    this.name = name
    this.transport = transport
    this.#concurrency = Math.min(transport.concurrency, connections)
    this.slots = new PQueue({ concurrency: this.#concurrency, ...(perSecond === undefined ? {} : windows(perSecond)) })
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

  /** How long the pause still lasts, for the log. */
  get pause(): { readonly pauseSeconds?: number } {
    return this.isPaused ? { pauseSeconds: Math.ceil((this.pausedUntil - performance.now()) / 1000) } : {}
  }

  hasRoom(lane: Lane): boolean {
    return this.#waiting[lane] < this.#concurrency
  }

  /** Answers when one of the waiting mails has got its slot. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#watching.push(resolve))
  }

  async runInSlot(lane: Lane, run: () => Promise<boolean>): Promise<boolean> {
    this.#waiting[lane]++
    const priority = LANES.length - LANES.indexOf(lane)
    return this.slots.add(
      () => {
        this.#waiting[lane]--
        for (const look of this.#watching.splice(0)) look()
        return run()
      },
      { priority },
    )
  }

  /** Learns from the answer to a try that began at `since` (by `performance.now()`). Answers a change worth logging. */
  note(answer: Answer, since: number): 'in trouble' | 'well again' | undefined {
    if (answer.outcome === 'unknown') return undefined
    const trouble = answer.outcome === 'refused' ? hopTrouble(answer) : undefined
    if (answer.outcome !== 'refused' || answer.stage !== 'connect') this.reachedAt = performance.now()
    if (answer.outcome === 'refused' && trouble) {
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

/** Windows of a tenth of a second or of one mail, whichever is longer: small windows give an even flow. */
function windows(perSecond: number): { readonly interval: number; readonly intervalCap: number } {
  const intervalCap = Math.max(1, Math.floor(perSecond / 10))
  return { interval: (intervalCap / perSecond) * 1000, intervalCap }
}
