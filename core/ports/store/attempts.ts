/** How often something was tried. */
export interface Attempts {
  readonly count: number
  /** When counting starts again. */
  readonly until: Date
}

/** Counts the attempts in all processes that share the store, so that more processes do not allow more guesses. */
export interface AttemptRepository {
  /** Counts one attempt. The first one begins a period that ends at `until`; later ones within it keep that end. */
  count(key: string, now: Date, until: Date): Promise<Attempts>
  /** Takes one attempt back; with `all`, every one. */
  forgive(key: string, all: boolean): Promise<void>
  /** Deletes up to `limit` counts whose period has ended; answers how many. */
  forget(now: Date, limit: number): Promise<number>
}
