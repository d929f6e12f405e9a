import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { WaitingCampaign } from '../ports/store/campaign-mails.ts'
import { Store } from '../ports/store/store.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { rest } from '../work/rest.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'

/** How many mails change in one transaction. */
const BATCH = 500
/** When to look again for mails that were in flight while their campaign was cancelled. */
const AGAIN_MS = 2_000

/** Makes waiting mails of cancelled and removed campaigns SKIPPED, also those that come back from flight. */
@injectable()
export class SkipMails implements Work {
  readonly topic = TOPICS.skipCampaign
  readonly lane = 'campaign'
  readonly atOnce = 1
  readonly leaseMs = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  async claim({ ends }: ClaimRequest): Promise<Claimed> {
    const waiting = await this.store.campaignMails.waiting()
    const over = waiting.filter(({ status }) => status === undefined || status === 'CANCELLED')
    return { isMore: false, running: over.length > 0 ? [this.#skip(over, ends.stopping)] : [] }
  }

  async #skip(campaigns: readonly WaitingCampaign[], signal: AbortSignal): Promise<void> {
    const { campaignMails } = this.store
    for (const { projectId, id } of campaigns) {
      for (let isMore = true; isMore && !signal.aborted; ) {
        const begun = performance.now()
        isMore = (await campaignMails.skipQueued(projectId, id, this.kit.now(), BATCH)) === BATCH
        if (isMore) await rest(begun)
      }
      if (await campaignMails.hasOpen(id)) this.doorbell.ring(this.topic, { lane: this.lane, at: this.#soon() })
    }
  }

  #soon(): Date {
    return new Date(this.kit.now().getTime() + AGAIN_MS)
  }
}
