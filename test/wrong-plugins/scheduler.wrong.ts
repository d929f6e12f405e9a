import type { ScheduledTask, Scheduler } from '../../core/ports/scheduler.ts'
import { cron } from '../../plugins/scheduler-cron/index.ts'
import { schedulerContract } from '../contracts/scheduler.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

const opened = async () => (await cron().open(KIT)).scheduler

/** Two schedulers of which the first to start runs the ticks; the other one takes over, or never does. */
function pair(takesOver: boolean) {
  let leader: Scheduler | undefined
  const make = async (): Promise<Scheduler> => {
    const inner = await opened()
    const own: Scheduler = {
      start(tasks: readonly ScheduledTask[]) {
        leader ??= own
        const led = tasks.map((task) => ({
          ...task,
          run: async (signal: AbortSignal) => {
            if (takesOver) leader ??= own
            if (leader === own) await task.run(signal)
          },
        }))
        return inner.start(led)
      },
      check: () => inner.check(),
      async stop() {
        await inner.stop()
        if (leader === own) leader = undefined
      },
    }
    return own
  }
  return make
}
const contract = (make: () => Promise<Scheduler>) => async () => {
  const scheduler = await make()
  return { scheduler, other: make, close: () => scheduler.stop() }
}

right(() => schedulerContract(() => contract(pair(true))()))
wrong('runs each tick in every process', 'runs each tick in one of several processes', () =>
  schedulerContract(contract(opened)),
)
wrong('leaves the ticks of a process that has stopped to nobody', 'runs each tick in one of several processes', () =>
  schedulerContract(() => contract(pair(false))()),
)
