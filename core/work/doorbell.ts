import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { type Lane, Queue } from '../ports/queue.ts'

/** The kinds of background work. Each is asked for by its topic. */
export const TOPICS = {
  mail: 'mail',
  fanOut: 'campaigns.fan-out',
  skipCampaign: 'campaigns.skip',
  contactJobs: 'contacts.jobs',
  segments: 'segments.compute',
  dispatch: 'events.dispatch',
  workflows: 'workflows.run',
  dates: 'workflows.dates',
  webhooks: 'webhooks.deliver',
  inbound: 'inbound.read',
  requests: 'mails.accept',
} as const

/** Work due later than this is not rung for: the regular looks find it in time. */
const MAX_AHEAD_MS = 120_000

/** Tells the workers, in whichever process, that there is something to do. */
@injectable()
export class Doorbell {
  constructor(
    @inject(Queue) private readonly queue: Queue,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Call it after the commit that made work due, now or `at` a time. Does not wait and never throws: a ring that is lost
   * only means that the work waits for the next regular look.
   */
  ring(topic: string, { lane = 'workflow', at }: { readonly lane?: Lane; readonly at?: Date } = {}): void {
    const ahead = at ? at.getTime() - this.kit.now().getTime() : 0
    if (ahead > MAX_AHEAD_MS) return
    const lost = (error: unknown) =>
      this.kit.log.debug('could not ring for work; the next look finds it', { topic, error })
    // a queue may also throw at once, or answer no promise: what was committed must not fail for it
    try {
      void Promise.resolve(this.queue.ring(topic, { lane, ...(at ? { at } : {}) })).catch(lost)
    } catch (error) {
      lost(error)
    }
  }
}
