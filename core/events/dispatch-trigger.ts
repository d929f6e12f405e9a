import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import { ring } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'

/** While so many milliseconds have not passed, events that were stored wait for the next job. */
const PAUSE_MS = 50

/**
 * Asks for the outbox to be dispatched after events were stored. Often nobody waits for them: then a job now and then is all
 * it costs. When the job is lost, the schedule dispatches the events.
 */
@injectable()
export class DispatchTrigger {
  #pause: NodeJS.Timeout | undefined
  #asked = false

  constructor(
    @inject(Queue) private readonly queue: Queue,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** After an event is committed. Answers at once. */
  ask(): void {
    if (this.#pause) {
      this.#asked = true
      return
    }
    void ring(this.queue, this.kit, TASKS.dispatchEvents)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (!this.#asked) return
      this.#asked = false
      this.ask()
    }, PAUSE_MS)
    this.#pause.unref()
  }
}
