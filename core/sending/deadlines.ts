/**
 * Abort signals for tries: one sweep a second serves them all, because a timer for each mail would cost more than it
 * is worth. A try is therefore given up at most a second late.
 */
export class Deadlines {
  readonly #running = new Set<{ readonly controller: AbortController; ends: number }>()
  #sweep: NodeJS.Timeout | undefined

  constructor(private readonly ms: number) {}

  /** Begins a try; `end` must be called when it is over. */
  start(): { readonly signal: AbortSignal; end(): void } {
    const entry = { controller: new AbortController(), ends: performance.now() + this.ms }
    this.#running.add(entry)
    this.#sweep ??= setInterval(() => this.#abortLate(), 1000).unref()
    return {
      signal: entry.controller.signal,
      end: () => {
        this.#running.delete(entry)
        if (this.#running.size === 0) {
          clearInterval(this.#sweep)
          this.#sweep = undefined
        }
      },
    }
  }

  /** Gives up every try when this signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    const abort = () => {
      for (const { controller } of this.#running) controller.abort(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

  #abortLate(): void {
    const now = performance.now()
    for (const { controller, ends } of this.#running) {
      if (ends <= now) controller.abort(new Error(`took longer than ${this.ms / 1000} s`))
    }
  }
}
