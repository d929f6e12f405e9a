import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'

/** How many mails may go in a period. */
export interface Share {
  /** Names it and its period. */
  readonly key: string
  readonly most: number
  /** When the period ends. */
  readonly until: Date
}

/** Mails that ask for the same share at the same time. */
interface Asking {
  wanted: number
  readonly granted: Promise<number>
}

/**
 * Takes mails off shares, which all processes have in common. Those that ask at the same time are counted by one
 * statement. A mail that was counted and then not sent, as its process crashed, stays counted: less goes then, never more.
 */
export class Shares {
  readonly #asking = new Map<string, Asking>()

  constructor(
    private readonly store: Pick<Store, 'attempts'>,
    private readonly kit: Kit,
  ) {}

  /** Counts a mail in all of these shares, or in none; answers the first that is used up. Throws what the store throws. */
  async take<Each extends Share>(shares: readonly Each[]): Promise<Each | undefined> {
    for (const [i, share] of shares.entries()) {
      if (await this.#takeOne(share)) continue
      for (const { key } of shares.slice(0, i)) await this.store.attempts.giveBack(key, 1)
      return share
    }
    return undefined
  }

  async #takeOne(share: Share): Promise<boolean> {
    const asking = this.#asking.get(share.key) ?? this.#begin(share)
    const place = asking.wanted++
    return place < (await asking.granted)
  }

  #begin({ key, most, until }: Share): Asking {
    const granted = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#asking.delete(key)
      return this.store.attempts.take(key, this.kit.now(), until, asking.wanted, most)
    })
    const asking: Asking = { wanted: 0, granted }
    this.#asking.set(key, asking)
    return asking
  }
}
