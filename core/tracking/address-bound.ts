/** What a request of an address comes to: the first over the bound in a minute is told from those behind it. */
export type BoundVerdict = 'within' | 'first over' | 'over'

/** So many addresses are counted at a time; when there are more, counting starts anew. */
const MOST_ADDRESSES = 50_000
const MINUTE_MS = 60_000

/** Counts what each address asks for, in windows of a minute, in this process. */
export class AddressBound {
  readonly #perMinute: number
  readonly #counts = new Map<string, number>()
  #window = 0

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** Counts one request. Requests of unknown address are within any bound. */
  count(address: string | undefined, now: Date): BoundVerdict {
    if (address === undefined) return 'within'
    const window = Math.floor(now.getTime() / MINUTE_MS)
    if (window !== this.#window || this.#counts.size >= MOST_ADDRESSES) this.#counts.clear()
    this.#window = window
    const count = (this.#counts.get(address) ?? 0) + 1
    this.#counts.set(address, count)
    if (count <= this.#perMinute) return 'within'
    return count === this.#perMinute + 1 ? 'first over' : 'over'
  }
}
