import { appendFileSync, readFileSync } from 'node:fs'

/*
 * Loaded into a process by `node --import`. It writes to the file LOOP_WATCH each time the event loop was blocked
 * noticeably. `own` leaves out the time in which the main thread was ready but the system gave it no core (Linux counts
 * it), so that a busy machine does not count against us.
 */

/** A stretch in which the event loop was blocked. Times are in milliseconds. */
export interface Stall {
  /** When it ended, by `Date.now()`. */
  readonly at: number
  readonly wall: number
  readonly own: number
}

const EVERY_MS = 10
const WORTH_A_LINE_MS = 40

function waited(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const file = process.env.LOOP_WATCH
if (file !== undefined) {
  let last = performance.now()
  let before = waited()
  const timer = setInterval(() => {
    const now = performance.now()
    const wall = now - last - EVERY_MS
    last = now
    if (wall < WORTH_A_LINE_MS) {
      before = waited()
      return
    }
    const after = waited()
    const stall: Stall = { at: Date.now(), wall, own: wall - (after - before) }
    before = after
    appendFileSync(file, `${JSON.stringify(stall)}\n`)
  }, EVERY_MS)
  timer.unref()
}
