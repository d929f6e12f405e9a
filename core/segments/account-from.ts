import { isSteady } from '../filters/steady.ts'
import type { Segment } from '../ports/store/segments.ts'

/**
 * A contact's `updatedAt` is set before its change is visible, and by another process's clock: changes this long before
 * the last computation are compared again.
 */
const OVERLAP_MS = 10 * 60_000
/** After this time all contacts are compared, whatever the filter. */
const FULL_EVERY_MS = 24 * 3_600_000

/**
 * The time since which contacts must have changed to be compared; undefined when all must be: there was no computation
 * yet, the last full one is a day old, or unchanged contacts can come to match.
 */
export function accountFrom(segment: Segment, now: Date): Date | undefined {
  const { filter, computedAt, fullyComputedAt } = segment
  if (filter === undefined || computedAt === undefined || fullyComputedAt === undefined) return undefined
  if (now.getTime() - fullyComputedAt.getTime() >= FULL_EVERY_MS || !isSteady(filter)) return undefined
  return new Date(computedAt.getTime() - OVERLAP_MS)
}
