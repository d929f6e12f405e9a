import { CLAIM, ClaimMails } from '../delivery/claim-mails.ts'
import { Deliver, type Ends } from '../delivery/deliver.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import { Store } from '../ports/store/store.ts'
import { enqueue } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'
import { campaignJob, campaignOfJob, type NamedCampaign } from './campaign-job.ts'

/** With this many jobs waiting no more are added: running ones keep the transports busy, waiting ones take turns. */
export const TOKENS = 8
/** How many mails one job sends before other campaigns have their turn. */
const SHARE = 500

/**
 * Delivers the mails of campaigns. A job names no mails: it claims a share of what is due of its campaign, and queues
 * another job when there may be more. So a million waiting mails cost the queue nothing.
 */
@injectable()
export class DeliverCampaigns {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(ClaimMails) private readonly claims: ClaimMails,
    @inject(Deliver) private readonly deliver: Deliver,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** The queue's handler: answers when every claimed mail has its result stored or was given back. */
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
        const claimed = await this.claims.claim('campaign', ends, (now, lease) =>
          this.store.emails.claimOfCampaign(named.id, most, now, lease),
        )
        sent.push(this.deliver.send(claimed, ends))
        if (claimed.mails.length < most) break
        left -= claimed.mails.length
      }
      // before the last mails are done, so that no transport waits for the next tick
      if (left === 0 && !stopping.aborted) await this.#queueNext(named)
    } finally {
      await Promise.all(sent)
    }
  }

  async #queueNext(named: NamedCampaign): Promise<void> {
    await enqueue(this.queue, this.kit, [campaignJob(TASKS.campaignMail, named)], 'debug')
  }
}
