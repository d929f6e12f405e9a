import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { InProcessQueue } from './in-process-queue.ts'

/**
 * The queue of a single process: it holds ids in memory and works them off with a fixed number of runners. Nothing is
 * written anywhere; after a restart, the engine's recovery adds again what is not done in the store.
 *
 * How it keeps the port's promises:
 * - With a free runner, a job starts in the same turn of the event loop. While all runners are busy, ids of the same
 *   task and lane collect and leave in batches.
 * - A few runners are kept for the higher lanes, see `plugins/kit/queue/lane-gates.ts`.
 * - Jobs added before `work()` wait. After it, ids of a task without a worker are dropped, so that memory does not fill
 *   up with ids that can never run, and the task is logged as an error, once.
 * - A run that threw is tried again after one pause, then after five; then it is logged as an error and dropped.
 * - A key replaces a job that has not begun: one that waits or is delayed, but not one that waits for its next try.
 * - `stop()` drops what waits or is delayed.
 */
export const inProcess = definePlugin({
  name: 'queue-in-process',
  provides: ['queue'],
  options: v.strictObject({
    /** How many handlers may run at a time, over all lanes. Default 20. */
    concurrency: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 20),
    /**
     * Milliseconds before the second try of a run that threw. The third comes after five times as long. Default 1000.
     */
    retryPauseMs: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(3_600_000)), 1000),
  }),
  open: (options, kit) => ({ queue: new InProcessQueue(options, kit) }),
})
