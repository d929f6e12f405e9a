import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { Workers } from '../ports/store/workers.ts'
import { GONE_MS, leaseMs, memberOf, processOf } from './leases.ts'

/** The longest time between two ticks, in milliseconds; after a longer one earlier observations are dropped. */
const MAX_GAP_MS = 15_000

/**
 * Finds claims of processes that are gone. It relies on its own observations and on the monotonic clock, so that no
 * clock that jumps, here or on another machine, takes a mail from a worker that is sending it.
 */
export class LeaseWatch {
  readonly #leaseMs: number
  /** Since when a member is missing, and since when a token of mails is known. */
  #missing = new Map<string, number>()
  #known = new Map<string, number>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {
    this.#leaseMs = leaseMs(kit)
  }

  /** Every few seconds, in one of the processes: frees claims without an owner. */
  async tick(): Promise<void> {
    const { workers } = this.store
    const now = this.kit.now()
    const count = workers ? await this.#takeBack(workers, now) : await this.store.emails.expireLeases(now)
    if (count > 0) this.kit.log.info('took back mail from workers that are gone', { count })
  }

  async #takeBack(workers: Workers, now: Date): Promise<number> {
    const { mails, others } = await workers.claims(now)
    const members = await workers.members()
    const at = performance.now()
    if (at - this.#lookedAt > MAX_GAP_MS) this.#missing.clear()
    this.#lookedAt = at
    const names = [...mails, ...others].flatMap((token) => memberOf(token) ?? [])
    this.#missing = since(this.#missing, new Set(names.filter((name) => !members.has(name))), at)
    this.#known = since(this.#known, new Set(mails), at)
    const isGone = (token: string) => {
      const missing = this.#missing.get(memberOf(token) ?? '')
      if (missing === undefined) return false
      const process = processOf(token)
      return at - missing >= GONE_MS || (process !== undefined && workers.hasEnded(process))
    }
    // such a process hands nothing over under so old a lease; a missing member may only be stopped
    const isOld = (token: string) =>
      !members.has(memberOf(token) ?? '') && at - (this.#known.get(token) ?? at) >= this.#leaseMs
    const free = [...mails.filter((token) => isGone(token) || isOld(token)), ...others.filter(isGone)]
    return free.length > 0 ? workers.takeBack(free, now) : 0
  }
}

/** For each of these, since when it is known: as before, or from now on. */
function since(before: ReadonlyMap<string, number>, those: ReadonlySet<string>, at: number): Map<string, number> {
  return new Map([...those].map((each) => [each, before.get(each) ?? at]))
}
