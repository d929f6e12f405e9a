import * as v from 'valibot'
import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { connectionOptions, oneDatabase } from '../kit/postgres/connection.ts'

export const PostgresQueueOptions = v.pipe(
  v.strictObject({
    ...connectionOptions,
    /** The schema of its tables. */
    schema: v.optional(
      v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be at most 63 lower-case letters, digits and _')),
      'mailwright_queue',
    ),
  }),
  oneDatabase(),
)

/**
 * The doorbell of several processes: graphile-worker on PostgreSQL. Whichever process rings, an idle worker process is
 * woken at once (LISTEN/NOTIFY).
 *
 * How it keeps the port's promises:
 * - A topic and lane is one row with a `job_key` and a `run_at`. Rings while it waits find it and write nothing.
 * - A process takes no ring of a topic and lane it is working on (`forbiddenFlags`), so others get it.
 * - The row is done when the wake begins. When the process dies then, the ring is lost: the engine's regular looks find
 *   the work, and the next ring makes a new row.
 * - When the database goes away, `ring()` throws SERVICE_UNAVAILABLE, and wakes go on. The queue goes on as soon as the
 *   database is back.
 *
 * It needs up to 6 connections in a process that works, 2 in one that only rings. Behind a pooler that passes no notices on it
 * is refused with CONFIG_INVALID.
 */
export const postgresQueue = definePlugin({
  name: 'queue-postgres',
  provides: ['queue'],
  options: PostgresQueueOptions,
  async open(options, kit) {
    const { PostgresQueue } = await loadOptional('queue-postgres', 'postgres', () => import('./postgres-queue.ts'))
    const queue = new PostgresQueue(options, kit)
    await queue.open()
    return { queue, close: () => queue.stop() }
  },
  // opening it makes its tables
  async reach(options) {
    const look = () => import('./refuse-pooler.ts')
    await (await loadOptional('queue-postgres', 'postgres', look)).refusePooler(options)
  },
})
