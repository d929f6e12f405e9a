/** Keeps the values used last, bounded by their number and by the size of their keys. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number
  readonly #mostCharacters: number
  #characters = 0

  constructor(most: number, mostCharacters: number) {
    this.#most = most
    this.#mostCharacters = mostCharacters
  }

  /** The value for the key; made when there is none. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key)
    if (known !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, known)
      return known
    }
    const made = make()
    this.#values.set(key, made)
    this.#characters += key.length
    this.#shrink()
    return made
  }

  #shrink(): void {
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most && this.#characters <= this.#mostCharacters) return
      this.#values.delete(oldest)
      this.#characters -= oldest.length
    }
  }
}
