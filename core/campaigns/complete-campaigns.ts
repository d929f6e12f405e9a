import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { CampaignCounters } from '../ports/store/campaign-mails.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import { Store } from '../ports/store/store.ts'
import { Reputation } from '../reputation/reputation.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { ControlCampaigns } from './control-campaigns.ts'

/** Watches the campaigns that are SENDING: rings for a fan-out that a crash cut off, and notices when one is done. */
@injectable()
export class CompleteCampaigns {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(ControlCampaigns) private readonly control: ControlCampaigns,
    @inject(Reputation) private readonly reputation: Reputation,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Every second. */
  async tick(signal: AbortSignal): Promise<void> {
    for (const campaign of await this.store.campaigns.sending()) {
      if (signal.aborted) return
      try {
        await this.#checkOne(campaign)
      } catch (error) {
        this.kit.log.warn('could not look after a campaign', { campaign: campaign.id, error })
      }
    }
  }

  async #checkOne(campaign: Campaign): Promise<void> {
    const { id, fanOut, projectId, from } = campaign
    const reason = await this.reputation.stopped(projectId, from)
    if (reason !== undefined) return this.control.hold(campaign, reason)
    if (fanOut && !fanOut.done) this.doorbell.ring(TOPICS.fanOut, { lane: 'campaign' })
    else if (!(await this.store.campaignMails.hasOpen(id))) await this.#finish(campaign)
  }

  /** Checks again under the lock: mail may have been queued again meanwhile. */
  async #finish({ projectId, id }: Campaign): Promise<void> {
    const status = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.status !== 'SENDING' || !campaign.fanOut?.done) return undefined
      if (await tx.campaignMails.hasOpen(id)) return undefined
      const now = this.kit.now()
      const end = endOf(await tx.campaignMails.counters(projectId, id))
      await tx.campaigns.update({ ...campaign, ...end, sentAt: now, updatedAt: now })
      return end.status
    })
    if (status) this.kit.log.info('a campaign is done', { campaign: id, project: projectId, status })
  }
}

/** FAILED when every mail that was to be sent failed; bounced and skipped ones do not count as failed. */
function endOf({ recipients, failed, skipped }: CampaignCounters): Pick<Campaign, 'status' | 'statusReason'> {
  const leftOut = Object.values(skipped).reduce((sum, count) => sum + count, 0)
  if (failed === 0 || failed < recipients - leftOut) return { status: 'SENT' }
  return { status: 'FAILED', statusReason: 'None of its mails could be sent.' }
}
