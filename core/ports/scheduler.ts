/** Runs tasks at set times. */
export interface Scheduler {
  /**
   * Starts all tasks. When the wall clock is set forward or back, a task that runs every few seconds neither stops nor
   * ticks several times at once, and a task at a time of day is off by at most a minute. A task never overlaps itself:
   * a tick that is due while the task still runs is skipped. Of the processes that share a store, only one runs each
   * tick (a plugin for a single process can ignore this). A task that throws is logged and runs again at its next tick.
   * Rejects on an invalid expression, naming its task.
   */
  start(tasks: readonly ScheduledTask[]): Promise<void>
  /**
   * Rejects when the scheduler does not run, or when a task that runs every second has begun no tick for 10 seconds.
   */
  check(): Promise<void>
  /** Begins no further tick, aborts the signal of the running ones, and resolves when they have ended. */
  stop(): Promise<void>
}
export const Scheduler = Symbol('Scheduler')

export interface ScheduledTask {
  readonly name: string
  /** A cron expression of five or six fields (seconds first), in UTC. */
  readonly cron: string
  run(signal: AbortSignal): Promise<void>
}
