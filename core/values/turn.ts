/**
 * Lets everybody else have a turn of the event loop: between two parts of long work, which would keep them waiting
 * where the database answers at once.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
