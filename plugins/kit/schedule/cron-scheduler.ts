import nodeCron from 'node-cron'
import { EngineError } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { ScheduledTask, Scheduler } from '../../../core/ports/scheduler.ts'

/** Decides which of several processes runs the turns. */
export interface Leadership {
  /** Begins to strive for it, for as long as it takes. */
  strive(): Promise<void>
  /** Asks whether this process leads now: a signal that is aborted when it no longer does, or undefined. */
  confirm(): Promise<AbortSignal | undefined>
  /** Rejects when it can neither lead nor wait for it. */
  check(): Promise<void>
  /** Lets another process lead. */
  resign(): Promise<void>
}

/** Runs tasks over node-cron: every turn, or with a leadership those that fall while this process has it. */
export class CronScheduler implements Scheduler {
  readonly #log: Log
  readonly #leadership: Leadership | undefined
  readonly #turns = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #state: 'new' | 'running' | 'stopped' = 'new'
  #timers: readonly { start(): unknown; destroy(): unknown }[] = []

  constructor(log: Log, leadership?: Leadership) {
    this.#log = log
    this.#leadership = leadership
  }

  async start(tasks: readonly ScheduledTask[]): Promise<void> {
    if (this.#state !== 'new')
      throw new EngineError('CONFLICT', `scheduler: it cannot be started, it is ${this.#state}`)
    // All expressions are looked at before the first task is set, so that a wrong one leaves nothing behind.
    for (const task of tasks) refuseWrongCron(task)
    this.#timers = tasks.map((task) => this.#timer(task))
    for (const timer of this.#timers) await timer.start()
    this.#state = 'running'
    await this.#leadership?.strive()
  }

  async check(): Promise<void> {
    if (this.#state !== 'running') throw new EngineError('SERVICE_UNAVAILABLE', 'scheduler: it does not run')
    await this.#leadership?.check()
  }

  async stop(): Promise<void> {
    this.#state = 'stopped'
    for (const timer of this.#timers) await timer.destroy()
    this.#timers = []
    this.#stopping.abort()
    await Promise.all(this.#turns)
    await this.#leadership?.resign()
  }

  #timer(task: ScheduledTask) {
    let running = false
    const turn = () => {
      if (this.#state !== 'running') return
      // Not node-cron's `noOverlap`: that warns of every turn left out, and leaving it out is what is wanted.
      if (running) return this.#log.debug(`scheduler: ${task.name} still runs, this turn is left out`)
      running = true
      const ended = this.#run(task).finally(() => {
        running = false
        this.#turns.delete(ended)
      })
      this.#turns.add(ended)
    }
    const complain = (message: string | Error) => this.#log.error(`scheduler: ${message}`, { task: task.name })
    return nodeCron.createTask(task.cron, turn, {
      timezone: 'Etc/UTC',
      name: task.name,
      // A process that was busy or asleep at the time of a turn makes up for the last one, instead of leaving it out.
      missedExecutionTolerance: Number.MAX_SAFE_INTEGER,
      suppressMissedWarning: true,
      logger: { debug: () => {}, info: () => {}, warn: complain, error: complain },
    })
  }

  async #run(task: ScheduledTask): Promise<void> {
    const turn = new AbortController()
    const abort = () => turn.abort()
    const reasons = [this.#stopping.signal]
    try {
      if (this.#leadership) {
        const lost = await this.#leadership.confirm()
        if (lost === undefined || this.#stopping.signal.aborted) return
        reasons.push(lost)
      }
      for (const reason of reasons) reason.addEventListener('abort', abort)
      await task.run(turn.signal)
    } catch (error) {
      if (this.#state === 'stopped') this.#log.info(`scheduler: ${task.name} was broken off by the stop`, { error })
      else this.#log.error(`scheduler: ${task.name} failed and runs again at its next turn`, { task: task.name, error })
    } finally {
      for (const reason of reasons) reason.removeEventListener('abort', abort)
    }
  }
}

function refuseWrongCron(task: ScheduledTask): void {
  const { errors } = nodeCron.validateDetailed(task.cron)
  const [first] = errors
  if (first === undefined) return
  throw new EngineError('CONFIG_INVALID', `scheduler: ${task.name}: ${JSON.stringify(task.cron)}: ${first.message}`)
}
