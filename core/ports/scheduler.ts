/** Runs tasks at set times. */
export interface Scheduler {
  /**
   * Starts all tasks. A wall clock set forward or back neither stops the ticks of a task that runs every few seconds
   * nor triggers several at once; a task at a time of day is off by at most a minute. A task never overlaps itself: a
   * tick that comes while it still runs is skipped. Of the processes that share a store only one runs each task's tick
   * (a plugin for one process need not care). A task that throws is logged and runs again at its next tick. Rejects on
   * an invalid expression, naming its task.
   */
  start(tasks: readonly ScheduledTask[]): Promise<void>
  /**
   * Rejects when the scheduler does not run, or when a task that runs every second has begun no tick for 10 seconds.
   */
  check(): Promise<void>
  /** Begins no further tick and answers when the running ones have ended; their signal is aborted. */
  stop(): Promise<void>
}
export const Scheduler = Symbol('Scheduler')

export interface ScheduledTask {
  readonly name: string
  /** A cron expression of five or six fields (seconds first), in UTC. */
  readonly cron: string
  run(signal: AbortSignal): Promise<void>
}
