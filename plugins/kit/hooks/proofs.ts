import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, in a time that tells nothing of what they are or how long. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())
}

/** Whether a moment, in whole seconds of Unix time as text, is no further from now than `tolerance` seconds. */
export function isRecent(seconds: string, now: Date, tolerance: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() / 1000 - Number(seconds)) <= tolerance
}
