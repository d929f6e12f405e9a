/** So many rows are removed in one transaction. */
const BATCH = 200

/** Nobody waits for old data to go: whoever waits for the database has as long a turn as the batch that began then took. */
export function rest(begun: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, performance.now() - begun))
}

/** Removes old rows a batch at a time until none is left; `remove` takes how many at most, and answers how many. */
export async function removeAll(remove: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted; ) {
    const begun = performance.now()
    isMore = (await remove(BATCH)) === BATCH
    await rest(begun)
  }
}
