import { EngineError } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { LimitedLog } from '../../../core/ports/limited-log.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { ScheduledTask, Scheduler } from '../../../core/ports/scheduler.ts'
import { cronExpression } from './cron-expression.ts'
import { type TaskTimer, taskTimer } from './task-timer.ts'

/** A task that runs every second is stuck when it has begun no tick for this long, in milliseconds. */
const STUCK_MS = 10_000

/** Decides which of several processes runs the ticks. */
export interface Leadership {
  /** Keeps trying to lead, until it does or is released. */
  acquire(): Promise<void>
  /** Checks whether this process leads now. Answers a signal that aborts when it no longer does, or undefined. */
  confirm(): Promise<AbortSignal | undefined>
  /** Rejects when this process can neither lead nor wait to. */
  check(): Promise<void>
  /** Lets another process lead. */
  release(): Promise<void>
}

/** A running task: its timer, and when it last began a tick (by `performance.now()`). */
interface Running {
  readonly name: string
  readonly timer: TaskTimer
  begun: number
}

/** Runs tasks by node-cron expressions: at every tick, or, given a leadership, while this process leads. */
export class CronScheduler implements Scheduler {
  readonly #log: Log
  readonly #failures: LimitedLog
  readonly #clock: Clock
  readonly #leadership: Leadership | undefined
  readonly #ticks = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #state: 'new' | 'running' | 'stopped' = 'new'
  #tasks: readonly Running[] = []

  constructor({ log, clock }: { readonly log: Log; readonly clock: Clock }, leadership?: Leadership) {
    this.#log = log
    this.#failures = new LimitedLog(log, 1)
    this.#clock = clock
    this.#leadership = leadership
  }

  async start(tasks: readonly ScheduledTask[]): Promise<void> {
    if (this.#state !== 'new')
      throw new EngineError('CONFLICT', `scheduler: it cannot be started, it is ${this.#state}`)
    // All expressions are checked before the first task is set, so that a wrong one leaves nothing behind.
    for (const task of tasks) refuseWrongCron(task)
    this.#tasks = tasks.map((task) => this.#begin(task))
    this.#state = 'running'
    await this.#leadership?.acquire()
  }

  async check(): Promise<void> {
    if (this.#state !== 'running') throw new EngineError('SERVICE_UNAVAILABLE', 'scheduler: it does not run')
    const now = performance.now()
    const stuck = this.#tasks.find(({ timer: { period }, begun }) => period === 1000 && now - begun > STUCK_MS)
    if (stuck) {
      const seconds = Math.floor((now - stuck.begun) / 1000)
      throw new EngineError('SERVICE_UNAVAILABLE', `scheduler: ${stuck.name} had no tick for ${seconds} s`)
    }
    await this.#leadership?.check()
  }

  async stop(): Promise<void> {
    this.#state = 'stopped'
    for (const { timer } of this.#tasks) timer.stop()
    this.#tasks = []
    this.#stopping.abort()
    await Promise.all(this.#ticks)
    await this.#leadership?.release()
  }

  #begin(task: ScheduledTask): Running {
    let isRunning = false
    const tick = () => {
      if (this.#state !== 'running') return
      if (isRunning) return this.#log.debug(`scheduler: ${task.name} still runs, this tick is left out`)
      isRunning = true
      running.begun = performance.now()
      const ended = this.#run(task).finally(() => {
        isRunning = false
        this.#ticks.delete(ended)
      })
      this.#ticks.add(ended)
    }
    const running = { name: task.name, timer: taskTimer(task, this.#clock, tick), begun: performance.now() }
    return running
  }

  async #run(task: ScheduledTask): Promise<void> {
    const tick = new AbortController()
    const abort = () => tick.abort()
    const reasons = [this.#stopping.signal]
    try {
      if (this.#leadership) {
        const lost = await this.#leadership.confirm()
        if (lost === undefined || this.#stopping.signal.aborted) return
        reasons.push(lost)
      }
      for (const reason of reasons) reason.addEventListener('abort', abort)
      await task.run(tick.signal)
    } catch (error) {
      if (this.#state === 'stopped') this.#log.info(`scheduler: ${task.name} was broken off by the stop`, { error })
      else
        this.#failures.error(task.name, `scheduler: ${task.name} failed and runs again at its next tick`, {
          task: task.name,
          error,
        })
    } finally {
      for (const reason of reasons) reason.removeEventListener('abort', abort)
    }
  }
}

function refuseWrongCron({ name, cron }: ScheduledTask): void {
  const { problem } = cronExpression(cron)
  if (problem === undefined) return
  throw new EngineError('CONFIG_INVALID', `scheduler: ${name}: ${JSON.stringify(cron)}: ${problem}`)
}
