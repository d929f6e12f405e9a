import type { Kit } from '../kit.ts'
import type { Leases } from './leases.ts'
import type { Ends, Work } from './work.ts'

/** A process that ends sooner, such as one that is killed again and again, has not ended by such work. */
export const SETTLED_MS = 3000

/**
 * Works off what processes have ended with twice, of all kinds, one piece after the other: when the process ends with it
 * again, it is known with what. So that it is not taken for the cause of an end that would have come anyway, it waits until
 * the process has run for some seconds.
 */
export class AloneWork {
  readonly #works: readonly Work[]
  readonly #ends: Ends
  readonly #leases: Leases
  readonly #kit: Kit
  readonly #since = performance.now()
  #running: Promise<void> | undefined

  constructor(works: readonly Work[], ends: Ends, leases: Leases, kit: Kit) {
    // only what is claimed under a lease is known to be under way
    this.#works = works.filter(({ leaseMs }) => leaseMs > 0)
    this.#ends = ends
    this.#leases = leases
    this.#kit = kit
  }

  /** Every second: begins, unless it is under way or the process is new. Does not wait. */
  look(): void {
    if (performance.now() - this.#since < SETTLED_MS) return
    this.#running ??= this.#workOff().finally(() => {
      this.#running = undefined
    })
  }

  /** Answers when nothing of it is under way. Never rejects. */
  async ended(): Promise<void> {
    await this.#running
  }

  async #workOff(): Promise<void> {
    for (const work of this.#works) {
      try {
        while (await this.#one(work));
      } catch (error) {
        this.#kit.log.warn('could not look for interrupted work; it is tried again', { topic: work.topic, error })
      }
    }
  }

  /** Answers whether there was any. */
  async #one(work: Work): Promise<boolean> {
    if (this.#ends.stopping.aborted || !this.#leases.areSure) return false
    const now = this.#kit.now()
    const lease = { token: this.#leases.token(), until: new Date(now.getTime() + work.leaseMs), alone: true }
    const leaseEnd = performance.now() + work.leaseMs
    const claimed = await work.claim({ now, lease, leaseEnd, room: 1, ends: this.#ends })
    await Promise.allSettled(claimed?.running ?? [])
    return claimed !== undefined && claimed.running.length > 0
  }
}
