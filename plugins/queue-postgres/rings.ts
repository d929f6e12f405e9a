import { type Logger, runMigrations } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Clock } from '../../core/ports/clock.ts'
import type { Lane } from '../../core/ports/queue.ts'
import { MergedRings } from '../kit/merged-rings.ts'

/** The longest time ahead that PostgreSQL is asked to keep a ring, in milliseconds. */
const MAX_AHEAD_MS = 3_650 * 24 * 3600 * 1000
/** Rings further ahead than this are found by looking now and then. */
const MAX_TIMER_MS = 120_000
/** graphile-worker gives a job up after this many tries. */
const MAX_ATTEMPTS = 32_767

/** Writes rings as jobs of graphile-worker, one row for each topic and lane. */
export class Rings {
  readonly #merged = new MergedRings()
  readonly #timers = new Set<NodeJS.Timeout>()

  readonly #pool: Pool
  readonly #schema: string
  readonly #clock: Clock
  readonly #isDue: () => void

  /** `isDue` is called when a ring that was made for later is due. */
  constructor(pool: Pool, schema: string, clock: Clock, isDue: () => void) {
    this.#pool = pool
    this.#schema = schema
    this.#clock = clock
    this.#isDue = isDue
  }

  /** Answers when the ring is written. While one of its key is being written, those that come are one. */
  ring(topic: string, lane: Lane, at: Date | undefined): Promise<void> {
    return this.#merged.ring(keyOf(topic, lane), at, (earliest) => this.#write(topic, lane, earliest))
  }

  /** Cancels all timers. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  async #write(topic: string, lane: Lane, at: Date | undefined): Promise<void> {
    const ahead = at ? Math.max(0, at.getTime() - this.#clock.now().getTime()) : 0
    const text = `select ${this.#schema}.mailwright_ring($1, $2, $3, $4)`
    const values = [topic, keyOf(topic, lane), lane, Math.min(ahead, MAX_AHEAD_MS)]
    await this.#pool.query({ name: 'mailwright ring', text, values })
    if (ahead > 0 && ahead < MAX_TIMER_MS) this.#callAfter(ahead)
  }

  #callAfter(ahead: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#isDue()
    }, ahead + 5).unref()
    this.#timers.add(timer)
  }
}

/** The job key of all rings of a topic and lane. */
export function keyOf(topic: string, lane: Lane): string {
  return `${lane} ${topic}`
}

/** Makes the tables or updates them. Of several processes, one does it while the others wait. */
export async function makeTables(pool: Pool, schema: string, logger: Logger): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [`mailwright queue ${schema}`])
    await runMigrations({ pgPool: pool, schema, logger })
    await client.query(ringFunction(schema))
  } finally {
    // closing the connection is the sure way to release the lock
    client.release(true)
  }
}

/**
 * Rings: when a row of this key waits for an earlier time already, that is all; else it is made, or its time is moved
 * up. The lock keeps a later ring from putting off an earlier one. A row that is taken just now had its key when the
 * work was already stored, so its wake finds it.
 */
function ringFunction(schema: string): string {
  return `create or replace function ${schema}.mailwright_ring(topic text, ring_key text, lane text, ahead double precision)
    returns void language plpgsql set search_path to pg_catalog, pg_temp as $$
    declare wanted timestamptz := now() + ahead * interval '1 millisecond';
    begin
      perform pg_advisory_xact_lock(hashtext(ring_key));
      if exists (select 1 from ${schema}.jobs as j
        where j.key = ring_key and j.locked_at is null and j.attempts = 0 and j.run_at <= wanted) then return;
      end if;
      perform ${schema}.add_job(topic, json_build_object('lane', lane), run_at => wanted, max_attempts => ${MAX_ATTEMPTS},
        job_key => ring_key, flags => array[ring_key]);
    end $$`
}
