import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { InProcessQueue } from './in-process-queue.ts'

/**
 * The doorbell of a single process: timers, and nothing is written anywhere. After a restart the engine looks by itself
 * for what waits in the store.
 */
export const inProcess = definePlugin({
  name: 'queue-in-process',
  provides: ['queue'],
  options: v.strictObject({}),
  open: (_options, kit) => ({ queue: new InProcessQueue(kit) }),
})
