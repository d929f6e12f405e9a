import PQueue from 'p-queue'

/** How many requests run at the same time, in all and to one host. */
const MAX_IN_FLIGHT = 500
const OF_ONE_HOST = 5
/** How many wait in memory for a fast host, and for a slow one. */
const MAX_WAITING = 200
const WAITING_FOR_SLOW = 5
/** From how many milliseconds on a host is slow. */
const SLOW_MS = 250
/** When a request that finds its line full comes back. */
const QUICK_PAUSE_MS = 1_000
const SLOW_PAUSE_MS = 5_000
/** The weight of the last request in a host's average duration. */
const WEIGHT = 0.2

/** Requests queued by host, so that a receiver that hangs holds up no others. */
export class HostLines {
  readonly #all = new PQueue({ concurrency: MAX_IN_FLIGHT })
  readonly #lines = new Map<string, Line>()

  /** In how many milliseconds this host can take one more request: 0 when it may wait here at once. */
  pauseBefore(host: string): number {
    const line = this.#lines.get(host)
    const isSlow = line?.isSlow()
    if (line === undefined || line.queue.size < (isSlow ? WAITING_FOR_SLOW : MAX_WAITING)) return 0
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
  /** When the running requests began, the oldest first. */
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
