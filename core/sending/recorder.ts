import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store.ts'
import { type EngineValues, Values } from '../settings.ts'
import type { DeliveryResult } from './email.ts'
import { HandOver } from './hand-over.ts'

/** A result waits at most so long for others to be written with. */
const WAIT_MS = 3
const AGAIN_MS = 1_000

/** The share of the mails in flight whose results are worth a commit. */
const ENOUGH = 0.75

/**
 * Writes what became of mails. A transport's slot waits until its result is stored, so results are gathered only until
 * most of the mails in flight wait for it, or for a moment: one commit then serves many.
 */
@injectable()
export class Recorder {
  #waiting: { readonly result: DeliveryResult; done(): void }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(HandOver) private readonly handOver: HandOver,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Answers when the result is stored, or when its lease has ended and it no longer counts. */
  record(result: DeliveryResult): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ result, done: resolve })
      if (this.#waiting.length >= ENOUGH * this.handOver.inFlight) this.#flush()
      else this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS)
    })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    void this.#write(batch.map(({ result }) => result)).then(() => {
      for (const { done } of batch) done()
    })
  }

  /** Keeps trying while a lease can still hold: a result that is not stored means a mail sent twice. */
  async #write(results: readonly DeliveryResult[]): Promise<void> {
    const until = this.kit.now().getTime() + this.values.delivery.lease * 1000
    for (;;) {
      try {
        await this.store.emails.record(results)
        return
      } catch (error) {
        this.kit.log.error('could not store what became of mails', { count: results.length, error })
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      if (this.kit.now().getTime() > until) return
    }
  }
}
