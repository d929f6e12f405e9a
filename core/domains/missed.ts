/** Misses closer together than this, in milliseconds, count once, so that frequent checks survive a short outage. */
const MIN_DISTANCE_MS = 4 * 60_000

/** Whether a miss counts, after `failures` counted ones in a row, the last at `missedAt`. */
export function countsAsMissed(failures: number, missedAt: string | undefined, now: Date): boolean {
  return failures === 0 || missedAt === undefined || now.getTime() - Date.parse(missedAt) >= MIN_DISTANCE_MS
}
