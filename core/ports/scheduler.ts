/** Runs tasks at set times. */
export interface Scheduler {
  /**
   * Starts all tasks. A wall clock that is set forward or back neither stops the ticks of a task of every so many seconds
   * nor brings several at once; for a task at a time of day it costs a minute at most. A task never overlaps itself: a tick that comes while it still runs is left out.
   * Across the processes that share a store only one runs each task's tick (a plugin for one process need not care).
   * A task that throws is logged and runs again at its next tick. Rejects on a wrong expression, naming its task.
   */
  start(tasks: readonly ScheduledTask[]): Promise<void>
  /** Rejects when the scheduler does not run, or when a task of every second has begun no tick for 10 seconds. */
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
