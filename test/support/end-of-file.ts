const ends: (() => unknown)[] = []

/** Has this done when the test file ends, whether it is asked for before the tests, in one, or in a hook; the last one comes first. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** Does what was asked for since the last time; all of it, whatever fails. */
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
