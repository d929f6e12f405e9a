/** How often something was tried. */
export interface Attempts {
  readonly count: number
  /** When counting starts again. */
  readonly until: Date
}

/** Counts in all processes that share the store, so that more processes do not allow more guesses, or more mails. */
export interface AttemptRepository {
  /** Counts one attempt. The first one begins a period that ends at `until`; later ones within it keep that end. */
  count(key: string, now: Date, until: Date): Promise<Attempts>
  /**
   * Counts up to `wanted` of something of which at most `most` are allowed in a period, which begins and ends as that of
   * `count`. Answers how many were counted: those that are allowed. Concurrent calls never count more.
   */
  take(key: string, now: Date, until: Date, wanted: number, most: number): Promise<number>
  /** How many of each key were counted in its period; keys without any are left out. */
  counted(keys: readonly string[], now: Date): Promise<ReadonlyMap<string, number>>
  /** Takes so many back of what was counted, as far as it was. */
  giveBack(key: string, count: number): Promise<void>
  /** Takes one attempt back; with `all`, every one. */
  forgive(key: string, all: boolean): Promise<void>
  /** Deletes up to `limit` counts whose period has ended; answers how many. */
  forget(now: Date, limit: number): Promise<number>
}
