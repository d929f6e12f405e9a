import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { CronScheduler } from '../kit/schedule/cron-scheduler.ts'

/**
 * Runs the engine's periodic tasks in this process, by cron expressions in UTC. It is meant for a single
 * process: it does not check whether another one runs the same task. Its timers keep the process alive until it
 * is stopped. It has no options.
 */
export const cron = definePlugin({
  name: 'scheduler-cron',
  provides: ['scheduler'],
  options: v.strictObject({}),
  open: (_options, kit) => ({ scheduler: new CronScheduler(kit) }),
})
