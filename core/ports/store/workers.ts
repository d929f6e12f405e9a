/**
 * The processes that work with a store, for a store that several can use: whose claims are whose, and who is alive. A
 * claim's token begins with the name of the member that made it and a dot.
 */
export interface Workers {
  /**
   * Makes this process a member until it leaves or ends, however it ends. While the database is away it is none, and
   * becomes one again by itself.
   */
  join(): Promise<Membership>
  /**
   * The names of all members. One whose process died is none from then on, or half a minute later when its machine died
   * with it. One that stands still (stopped, swapped out, busy) stays a member for as long as its machine runs.
   */
  members(): Promise<ReadonlySet<string>>
  /** The tokens of everything that is claimed at this moment: of mails, and of all other work. */
  claims(now: Date): Promise<Claims>
  /** Makes what is claimed under these tokens free again. Answers how many mails that were. */
  takeBack(tokens: readonly string[], now: Date): Promise<number>
  /** Tries to be the one process that does this task, until it is released or the process ends, however it ends. */
  lead(task: string): Promise<Leadership>
}

/** What one of several processes does alone. */
export interface Leadership {
  /**
   * Asks whether this process leads now: a signal that is aborted when it no longer does, or undefined while another one
   * does or nobody can tell.
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

/** This process as a member. */
export interface Membership {
  /** Without a dot; like no other member's. */
  readonly name: string
  /** A moment at which it was a member for certain, the last that is known, as `performance.now()` counts. */
  readonly seenAt: number
  /** Grows whenever it may have been none in between. */
  readonly session: number
  /** Nobody is a member under this name any more. */
  leave(): Promise<void>
}
