/** Whether an address is within its limit: the first request over it in a minute differs from later ones. */
export type BoundVerdict = 'within' | 'first over' | 'over'

/** How many addresses are counted at a time; with more, counting starts again. */
const MAX_ADDRESSES = 50_000
const MINUTE_MS = 60_000

/** Counts the requests of each address, in windows of a minute, in this process. */
export class AddressBound {
  readonly #perMinute: number
  readonly #counts = new Map<string, number>()
  #window = 0

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** Counts one request. Requests of unknown addresses are not limited. */
  count(address: string | undefined, now: Date): BoundVerdict {
    if (address === undefined) return 'within'
    const window = Math.floor(now.getTime() / MINUTE_MS)
    if (window !== this.#window || this.#counts.size >= MAX_ADDRESSES) this.#counts.clear()
    this.#window = window
    const count = (this.#counts.get(address) ?? 0) + 1
    this.#counts.set(address, count)
    if (count <= this.#perMinute) return 'within'
    return count === this.#perMinute + 1 ? 'first over' : 'over'
  }
}
