/** Somebody else wrote first: nothing of this transaction was written, and it may succeed when it is run again. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** Runs the work again while it throws Conflict, at most `tries` times in all. Throws what the last try does. */
export async function retryConflicts<T>(tries: number, work: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Conflict) || left <= 1) throw error
    }
  }
}
