import { definePlugin } from 'mailwright'
import { cron } from 'mailwright/plugins/scheduler-cron'

/** Begins as the built-in scheduler. Put your own code into one method after another, and run the contract each time. */
export const ownScheduler = definePlugin({
  name: 'scheduler-own',
  provides: ['scheduler'],
  async open(_options: Record<never, never>, kit) {
    const { scheduler } = await cron().open(kit)
    return {
      scheduler: {
        start: (tasks) => scheduler.start(tasks),
        check: () => scheduler.check(),
        stop: () => scheduler.stop(),
      },
    }
  },
})
