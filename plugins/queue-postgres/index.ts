import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { connectionOptions } from '../kit/postgres/connection.ts'
import { PostgresQueue } from './postgres-queue.ts'

export const PostgresQueueOptions = v.strictObject({
  ...connectionOptions,
  /** How many handlers may run at a time in this process, over all lanes. Default 20. */
  concurrency: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 20),
  /** Milliseconds before the second try of a run that threw. The third comes after five times as long. Default 1000. */
  retryPauseMs: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(3_600_000)), 1000),
  /** How the names of its three schemas begin; `_transactional`, `_workflow` and `_campaign` follow. */
  schema: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,48}$/, 'must be at most 49 lower-case letters, digits and _')),
    'mailwright_queue',
  ),
})

/**
 * The queue of several processes: graphile-worker on PostgreSQL. Whichever process adds a job, an idle worker process
 * is woken at once (LISTEN/NOTIFY).
 *
 * How it keeps the port's promises:
 * - Each lane has its own tables and worker pool, so that neither the rows nor the handlers of one lane delay another.
 *   Before the handlers, the gates of `plugins/kit/queue/lane-gates.ts` keep a few runners free for the higher lanes.
 * - A process locks at most some 2,500 ids of a lane and leaves the rest to others. The ids it has locked are collected
 *   by task and lane and handed out in batches.
 * - A job with a key replaces one with the same key that no process has locked yet.
 * - Ids of a task without a worker wait, since another process may come that works on it.
 * - A run that threw is tried again after one pause, then after five, by whichever process; then it is logged as an
 *   error and dropped.
 * - When the database goes away, `add()` throws SERVICE_UNAVAILABLE and handlers go on. The queue goes on as soon as
 *   the database is back. What a killed process had locked stays locked for four hours, but recovery adds its ids again
 *   from the ledger long before.
 * - `stop()` gives back what has not begun.
 *
 * It needs up to 13 connections in a process that works, 3 in one that only adds, and no transaction pooler in between.
 */
export const postgresQueue = definePlugin({
  name: 'queue-postgres',
  provides: ['queue'],
  options: PostgresQueueOptions,
  async open(options, kit) {
    const queue = new PostgresQueue(options, kit)
    await queue.open()
    return { queue, close: () => queue.stop(0) }
  },
})
