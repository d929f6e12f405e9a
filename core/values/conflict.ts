/**
 * A lost race: others wrote first, or do this work by now. It is thrown out of a transaction, of which nothing is written
 * then. This is the only way the engine says so; what the loser must know besides stands in a variable around the
 * transaction.
 */
export class Conflict extends Error {
  override readonly name = 'Conflict'

  /** `again`: the same work may succeed now. `gone`: others have it, so it must not be run again. */
  readonly next: 'again' | 'gone'

  constructor(next: 'again' | 'gone' = 'again') {
    super(next === 'again' ? 'others wrote first' : 'others do this work')
    this.next = next
  }

  /** Whether this is such a conflict. */
  static is(error: unknown, next: 'again' | 'gone'): boolean {
    return error instanceof Conflict && error.next === next
  }
}

/** Runs the work again while it throws a Conflict of `again`, at most `tries` times in all. Throws what the last try does. */
export async function retryConflicts<T>(tries: number, work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!Conflict.is(error, 'again') || left <= 1) throw error
    }
  }
}
