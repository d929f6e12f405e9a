/** A cache of the values used last, limited by number and weight. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly weight: number }>()
  readonly #most: number
  readonly #mostWeight: number
  readonly #weigh: (key: string, value: Value) => number
  readonly #dropped: ((key: string) => void) | undefined
  #weight = 0

  /** `dropped` is called with the key of each value that is dropped to make room. */
  constructor(
    most: number,
    mostWeight: number,
    weigh: (key: string, value: Value) => number,
    dropped?: (key: string) => void,
  ) {
    this.#most = most
    this.#mostWeight = mostWeight
    this.#weigh = weigh
    this.#dropped = dropped
  }

  /** The value for the key, which becomes the one used last. */
  get(key: string): Value | undefined {
    const known = this.#values.get(key)
    if (known === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, known)
    return known.value
  }

  /** Stores the value, and drops those unused for longest. */
  set(key: string, value: Value): void {
    this.#remove(key)
    const weight = this.#weigh(key, value)
    this.#values.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most && this.#weight <= this.#mostWeight) return
      this.#remove(oldest)
      this.#dropped?.(oldest)
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#values.get(key)?.weight ?? 0
    this.#values.delete(key)
  }
}
