import { yieldToLoop } from './yield-to-loop.ts'

/**
 * Works off a backlog batch by batch, in this process once at a time: a caller during a run waits for that run, which
 * then checks once more. Other work runs between batches.
 */
export class Drain {
  readonly #batch: () => Promise<boolean>
  readonly #callers = new Set<{ readonly signal: AbortSignal }>()
  #running: Promise<void> | undefined
  #underWay: Promise<boolean> | undefined
  #isAsked = false

  /** `batch` answers whether there may be more. */
  constructor(batch: () => Promise<boolean>) {
    this.#batch = batch
  }

  /**
   * Answers when nothing is left, or when the signal is aborted and the current batch has ended. Runs as long as any
   * caller wants it to. Throws what a batch throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    const caller = { signal }
    this.#isAsked = true
    this.#callers.add(caller)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    try {
      await Promise.race([this.#running, promise.then(() => this.#underWay)])
    } finally {
      signal.removeEventListener('abort', leave)
      this.#callers.delete(caller)
    }
  }

  async #run(): Promise<void> {
    while (this.#isAsked && this.#isWanted()) {
      this.#isAsked = false
      do {
        this.#underWay = this.#batch()
        if (!(await this.#underWay)) break
        await yieldToLoop()
      } while (this.#isWanted())
    }
  }

  #isWanted(): boolean {
    return [...this.#callers].some(({ signal }) => !signal.aborted)
  }
}
