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

/** The scheduler of one process, with changed tasks. */
const tasks = (change: (task: ScheduledTask) => ScheduledTask) =>
  changed((scheduler) => ({ start: (given) => scheduler.start(given.map(change)) }))

wrong('waits for times of day by the monotonic clock', 'by the wall clock, set back or forth', () =>
  changed((scheduler) => {
    const timers: NodeJS.Timeout[] = []
    return {
      start: async (given) => {
        const isDaily = ({ cron: expression }: ScheduledTask) => /^\d+ \d+ \d+ \* \* \*$/.test(expression)
        await scheduler.start(given.filter((task) => !isDaily(task)))
        for (const task of given.filter(isDaily)) {
          const [second = 0, minute = 0, hour = 0] = task.cron.split(' ').map(Number)
          const wait = (new Date().setUTCHours(hour, minute, second, 0) - Date.now() + 86_400_000) % 86_400_000
          timers.push(setTimeout(() => void task.run(new AbortController().signal), wait))
        }
      },
      stop: () => {
        for (const timer of timers) clearTimeout(timer)
        return scheduler.stop()
      },
    }
  }),
)
wrong('begins a task that still runs', 'never runs a task while it still runs', () =>
  tasks((task) => ({
    ...task,
    run: async (signal) => {
      void task.run(signal).catch(() => {})
    },
  })),
)
wrong('runs a task that threw no more', 'also after it threw', () =>
  tasks((task) => {
    let isBroken = false
    const run = async (signal: AbortSignal) => {
      if (isBroken) return
      isBroken = true
      await task.run(signal)
      isBroken = false
    }
    return { ...task, run }
  }),
)
wrong('never aborts a task', 'aborts the running task at stop', () =>
  changed((scheduler) => ({
    start: (given) =>
      scheduler.start(given.map((task) => ({ ...task, run: () => task.run(new AbortController().signal) }))),
    stop: async () => void (await Promise.race([scheduler.stop(), new Promise((done) => setTimeout(done, 200))])),
  })),
)
wrong('is well when it does not run', 'passes the check only while it runs', () =>
  changed(() => ({ check: async () => {} })),
)
wrong('leaves out wrong expressions', 'refuses a wrong expression', () =>
  changed((scheduler) => ({
    start: (given) => scheduler.start(given.filter(({ cron: expression }) => !expression.startsWith('61'))),
  })),
)
wrong('says that an expression is wrong, and not whose', 'by the name of its task', () =>
  changed((scheduler) => ({
    start: (given) =>
      scheduler.start(given).catch(() => {
        throw new Error('an expression is wrong')
      }),
  })),
)
wrong('reads hours and minutes of the place', 'reads expressions in UTC', () =>
  tasks((task) => {
    const parts = task.cron.split(' ')
    const minute = parts.at(-5)
    if (minute === undefined || !/^[\d,]+$/.test(minute)) return task
    // Kolkata is half an hour beside the full hours
    const shifted = minute.split(',').map((each) => (Number(each) + 30) % 60)
    return { ...task, cron: parts.toSpliced(-5, 1, shifted.join()).join(' ') }
  }),
)
wrong('knows no days and months', 'whose time has not come, also with five fields', () =>
  tasks((task) => (task.cron.split(' ').length === 5 ? { ...task, cron: '* * * * * *' } : task)),
)
wrong('cannot be stopped before it was started', 'can be stopped before it was started', () => {
  return changed((scheduler) => {
    let isStarted = false
    return {
      start: (given) => {
        isStarted = true
        return scheduler.start(given)
      },
      stop: async () => {
        if (!isStarted) throw new Error('it does not run')
        await scheduler.stop()
      },
    }
  })
})
wrong('leaves a timer behind', 'leaves no timer that keeps the process running', () => {
  return changed((scheduler) => ({
    stop: async () => {
      await scheduler.stop()
      setInterval(() => {}, 3_600_000)
    },
  }))
})
