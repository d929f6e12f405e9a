/** Work that is claimed under a lease. */
export interface Interrupted {
  /**
   * How often it was claimed before by a process that ended without having ended it or gone on with it; absent where that
   * never happened. From the second time on it is claimed alone, see `ClaimLease`.
   */
  readonly interrupted?: number
}

/** The lease under which work is claimed. */
export interface ClaimLease {
  readonly token: string
  readonly until: Date
  /**
   * Whether to claim one piece of work that was interrupted twice or more. Other claims leave those out: while one is
   * worked on, no other such work is, so that its own end is its own fault.
   */
  readonly alone?: boolean
}
