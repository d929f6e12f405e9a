import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { type Lane, Queue } from '../ports/queue.ts'
import type { DuePosition } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { TASKS } from '../work/jobs.ts'
import { LeaseWatch } from '../work/lease-watch.ts'

const PAGE = 500
/** With this many ids waiting in the queue no more are added. */
const ENOUGH = 5_000
/** When a tick ends, so that the next one begins again with the highest lane. */
const TURN_MS = 4_000
const POLL_MS = 25
const FAR = new Date(8.64e15)
/** A clock this far behind was set back; less is a correction. */
const SET_BACK_MS = 5_000
/** How many rows of a kind are moved in one transaction. */
const MOVED = 500

/**
 * Finds abandoned work and queues it again: leases left by a crash, mail that is due, jobs the queue forgot. The store
 * is the outbox, the queue only carries.
 */
@injectable()
export class Recovery {
  /** Both clocks when they were last compared. */
  #clocks: { readonly wall: number; readonly steady: number } | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(LeaseWatch) private readonly leaseWatch: LeaseWatch,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * At start, with a store that no other process uses: mail that is SENDING was left by the process that died, and
   * times still to come were written before the clock was set back.
   */
  async start(): Promise<void> {
    if (!this.store.exclusive) return
    await this.#moveUp(this.kit.now(), FAR)
    const count = await this.store.emails.expireLeases(FAR)
    if (count > 0) this.kit.log.info('took back mail that was being sent at the end', { count })
    await this.store.contactJobs.expireLeases(FAR)
    await this.store.executions.expireLeases(FAR)
    await this.store.webhookDeliveries.expireLeases(FAR)
    await this.store.inbound.expireLeases(FAR)
  }

  /** Every few seconds, and after start. */
  async tick(signal: AbortSignal): Promise<void> {
    const now = this.kit.now()
    const by = this.#setBack(now)
    // times written by other processes are left to them, whose clocks may be right
    if (by > SET_BACK_MS) await this.#moveUp(now, this.store.exclusive ? FAR : new Date(now.getTime() + by))
    // With an exclusive store every lease is ours and its holder is alive: a clock that jumped must not end it.
    if (!this.store.exclusive) await this.leaseWatch.tick()
    await this.#contactJobs(now)
    const until = performance.now() + TURN_MS
    let after: DuePosition | undefined
    let found = 0
    while (!signal.aborted && performance.now() < until) {
      // Queued mail is due as well: adding much of it again would only make empty claims. The first page has the
      // highest lane, which a long queue of lower lanes must not block.
      if (after && (await this.queue.waiting(TASKS.deliver)) >= ENOUGH) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        continue
      }
      const due = await this.store.emails.due(now, PAGE, after)
      for (const [lane, ids] of byLane(due)) await this.queue.add([{ task: TASKS.deliver, lane, ids }])
      found += due.length
      after = due.at(-1)
      if (due.length < PAGE) break
    }
    if (found > 0) this.kit.log.debug('found mail that is due', { count: found })
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

  /** Imports and bulk changes that wait or were abandoned, oldest first. */
  async #contactJobs(now: Date): Promise<void> {
    const due = await this.store.contactJobs.due(now, PAGE)
    await this.queue.add(due.map((id) => ({ task: TASKS.contactJob, lane: 'workflow', ids: [id], key: id })))
  }
}

function byLane(due: readonly DuePosition[]): ReadonlyMap<Lane, string[]> {
  const lanes = new Map<Lane, string[]>()
  for (const { id, lane } of due) {
    const ids = lanes.get(lane)
    if (ids) ids.push(id)
    else lanes.set(lane, [id])
  }
  return lanes
}
