import { RecentlyUsed } from '../../core/values/recently-used.ts'

/** An answer, and for how many seconds it may be kept. */
export interface Lasting<Value> {
  readonly value: Value
  readonly ttl: number
}

interface Kept<Value> {
  readonly value: Value
  readonly askedAt: number
  readonly until: number
}

/** So many characters of records are kept at most: a TXT record may have 64 KB. */
const MOST_WEIGHT = 16_000_000

/**
 * Keeps answers for their time, those used last. Who asks what is being asked already shares that answer; a failure is
 * told to all of them and not kept.
 */
export class AnswerCache<Value> {
  readonly #kept: RecentlyUsed<Kept<Value>>
  readonly #asking = new Map<string, Promise<Value>>()
  readonly #now: () => number

  constructor(most: number, now: () => number) {
    this.#kept = new RecentlyUsed(most, MOST_WEIGHT, (key, { value }) => key.length + JSON.stringify(value).length)
    this.#now = now
  }

  /** The answer for the key: a kept one, unless it must be `fresh`, else that of `ask`. */
  async get(key: string, fresh: boolean, ask: () => Promise<Lasting<Value>>): Promise<Value> {
    if (fresh) return this.#ask(key, ask)
    const now = this.#now()
    const kept = this.#kept.get(key)
    // a clock that was set back must not make an answer last
    if (kept !== undefined && kept.until > now && kept.askedAt <= now) return kept.value
    const asking = this.#asking.get(key) ?? this.#ask(key, ask).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    return asking
  }

  async #ask(key: string, ask: () => Promise<Lasting<Value>>): Promise<Value> {
    const askedAt = this.#now()
    const { value, ttl } = await ask()
    // an answer that was long under way must not take the place of a later one
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.askedAt <= askedAt)
      this.#kept.set(key, { value, askedAt, until: askedAt + ttl * 1000 })
    return value
  }
}
