import { LANES, type Lane } from '../ports/queue.ts'

/** Slots that went unused this long are made up for at once, in milliseconds. */
const BURST_MS = 100

/** How many slots only transactional mail gets, at most: it comes one by one, and would wait for a campaign to free one. */
const KEPT_FREE = 2
/** Of so many slots one is kept free. */
const SHARED_BY = 10

/** The slots of a transport: so many mails at a time, at most so many a second, the highest lane first. */
export class Slots {
  #concurrency: number
  /** How many slots mail of other lanes leaves to transactional mail. */
  readonly #kept: number
  /** Milliseconds from one mail to the next. */
  #spacing: number
  readonly #waiting: Record<Lane, (() => void)[]> = { transactional: [], workflow: [], campaign: [] }
  #watching: (() => void)[] = []
  #taken = 0
  /** No mail gets a slot before this time, by the monotonic clock. */
  #next = 0
  #timer: NodeJS.Timeout | undefined
  #grantedAt = Number.NEGATIVE_INFINITY

  /** `perSecond` absent: as many as there are slots. */
  constructor(concurrency: number, perSecond = Number.POSITIVE_INFINITY) {
    this.#concurrency = concurrency
    this.#kept = Math.min(KEPT_FREE, Math.floor(concurrency / SHARED_BY))
    this.#spacing = 1000 / perSecond
  }

  /** Whether fewer mails of this lane wait than there are slots. */
  hasRoom(lane: Lane): boolean {
    return this.#waiting[lane].length < this.#concurrency
  }

  /** When a mail last got a slot, by the monotonic clock. */
  get grantedAt(): number {
    return this.#grantedAt
  }

  /** Answers when a waiting mail has got its slot. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#watching.push(resolve))
  }

  /** Answers when the mail has a slot, undefined when it has one at once. Give it back with `free`. */
  take(lane: Lane): Promise<void> | undefined {
    if (this.#isFree(lane, performance.now()) && !this.#isBehind(lane)) {
      this.#grant()
      return undefined
    }
    return new Promise((resolve) => {
      this.#waiting[lane].push(resolve)
      this.#admit()
    })
  }

  free(): void {
    this.#taken--
    this.#admit()
  }

  /** Lets all mails through from now on: the transport hands none over any more. */
  open(): void {
    this.#concurrency = Number.POSITIVE_INFINITY
    this.#spacing = 0
    this.#next = 0
    this.#admit()
  }

  #isFree(lane: Lane, now: number): boolean {
    return this.#hasSlot(lane) && now >= this.#next
  }

  #hasSlot(lane: Lane): boolean {
    return this.#taken < this.#concurrency - (lane === 'transactional' ? 0 : this.#kept)
  }

  /** Whether mail waits that goes before further mail of this lane. */
  #isBehind(lane: Lane): boolean {
    return LANES.slice(0, LANES.indexOf(lane) + 1).some((each) => this.#waiting[each].length > 0)
  }

  #grant(): void {
    this.#taken++
    this.#grantedAt = performance.now()
    if (this.#spacing > 0) this.#next = Math.max(this.#next, this.#grantedAt - BURST_MS) + this.#spacing
  }

  #admit(): void {
    for (const lane of LANES) {
      const line = this.#waiting[lane]
      while (line.length > 0 && this.#isFree(lane, performance.now())) {
        this.#grant()
        line.shift()?.()
        for (const look of this.#watching.splice(0)) look()
      }
    }
    if (this.#timer !== undefined || this.#spacing === 0) return
    if (!LANES.some((lane) => this.#waiting[lane].length > 0 && this.#hasSlot(lane))) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#admit()
      },
      Math.ceil(this.#next - performance.now()),
    )
  }
}
