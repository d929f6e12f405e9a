import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { Lane } from '../ports/queue.ts'
import type { ClaimedEmail, Lease } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { Leases } from '../work/leases.ts'
import { type ClaimedMails, Deliver, type Ends } from './deliver.ts'
import { Recorder } from './recorder.ts'
import { TransportRouter } from './transport-router.ts'

/** How many rows one claim takes: enough to share its cost, few enough to be sent within the lease. */
export const CLAIM = 200

/** Claims queued mail for `Deliver`, as soon as a transport has room for it. */
@injectable()
export class ClaimMails {
  readonly #lastClaims = new Map<Lane, Promise<unknown>>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(TransportRouter) private readonly router: TransportRouter,
    @inject(Deliver) private readonly deliver: Deliver,
    @inject(Recorder) private readonly recorder: Recorder,
    @inject(Leases) private readonly leases: Leases,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * The queue's handler: sends these e-mails, as far as they are queued and due. Answers when each has its result
   * stored or was given back. Once the engine stops no further row is claimed.
   */
  async handle(ids: readonly string[], lane: Lane, ends: Ends): Promise<void> {
    const sent: Promise<void>[] = []
    try {
      for (let start = 0; start < ids.length && !ends.stopping.aborted; start += CLAIM) {
        const wanted = ids.slice(start, start + CLAIM)
        const ask = (now: Date, lease: Lease) => this.store.emails.claim(wanted, now, lease)
        sent.push(this.deliver.send(await this.claim(lane, ends, ask), ends))
      }
    } finally {
      await Promise.all(sent)
    }
  }

  /**
   * Makes one claim at a time per lane, and only when a transport has room, since claimed mail should be sent soon.
   * `ask` gets the time and the lease and asks for at most `CLAIM` rows; pass the answer to `Deliver.send`. A claim
   * that still waits when the engine stops is not made.
   */
  claim(
    lane: Lane,
    { stopping }: Ends,
    ask: (now: Date, lease: Lease) => Promise<readonly ClaimedEmail[]>,
  ): Promise<ClaimedMails> {
    const before = this.#lastClaims.get(lane) ?? Promise.resolve()
    const claim = before.then(async () => {
      await this.router.room(lane)
      if (stopping.aborted || !this.leases.areSure) return { mails: [], lane, leaseEnd: 0 }
      const now = this.kit.now()
      const length = this.values.delivery.lease * 1000
      const lease = { token: this.leases.token(), until: new Date(now.getTime() + length) }
      const leaseEnd = performance.now() + length
      try {
        return { mails: await ask(now, lease), lane, leaseEnd }
      } catch (error) {
        // the connection may have failed after the rows were claimed
        void this.recorder.disown(lease.token, stopping)
        throw error
      }
    })
    const settled = claim.catch(() => {})
    this.#lastClaims.set(lane, settled)
    return claim
  }
}
