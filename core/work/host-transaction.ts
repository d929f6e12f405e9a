import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { type Metrics, noMetrics } from '../ports/metrics.ts'
import type { Queue } from '../ports/queue.ts'
import type { HostTransaction, Store } from '../ports/store/store.ts'
import { noTraces } from '../ports/traces.ts'
import { Doorbell } from './doorbell.ts'

/** Options of calls that can take part in a transaction of the host. */
export interface HostOptions {
  /**
   * A connection of yours to the engine's database on which a transaction is open: a client of `pg` (not the pool), or with SQLite
   * your handle of the same file. What the call stores is committed, or rolled back, by you.
   */
  readonly client?: object | undefined
}

/** The parts that a room uses instead of its own while it works in a host's transaction. */
export interface Hosted {
  readonly store: Store
  /** Counts and traces once the transaction is committed. */
  readonly kit: Kit
  /** Rings once the transaction has ended. */
  readonly doorbell: Doorbell
}

/**
 * Runs `work` inside the host's transaction. What it counts, traces and rings is held back until that has ended;
 * `wasStored` then says whether it was committed. Throws EngineError `BAD_REQUEST` for a client that has
 * no transaction in this database, and what `work` throws.
 */
export async function inHostTransaction<T>(
  { store, doorbell, kit }: Hosted,
  client: object,
  wasStored: (emailIds: readonly string[]) => Promise<boolean>,
  work: (hosted: Hosted) => Promise<T>,
): Promise<T> {
  if (store.join === undefined) {
    throw new EngineError('BAD_REQUEST', 'client: this store cannot take part in a transaction of yours')
  }
  const held = new Held()
  return store.join(client, async (host: HostTransaction) => {
    const answer = await work({
      store: host.store,
      kit: held.kit(kit),
      doorbell: new Doorbell(held.queue(doorbell), kit),
    })
    void host.ended
      .then(() => held.release(wasStored))
      .catch((error: unknown) => {
        kit.log.debug('could not see how a transaction of the host ended; the next look finds its work', { error })
      })
    return answer
  })
}

/** The actions that are held until the host's transaction has ended. */
class Held {
  readonly #emailIds: string[] = []
  readonly #counts: (() => void)[] = []
  readonly #rings: (() => void)[] = []

  /** A rollback leaves nothing to count. A ring may find nothing. */
  async release(wasStored: (emailIds: readonly string[]) => Promise<boolean>): Promise<void> {
    for (const ring of this.#rings) ring()
    if (this.#counts.length > 0 && (await wasStored(this.#emailIds))) for (const count of this.#counts) count()
  }

  kit(kit: Kit): Kit {
    const metrics: Metrics = {
      ...noMetrics,
      accepted: (lane, mails) => void this.#counts.push(() => kit.metrics.accepted(lane, mails)),
    }
    const accepted = (ids: readonly string[]) => {
      this.#emailIds.push(...ids)
      this.#counts.push(() => kit.traces.accepted(ids))
    }
    return { ...kit, metrics, traces: { ...noTraces, accepted } }
  }

  queue(doorbell: Doorbell): Queue {
    return {
      exclusive: true,
      ring: async (topic, about) => void this.#rings.push(() => doorbell.ring(topic, about)),
      listen: async () => {},
      check: async () => {},
      stop: async () => {},
    }
  }
}
