/** How long a transport may take to answer after its signal was aborted. */
const GRACE_MS = 5_000

/** The time limit of one try. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Resolves when the transport did not answer in time even after its signal was aborted. */
  readonly lost: Promise<void>
  /** Must be called when the try is over. */
  end(): void
}

interface Running {
  readonly controller: AbortController
  readonly ends: number
  lose(): void
  losing?: NodeJS.Timeout
}

/**
 * Time limits of tries. One sweep a second serves them all, since a timer per mail would cost too much; a try is
 * therefore aborted at most a second late.
 */
export class Deadlines {
  readonly #running = new Set<Running>()
  #sweep: NodeJS.Timeout | undefined

  constructor(private readonly ms: number) {}

  /** Begins a try. */
  start(): Deadline {
    let lose = () => {}
    const lost = new Promise<void>((resolve) => {
      lose = resolve
    })
    const running: Running = { controller: new AbortController(), ends: performance.now() + this.ms, lose }
    this.#running.add(running)
    this.#sweep ??= setInterval(() => this.#abortLate(), 1000)
    return { signal: running.controller.signal, lost, end: () => this.#end(running) }
  }

  /** Aborts every running try when this signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    const abort = () => this.giveUp(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

  /** Aborts every running try now. */
  giveUp(reason: Error): void {
    for (const running of this.#running) this.#abort(running, reason)
  }

  #abort(running: Running, reason: unknown): void {
    if (running.losing) return
    running.controller.abort(reason)
    running.losing = setTimeout(() => running.lose(), GRACE_MS)
  }

  #end(running: Running): void {
    clearTimeout(running.losing)
    this.#running.delete(running)
    if (this.#running.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #abortLate(): void {
    const now = performance.now()
    for (const running of this.#running) {
      if (running.ends <= now) this.#abort(running, new Error(`took longer than ${this.ms / 1000} s`))
    }
  }
}
