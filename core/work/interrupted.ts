import type { Begun } from '../ports/store/begun-work.ts'
import type { Interrupted } from '../ports/store/interrupted.ts'
import type { Store } from '../ports/store/store.ts'

/** So often work is begun, each time by a process that then ended or stood still; after that it has failed. */
const MOST = 3

/**
 * Why claimed work is given up; undefined while it may be tried. The first two times it may have been under way with others,
 * any of which may be at fault; after that it was the only such work of its process.
 */
export function givenUp({ interrupted = 0 }: Interrupted, most = MOST): string | undefined {
  if (interrupted < most) return undefined
  return `It was begun ${interrupted} times, and each time the process ended or stood still before it was done; it is not tried again.`
}

/** For how long work without a row of its own is held, unless its process ends. */
export const BEGUN_LEASE_MS = 15 * 60_000

/** Does what was begun, or gives it up when processes have ended with it too often, and ends it in order. */
export async function seeThrough(
  { begunWork }: Pick<Store, 'begunWork'>,
  begun: Begun,
  work: () => Promise<void>,
  giveUp: (reason: string) => Promise<void>,
): Promise<void> {
  const reason = givenUp(begun)
  try {
    await (reason === undefined ? work() : giveUp(reason))
  } finally {
    await end(begunWork, begun)
  }
}

/**
 * Tried again while the database is away: the lease of a process that lives would hold the work up for a quarter of an hour
 * after a database that was away for a moment.
 */
async function end(begunWork: Store['begunWork'], begun: Begun): Promise<void> {
  for (let waits = 0; ; waits++) {
    try {
      return await begunWork.end(begun)
    } catch (error) {
      if (waits === MOST_WAITS) throw error
      const ms = Math.min(100 * 2 ** waits, LONGEST_WAIT_MS)
      // an engine that has stopped meanwhile must not hold its process up
      await new Promise((resolve) => setTimeout(resolve, ms).unref())
    }
  }
}

/** About as long as the lease, after which others take the work anyway. */
const MOST_WAITS = 180
const LONGEST_WAIT_MS = 5_000
