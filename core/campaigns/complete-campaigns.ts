import type { Reputation } from '../feedback/reputation.ts'
import type { Kit } from '../kit.ts'
import type { CampaignCounters } from '../ports/store/campaign-mails.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { Store } from '../ports/store/store.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import type { BrakeCampaigns } from './brake-campaigns.ts'
import type { ControlCampaigns } from './control-campaigns.ts'
import type { CampaignVariants } from './variants/campaign-variants.ts'

/** Watches the campaigns that are SENDING: rings for a fan-out that a crash cut off, and notices when one is done. */
export class CompleteCampaigns {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly control: ControlCampaigns,
    private readonly reputation: Reputation,
    private readonly brake: BrakeCampaigns,
    private readonly variants: CampaignVariants,
    private readonly kit: Kit,
  ) {}

  /** Every second. */
  async tick(signal: AbortSignal): Promise<void> {
    // first: a campaign that is to be braked is not done
    await this.brake.tick(signal)
    for (const campaign of await this.store.campaigns.sending()) {
      if (signal.aborted) return
      try {
        await this.#checkOne(campaign)
      } catch (error) {
        this.kit.log.warn('could not check on a campaign', { campaign: campaign.id, error })
      }
    }
  }

  async #checkOne(campaign: Campaign): Promise<void> {
    const { id, fanOut, projectId } = campaign
    for (const { from } of [campaign, ...(campaign.variants ?? [])]) {
      const reason = from === undefined ? undefined : await this.reputation.stopped(projectId, from)
      if (reason !== undefined) return this.control.hold(campaign, reason)
    }
    if (fanOut?.phase === 'waiting') return this.variants.look(campaign)
    if (fanOut && !fanOut.done) this.doorbell.ring(TOPICS.fanOut, { lane: 'campaign' })
    else if (!(await this.store.campaignMails.hasOpen(id))) await this.#finish(campaign)
  }

  /** Checks again under the lock: mail may have been queued again meanwhile. */
  async #finish({ projectId, id }: Campaign): Promise<void> {
    const end = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.status !== 'SENDING' || !campaign.fanOut?.done || campaign.hold !== undefined) return undefined
      if (await tx.campaignMails.hasOpen(id)) return undefined
      const now = this.kit.now()
      const end = endOf(await tx.campaignMails.counters(projectId, id))
      await tx.campaigns.update({ ...campaign, ...end, sentAt: now, updatedAt: now })
      return end
    })
    if (!end) return
    const about = { campaign: id, project: projectId, status: end.status }
    if (end.statusReason === undefined) this.kit.log.info('a campaign is done', about)
    else this.kit.log.warn('a campaign is done, but most of its mails failed', { ...about, reason: end.statusReason })
  }
}

/**
 * FAILED when every mail that was to be sent failed, SENT with a reason when most did; bounced and skipped ones do not
 * count as failed.
 */
function endOf({ recipients, failed, skipped }: CampaignCounters): Pick<Campaign, 'status' | 'statusReason'> {
  const leftOut = Object.values(skipped).reduce((sum, count) => sum + count, 0)
  const wanted = recipients - leftOut
  if (failed === 0 || failed <= wanted / 2) return { status: 'SENT' }
  if (failed >= wanted) return { status: 'FAILED', statusReason: 'None of its mails could be sent.' }
  return { status: 'SENT', statusReason: `${failed} of its ${wanted} mails could not be sent.` }
}
