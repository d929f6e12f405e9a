/**
 * Carries work from one moment to another, maybe to another process. It keeps nothing that matters: payloads are ids of
 * rows in the store, the store is the outbox, and `recovery.ts` adds again whatever a crash made the queue forget.
 */
export interface Queue {
  /**
   * Takes the jobs over. Answers when they are held as safely as this queue can hold them.
   * Jobs of the same task and lane may be merged into one run; a job may run more than once.
   * Jobs added before `work()` wait for it.
   * Throws when the queue cannot take them, always after `stop`; nothing is lost then, because the store has the rows.
   */
  add(jobs: readonly Job[]): Promise<void>

  /**
   * Starts working: `handle` is called with the ids of one or more jobs of `task`, at most `batch` at a time.
   * When it throws, the same ids are handed out again, three times in all, with a growing pause.
   * Handlers of a higher lane go first, and slow handlers of lower lanes never hold every runner; a running handler is
   * never interrupted.
   */
  work(workers: readonly Worker[]): Promise<void>

  /** How many ids wait (delayed ones not counted), over all tasks or of one. A queue that cannot say exactly may estimate. */
  waiting(task?: string): Promise<number>

  /** Rejects when the queue cannot carry work at present. */
  check(): Promise<void>

  /** True when what is added reaches only the workers of this process. */
  readonly exclusive: boolean

  /** Takes no more work, aborts the handlers' signal after `graceMs`, and answers when every handler has ended. */
  stop(graceMs: number): Promise<void>
}
export const Queue = Symbol('Queue')

/** The order in which waiting work goes: a password mail is never behind a campaign. */
export const LANES = ['transactional', 'workflow', 'campaign'] as const
export type Lane = (typeof LANES)[number]

export interface Job {
  /** Which worker takes it, for example `email.deliver`. */
  readonly task: string
  readonly lane: Lane
  /** Ids of rows in the store, at least one, at most 1000. */
  readonly ids: readonly string[]
  /** Not to be run before. Absent: at once. */
  readonly notBefore?: Date
  /** A later job of the same task and key takes the place of one that still waits and has not been begun. */
  readonly key?: string
}

export interface Worker {
  readonly task: string
  /** At most so many ids in one call of `handle`. */
  readonly batch: number
  handle(ids: readonly string[], given: { readonly lane: Lane; readonly signal: AbortSignal }): Promise<void>
}
