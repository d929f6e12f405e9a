/**
 * Lets other work on the event loop run once: called between parts of long work, which would block it where the
 * database answers at once.
 */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
