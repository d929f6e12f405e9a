import type { Interrupted } from '../ports/store/interrupted.ts'

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
