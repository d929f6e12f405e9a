import PQueue from 'p-queue'

/** So many requests are under way at the same time, in all and to one host. */
const IN_FLIGHT = 100
const OF_ONE_HOST = 5
/** So many wait for one host in memory while it answers within a second; of a slower one only a few. */
const WAITING = 100
const WAITING_FOR_SLOW = 5
const SLOW_MS = 1_000

/** Requests in lines, one for each host, so that a receiver that hangs holds up nobody else. */
export class HostLines {
  readonly #all = new PQueue({ concurrency: IN_FLIGHT })
  readonly #lines = new Map<string, Line>()

  /** Whether one more may wait for this host. */
  hasRoom(host: string): boolean {
    const line = this.#lines.get(host)
    return line === undefined || line.queue.size < (line.isSlow() ? WAITING_FOR_SLOW : WAITING)
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

  isSlow(): boolean {
    const [oldest] = this.#begun.values()
    return oldest !== undefined && performance.now() - oldest > SLOW_MS
  }

  async timed(work: () => Promise<void>): Promise<void> {
    const key = Symbol()
    this.#begun.set(key, performance.now())
    try {
      await work()
    } finally {
      this.#begun.delete(key)
    }
  }
}
