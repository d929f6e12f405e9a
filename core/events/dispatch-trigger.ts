import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import { ring } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'

/** The shortest pause between two jobs: events stored meanwhile wait for the next one. */
const PAUSE_MS = 50

/**
 * Queues a job that dispatches the outbox after events were stored. Often nobody waits for them, so a job now and then
 * is enough. When a job is lost, the schedule dispatches the events.
 */
@injectable()
export class DispatchTrigger {
  #pause: NodeJS.Timeout | undefined
  #asked = false

  constructor(
    @inject(Queue) private readonly queue: Queue,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Call it after an event is committed. Does not wait. */
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
