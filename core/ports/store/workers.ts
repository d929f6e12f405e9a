/**
 * The processes that work with a store, for a store that several can use: which process holds which claims, and which
 * are alive. A claim's token begins with the name of its process's membership and a dot; behind it may stand the name of
 * the process and another dot.
 */
export interface Workers {
  /**
   * Makes this process a member until it leaves or ends, however it ends. While the database is away it is not a
   * member, and becomes one again by itself.
   */
  join(): Promise<Membership>
  /**
   * The names of all members. A process that died is none at once, or after half a minute when its machine died with
   * it. A process that is stopped, swapped out or busy stays a member for as long as its machine runs.
   */
  members(): Promise<ReadonlySet<string>>
  /**
   * Whether the process of this name has certainly ended, so that it can do nothing any more. False when that cannot be
   * told from here, as of a process of another machine.
   */
  hasEnded(process: string): boolean
  /** The tokens of all current claims: of mails, and of all other work. */
  claims(now: Date): Promise<Claims>
  /** Frees everything claimed under these tokens. Answers how many mails that were. */
  takeBack(tokens: readonly string[], now: Date): Promise<number>
  /** Tries to become the only process that does this task, until it is released or the process ends. */
  lead(task: string): Promise<Leadership>
}

/** Leadership of one process in a task. */
export interface Leadership {
  /**
   * Whether this process leads now: a signal that is aborted when it no longer does, or undefined while another one
   * leads or nobody can tell.
   */
  confirm(): Promise<AbortSignal | undefined>
  /** Lets another process lead. */
  release(): Promise<void>
}

/** Tokens of leases. */
export interface Claims {
  readonly mails: readonly string[]
  readonly others: readonly string[]
}

/** This process's membership. */
export interface Membership {
  /** Without a dot; unique among members. */
  readonly name: string
  /** The name of its process, without a dot; absent when nobody could tell by it that the process has ended. */
  readonly process?: string
  /** The last time at which it was certainly a member, by `performance.now()`. */
  readonly seenAt: number
  /** Grows whenever the membership may have been interrupted. */
  readonly session: number
  /** Ends the membership. */
  leave(): Promise<void>
}
