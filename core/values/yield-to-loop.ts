/**
 * Lets everything else on the event loop run once: between two parts of long work, which would keep them waiting
 * where the database answers at once.
 */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
