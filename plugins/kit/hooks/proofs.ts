import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether two texts are equal, in a time that reveals neither their content nor their length. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())
}

/** Whether a time, as text in whole seconds of Unix time, is within `tolerance` seconds of now. */
export function isRecent(seconds: string, now: Date, tolerance: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() / 1000 - Number(seconds)) <= tolerance
}
