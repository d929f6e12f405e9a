import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store/store.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { LeaseWatch } from '../work/lease-watch.ts'

const FAR = new Date(8.64e15)
/** A clock this far behind was set back; less is a correction. */
const SET_BACK_MS = 5_000
/** How many rows of a kind are moved in one transaction. */
const MOVED = 500

/** Frees what a crash or a clock that was set back would hold up, so that the loops find it. */
@injectable()
export class Recovery {
  readonly #leaseWatch: LeaseWatch
  /** Both clocks when they were last compared. */
  #clocks: { readonly wall: number; readonly steady: number } | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#leaseWatch = new LeaseWatch(store, kit)
  }

  /**
   * At start, with a store that no other process uses: mail that is SENDING was left by the process that died, and
   * times still to come were written before the clock was set back.
   */
  async start(): Promise<void> {
    this.#setBack(this.kit.now())
    if (!this.store.exclusive) return
    await this.#moveUp(this.kit.now(), FAR)
    const count = await this.store.emails.expireLeases(FAR)
    if (count > 0) this.kit.log.info('took back mail that was being sent at the end', { count })
    await this.store.contactJobs.expireLeases(FAR)
    await this.store.executions.expireLeases(FAR)
    await this.store.webhookDeliveries.expireLeases(FAR)
    await this.store.inbound.expireLeases(FAR)
    await this.store.outbox.expireLeases(FAR)
    await this.store.begunWork.expireLeases(FAR)
  }

  /** Every few seconds, and after start. */
  async tick(): Promise<void> {
    const now = this.kit.now()
    const by = this.#setBack(now)
    // times written by other processes are left to them, whose clocks may be right
    if (by > SET_BACK_MS) await this.#moveUp(now, this.store.exclusive ? FAR : new Date(now.getTime() + by))
    // With an exclusive store every lease is ours and its holder is alive: a clock that jumped must not end it.
    if (!this.store.exclusive) await this.#leaseWatch.tick()
  }

  /** By how much the wall clock was set back since the last call. */
  #setBack(now: Date): number {
    const clocks = { wall: now.getTime(), steady: performance.now() }
    const { wall, steady } = this.#clocks ?? clocks
    this.#clocks = clocks
    return clocks.steady - steady - (clocks.wall - wall)
  }

  async #moveUp(now: Date, from: Date): Promise<void> {
    while (await this.store.moveUp(now, from, MOVED)) await yieldToLoop()
  }
}
