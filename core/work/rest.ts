/** How many rows one transaction removes. */
const BATCH = 200

/** Pauses as long as the batch that began then took, so that others get at the database: for work that no caller waits for. */
export function rest(begun: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, performance.now() - begun))
}

/** Removes old rows batch by batch until none is left; `remove` takes the limit, and answers how many it removed. */
export async function removeAll(remove: (most: number) => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted; ) {
    const begun = performance.now()
    isMore = (await remove(BATCH)) === BATCH
    await rest(begun)
  }
}
