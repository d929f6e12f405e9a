import PQueue from 'p-queue'

/** So many requests are under way at the same time, in all and to one host. */
const IN_FLIGHT = 500
const OF_ONE_HOST = 5
/** So many wait in memory for a host that answers quickly, and for a slow one. */
const WAITING = 200
const WAITING_FOR_SLOW = 5
/** A host is slow from so many milliseconds on. */
const SLOW_MS = 250
/** What finds no place in a line comes back after so long. */
const QUICK_PAUSE_MS = 1_000
const SLOW_PAUSE_MS = 5_000
/** How much the last request counts in what a host usually takes. */
const WEIGHT = 0.2

/** Requests in lines, one for each host, so that a receiver that hangs holds up nobody else. */
export class HostLines {
  readonly #all = new PQueue({ concurrency: IN_FLIGHT })
  readonly #lines = new Map<string, Line>()

  /** After how many milliseconds one more may come for this host: 0 when it may wait here at once. */
  pauseBefore(host: string): number {
    const line = this.#lines.get(host)
    const isSlow = line?.isSlow()
    if (line === undefined || line.queue.size < (isSlow ? WAITING_FOR_SLOW : WAITING)) return 0
    return isSlow ? SLOW_PAUSE_MS : QUICK_PAUSE_MS
  }

  /** Runs the work when its host has a free place; answers when it has ended, and throws what it throws. */
  async add(host: string, work: () => Promise<void>): Promise<void> {
    const line = this.#lines.get(host) ?? new Line()
    this.#lines.set(host, line)
    try {
      await line.queue.add(() => this.#all.add(() => line.timed(work)))
    } finally {
      if (line.queue.size + line.queue.pending === 0) this.#lines.delete(host)
    }
  }
}

class Line {
  readonly queue = new PQueue({ concurrency: OF_ONE_HOST })
  /** When those under way were begun, the oldest first. */
  readonly #begun = new Map<symbol, number>()
  #usualMs = 0

  isSlow(): boolean {
    const [oldest = Number.POSITIVE_INFINITY] = this.#begun.values()
    return Math.max(this.#usualMs, performance.now() - oldest) > SLOW_MS
  }

  async timed(work: () => Promise<void>): Promise<void> {
    const key = Symbol()
    const begun = performance.now()
    this.#begun.set(key, begun)
    try {
      await work()
    } finally {
      this.#begun.delete(key)
      this.#usualMs += WEIGHT * (performance.now() - begun - this.#usualMs)
    }
  }
}
