/**
 * The processes that work with a shared store: which process holds which claims, and which are alive. A claim's token
 * begins with the name of its process's membership and a dot, which the name of the process and another dot may follow.
 */
export interface Workers {
  /**
   * Makes this process a member until it leaves or ends, however it ends. While the database is away it is no member;
   * it becomes one again automatically.
   */
  join(): Promise<Membership>
  /**
   * The names of all members. A process that dies stops being one at once, or within half a minute when its machine
   * died with it. A process that is stopped, swapped out or busy stays a member as long as its machine runs.
   */
  members(): Promise<ReadonlySet<string>>
  /**
   * Whether the process of this name has certainly ended and can do nothing any more. False when that cannot be known
   * here, as for a process on another machine.
   */
  hasEnded(process: string): boolean
  /**
   * Calls `listener`, while this process is a member, when another program has stored a request to send. Some may be
   * missed. One listener at most.
   */
  heed(listener: () => void): void
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
   * Whether this process leads now: a signal that is aborted when it no longer does. Undefined while another process
   * leads, or while that is unknown.
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
  /** The name of its process, without a dot; absent when others could not see by it that the process has ended. */
  readonly process?: string
  /** The last time when it was certainly a member, by `performance.now()`. */
  readonly seenAt: number
  /** Grows whenever the membership may have been interrupted. */
  readonly session: number
  /** Ends the membership. */
  leave(): Promise<void>
}
