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
  readonly #listeners = new Set<() => void>()

  constructor(@inject(Doorbell) readonly doorbell: Doorbell) {}

  /** Calls the listener, in this process alone, each time that an event was committed. It must not throw. */
  onAsk(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Call it after an event is committed. Does not wait. */
  ask(): void {
    for (const listener of this.#listeners) listener()
    this.#ring()
  }

  #ring(): void {
    if (this.#pause) {
      this.#asked = true
      return
    }
    this.doorbell.ring(TOPICS.dispatch)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (!this.#asked) return
      this.#asked = false
      this.#ring()
    }, PAUSE_MS)
    this.#pause.unref()
  }
}
