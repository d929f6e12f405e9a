const ends: (() => unknown)[] = []

/**
 * Registers what to do when the test file ends, from outside the tests, a test, or a hook. The
 * last registered runs first.
 */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** Runs everything registered since the last time, whatever fails. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = []
  for (const end of ends.splice(0).reverse()) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the test file could not clear up')
}
