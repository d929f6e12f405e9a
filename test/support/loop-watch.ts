import { appendFileSync, readFileSync } from 'node:fs'

/*
 * Loaded into a process by `node --import`: writes into the file LOOP_WATCH each time its event loop was kept for longer than
 * a moment. `own` is what the process is to blame for: the time its main thread was ready to run but the system gave it no
 * core (Linux counts it) is left out, so that a busy machine is no fault of ours.
 */

/** One stretch in which the event loop did nothing else. Times are in milliseconds. */
export interface Stall {
  /** When it ended, as `Date.now()`. */
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
