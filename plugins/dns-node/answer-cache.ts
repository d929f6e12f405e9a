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

/** How many characters of records are kept at most: one TXT record may have 64 KB. */
const MAX_CHARACTERS = 16_000_000

/**
 * Keeps answers for as long as they allow, and drops those not used for longest. Callers that ask the same question at
 * the same time share one answer. A failure goes to all of them and is not kept.
 */
export class AnswerCache<Value> {
  readonly #kept: RecentlyUsed<Kept<Value>>
  readonly #asking = new Map<string, Promise<Value>>()
  readonly #now: () => number

  constructor(most: number, now: () => number) {
    this.#kept = new RecentlyUsed(most, MAX_CHARACTERS, (key, { value }) => key.length + JSON.stringify(value).length)
    this.#now = now
  }

  /** The answer for the key: the kept one, unless it must be `fresh`, or else what `ask` answers. */
  async get(key: string, fresh: boolean, ask: () => Promise<Lasting<Value>>): Promise<Value> {
    if (fresh) return this.#ask(key, ask)
    const now = this.#now()
    const kept = this.#kept.get(key)
    // a clock that was set back must not make an answer last longer
    if (kept !== undefined && kept.until > now && kept.askedAt <= now) return kept.value
    const asking = this.#asking.get(key) ?? this.#ask(key, ask).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    return asking
  }

  async #ask(key: string, ask: () => Promise<Lasting<Value>>): Promise<Value> {
    const askedAt = this.#now()
    const { value, ttl } = await ask()
    // an answer that took long must not replace a later one
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.askedAt <= askedAt)
      this.#kept.set(key, { value, askedAt, until: askedAt + ttl * 1000 })
    return value
  }
}
