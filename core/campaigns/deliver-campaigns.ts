import { CLAIM, Deliver, type Ends } from '../delivery/deliver.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import { Store } from '../ports/store/store.ts'
import { enqueue } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'
import { campaignJob, campaignOfJob, type NamedCampaign } from './campaign-job.ts'

/** While so many jobs wait, no more are added: those that run keep the transports busy, those that wait take turns. */
export const TOKENS = 8
/** So many mails are the share of one job; then other campaigns have their turn. */
const SHARE = 500

/**
 * Delivers the mails of campaigns. A job names no mails: it claims what is due of its campaign, its share of it, and asks
 * for another tick when there was so much. A million waiting mails cost the queue nothing.
 */
@injectable()
export class DeliverCampaigns {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(Deliver) private readonly deliver: Deliver,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** The queue's handler: answers when every mail it has claimed has its result stored or was given back. */
  async handle(jobIds: readonly string[], ends: Ends): Promise<void> {
    for (const jobId of jobIds) {
      const named = campaignOfJob(jobId)
      if (named) await this.#deliver(named, ends)
    }
  }

  async #deliver(named: NamedCampaign, ends: Ends): Promise<void> {
    const { stopping } = ends
    const sent: Promise<void>[] = []
    let left = SHARE
    try {
      while (left > 0 && !stopping.aborted) {
        const most = Math.min(left, CLAIM)
        const claimed = await this.deliver.claim('campaign', ends, (now, lease) =>
          this.store.emails.claimOfCampaign(named.id, most, now, lease),
        )
        sent.push(this.deliver.send(claimed, 'campaign', ends))
        if (claimed.length < most) break
        left -= claimed.length
      }
      // before the last of them are done, so that no transport waits for the next tick
      if (left === 0 && !stopping.aborted) await this.#again(named)
    } finally {
      await Promise.all(sent)
    }
  }

  async #again(named: NamedCampaign): Promise<void> {
    await enqueue(this.queue, this.kit, [campaignJob(TASKS.campaignMail, named)], 'debug')
  }
}
