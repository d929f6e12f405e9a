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

/** The scheduler of one process, changed. */
const changed = (change: (scheduler: Scheduler) => Partial<Scheduler>) =>
  schedulerContract(async () => {
    const inner = await opened()
    const same: Scheduler = {
      start: (tasks) => inner.start(tasks),
      check: () => inner.check(),
      stop: () => inner.stop(),
    }
    return { scheduler: Object.assign(same, change(inner)), other: undefined, close: () => inner.stop() }
  })

right(() => schedulerContract(() => contract(pair(true))()))
wrong('runs each tick in every process', 'runs each tick in one of several processes', () =>
  schedulerContract(contract(opened)),
)
wrong('leaves the ticks of a process that has stopped to nobody', 'runs each tick in one of several processes', () =>
  schedulerContract(() => contract(pair(false))()),
)
wrong('makes up for missed turns', 'does not make up for turns', () =>
  changed((scheduler) => ({
    start: (tasks) =>
      scheduler.start(
        tasks.map((task) => ({
          ...task,
          run: async (signal) => {
            const begun = Date.now()
            await task.run(signal)
            if (Date.now() - begun > 1000 && !signal.aborted) await task.run(signal)
          },
        })),
      ),
  })),
)
