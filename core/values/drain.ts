import { turn } from './turn.ts'

/**
 * Works something off a batch at a time, in this process once at a time: who asks while it runs waits for the same run,
 * which then looks once more. Others have their turn between batches.
 */
export class Drain {
  readonly #batch: () => Promise<boolean>
  #running: Promise<void> | undefined
  #isAsked = false

  /** `batch` answers whether there may be more. */
  constructor(batch: () => Promise<boolean>) {
    this.#batch = batch
  }

  /** Answers when nothing is left or the signal is aborted. Throws what a batch throws. */
  run(signal: AbortSignal): Promise<void> {
    this.#isAsked = true
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (this.#isAsked && !signal.aborted) {
      this.#isAsked = false
      while ((await this.#batch()) && !signal.aborted) await turn()
    }
  }
}
