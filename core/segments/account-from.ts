import { isSteady } from '../filters/steady.ts'
import type { Segment } from '../ports/store/segments.ts'

/**
 * A contact's `updatedAt` is taken before its change is seen by others, and by another process's clock: what changed so
 * long before the last account is looked at again.
 */
const OVERLAP_MS = 10 * 60_000
/** After so long all contacts are looked at, whatever the filter. */
const FULL_EVERY_MS = 24 * 3_600_000

/**
 * The moment since when contacts must have changed to be looked at; undefined when all of them must be: there was no
 * account yet, the last full one is a day old, or contacts come to match without being changed.
 */
export function accountFrom(segment: Segment, now: Date): Date | undefined {
  const { filter, computedAt, fullyComputedAt } = segment
  if (filter === undefined || computedAt === undefined || fullyComputedAt === undefined) return undefined
  if (now.getTime() - fullyComputedAt.getTime() >= FULL_EVERY_MS || !isSteady(filter)) return undefined
  return new Date(computedAt.getTime() - OVERLAP_MS)
}
