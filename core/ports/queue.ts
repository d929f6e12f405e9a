/**
 * Carries work to a later time, maybe to another process. It may lose everything: payloads are ids of rows in the
 * store, the store is the outbox, and recovery adds again what a crash made the queue forget.
 */
export interface Queue {
  /**
   * Takes the jobs. Answers when they are stored as safely as this queue can. Jobs of the same task and lane may be
   * merged into one run; a job may run more than once. Jobs added before `work()` wait for it. Throws when the queue
   * cannot take them, always after `stop`; nothing is lost then, because the store has the rows.
   */
  add(jobs: readonly Job[]): Promise<void>

  /**
   * Starts working: `handle` is called with the ids of one or more jobs of `task`, at most `batch` at a time. When it
   * throws, the same ids are handed out again, three times in all, with a growing pause. Handlers of a higher lane go
   * first, and slow handlers of lower lanes never hold every runner; a running handler is never interrupted.
   */
  work(workers: readonly Worker[]): Promise<void>

  /** How many ids wait (without delayed ones), over all tasks or of one. May be an estimate. */
  waiting(task?: string): Promise<number>

  /** Rejects when the queue cannot carry work at present. */
  check(): Promise<void>

  /** True when jobs reach only the workers of this process. */
  readonly exclusive: boolean

  /** Takes no more work, aborts the handlers' signal after `graceMs`, and answers when every handler has ended. */
  stop(graceMs: number): Promise<void>
}
export const Queue = Symbol('Queue')

/** Priorities of waiting work: a password mail never waits behind a campaign. */
export const LANES = ['transactional', 'workflow', 'campaign'] as const
export type Lane = (typeof LANES)[number]

export interface Job {
  /** The task, for example `email.deliver`; its worker takes the job. */
  readonly task: string
  readonly lane: Lane
  /** Ids of rows in the store, at least one, at most 1000. */
  readonly ids: readonly string[]
  /** The earliest time to run; absent: at once. */
  readonly notBefore?: Date
  /** A later job of the same task and key replaces one that still waits. */
  readonly key?: string
}

export interface Worker {
  readonly task: string
  /** The maximum number of ids in one call of `handle`. */
  readonly batch: number
  handle(ids: readonly string[], given: { readonly lane: Lane; readonly signal: AbortSignal }): Promise<void>
}
