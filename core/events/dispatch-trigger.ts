import { inject, injectable } from '../di.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'

/** The shortest pause between two rings: events stored meanwhile wait for the next one. */
const PAUSE_MS = 50

/**
 * Rings for the dispatch of the outbox after events were stored. Often no workflow waits for them, so a ring now and
 * then is enough.
 */
@injectable()
export class DispatchTrigger {
  #pause: NodeJS.Timeout | undefined
  #asked = false

  constructor(@inject(Doorbell) readonly doorbell: Doorbell) {}

  /** Call it after an event is committed. Does not wait. */
  ask(): void {
    if (this.#pause) {
      this.#asked = true
      return
    }
    this.doorbell.ring(TOPICS.dispatch)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (!this.#asked) return
      this.#asked = false
      this.ask()
    }, PAUSE_MS)
    this.#pause.unref()
  }
}
