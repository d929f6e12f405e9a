import type { Kit } from '../kit.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import type { Doorbell } from './doorbell.ts'
import type { Leases } from './leases.ts'
import type { Claimed, Ends, Work } from './work.ts'

/** Claims that have failed for this many milliseconds, with none that succeeded, are trouble. */
const TROUBLE_MS = 10_000

/** How soon a loop looks again at the earliest, by itself. */
const PAUSE_MS = 100

/**
 * Works off one kind of background work: when rung it claims what is due, runs it, and claims again until nothing is
 * left. Then it asks when the next item is due, and rings for that time.
 */
export class WorkLoop {
  readonly work: Work
  readonly #ends: Ends
  readonly #leases: Leases
  readonly #doorbell: Doorbell
  readonly #kit: Kit
  readonly #log: LimitedLog
  readonly #running = new Set<Promise<void>>()
  #underWay = 0
  /** Grows with every claim that got something. */
  #found = 0
  /** Since when claims have failed, by the monotonic clock, and why the last one did. */
  #failing: { readonly since: number; readonly error: unknown } | undefined
  #isAsked = false
  #isMore = false
  #isLooking = false
  #looked = Promise.resolve()
  #changed = () => {}

  constructor(work: Work, ends: Ends, leases: Leases, doorbell: Doorbell, kit: Kit) {
    this.work = work
    this.#ends = ends
    this.#leases = leases
    this.#doorbell = doorbell
    this.#kit = kit
    // a database that refuses everything is asked several times a second
    this.#log = new LimitedLog(kit.log, 1)
    ends.stopping.addEventListener('abort', () => this.#changed())
  }

  /** Answers when there is nothing more to claim now. Throws what a claim throws; it must then be woken again. */
  wake(): Promise<void> {
    this.#isAsked = true
    this.#changed()
    if (!this.#isLooking) this.#looked = this.#look()
    return this.#looked
  }

  /** The same for regular looks: does not wait, and errors are logged. */
  look(): void {
    const isLooking = this.#isLooking
    const looked = this.wake()
    if (!isLooking) looked.catch((error: unknown) => this.#missed(error))
  }

  /** As `look`, but only when something is due. Never rejects. */
  async lookIfDue(): Promise<void> {
    if (this.#isLooking) return
    try {
      const next = this.work.next ? await this.work.next() : this.#kit.now()
      if (next && next <= this.#kit.now()) this.look()
    } catch (error) {
      this.#missed(error)
    }
  }

  /** The error of the last claim, when claims have failed for a while and none has succeeded since. */
  get trouble(): unknown {
    const { since, error } = this.#failing ?? {}
    return since !== undefined && performance.now() - since > TROUBLE_MS ? error : undefined
  }

  /** How many items are under way in this process. */
  get underWay(): number {
    return this.#underWay
  }

  /**
   * Works off what is due, and waits for what is under way. Answers whether there was any of either, or may still be:
   * also when it could not look. Never rejects.
   */
  async workOff(): Promise<boolean> {
    const before = this.#found
    const isBusy = this.#underWay > 0
    try {
      await this.wake()
      await Promise.all(this.#running)
      if (isBusy || this.#found > before || !this.#leases.areSure) return true
      const next = await this.work.next?.()
      return next !== undefined && next <= this.#kit.now()
    } catch (error) {
      this.#missed(error)
      return true
    }
  }

  /** Answers when nothing runs any more; call it after `stopping` was aborted. */
  async ended(): Promise<void> {
    await this.#looked.catch(() => {})
    await Promise.all(this.#running)
  }

  #missed(error: unknown): void {
    this.#log.warn('look', 'could not look for work; it is tried again', { topic: this.work.topic, error })
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    try {
      while (this.#mayClaim) {
        if (!this.#isRoom) {
          await new Promise<void>((resolve) => {
            this.#changed = resolve
          })
          continue
        }
        await this.work.room?.(this.#ends)
        if (!this.#mayClaim) break
        this.#isAsked = false
        this.#isMore = false
        const claimed = await this.#claim()
        if (claimed) this.#follow(claimed)
        await yieldToLoop()
      }
    } finally {
      this.#isLooking = false
    }
    await this.#ringForNext()
  }

  /** After a standstill or while the database may be away nothing is claimed: the next regular look tries again. */
  get #mayClaim(): boolean {
    return (this.#isAsked || this.#isMore) && !this.#ends.stopping.aborted && this.#leases.areSure
  }

  get #isRoom(): boolean {
    const { atOnce, few = atOnce } = this.work
    return this.#underWay < (this.#isAsked ? atOnce : few)
  }

  async #claim(): Promise<Claimed | undefined> {
    const { atOnce, leaseMs } = this.work
    const now = this.#kit.now()
    const lease = { token: this.#leases.token(), until: new Date(now.getTime() + leaseMs) }
    const room = atOnce - this.#underWay
    try {
      const claimed = await this.work.claim({
        now,
        lease,
        leaseEnd: performance.now() + leaseMs,
        room,
        ends: this.#ends,
      })
      this.#failing = undefined
      return claimed
    } catch (error) {
      this.#failing = { since: this.#failing?.since ?? performance.now(), error }
      throw error
    }
  }

  #follow({ isMore, running, each = 1, done = 0 }: Claimed): void {
    this.#isMore = isMore
    this.#found += running.length + done
    // other processes may take a share
    if (isMore) this.#doorbell.ring(this.work.topic, { lane: this.work.lane })
    for (const work of running) {
      this.#underWay += each
      const done = this.#settled(work).then(() => {
        this.#underWay -= each
        this.#running.delete(done)
        this.#changed()
        if (this.#running.size === 0 && !this.#isLooking) return this.#ringForNext()
      })
      this.#running.add(done)
    }
  }

  /** Never rejects: what is left of a claim is free again when its lease ends. */
  async #settled(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#kit.log.error('background work failed', { topic: this.work.topic, error })
    }
  }

  /** Never rejects: what is due is also found by the regular looks. */
  async #ringForNext(): Promise<void> {
    if (this.work.next === undefined || this.#ends.stopping.aborted) return
    try {
      const next = await this.work.next()
      // what is due and was not to be had just now must not keep the loop busy
      const soon = this.#kit.now().getTime() + PAUSE_MS
      if (next)
        this.#doorbell.ring(this.work.topic, { lane: this.work.lane, at: new Date(Math.max(next.getTime(), soon)) })
    } catch (error) {
      this.#kit.log.debug('could not ask when work is due next', { topic: this.work.topic, error })
    }
  }
}
