import type { CampaignWatch } from '../delivery/campaign-watch.ts'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { lifetimeEnd } from '../mail/plan-hours.ts'
import type { Campaign, CampaignStatus } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { type CampaignAction, missingCampaign, requireStatus } from './campaign-status.ts'

/** How many mails change in one transaction. */
const BATCH = 500

/** Stops running campaigns, and sends failed mail again. */
export class ControlCampaigns {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly watch: CampaignWatch,
    private readonly kit: Kit,
  ) {}

  /**
   * Ends the campaign permanently: after the answer only mail already in flight is still handed over. Its waiting mails
   * become SKIPPED in the background. Throws EngineError `CAMPAIGN_NOT_FOUND`, `CONFLICT`.
   */
  async cancel(project: Project, id: string): Promise<Campaign> {
    const campaign = await this.#change(project, id, 'be cancelled', 'CANCELLED')
    this.ended(campaign)
    return campaign
  }

  /** Call it after a campaign was cancelled or removed: its waiting mails become SKIPPED in the background. */
  ended(campaign: Campaign): void {
    if (campaign.startedAt && !campaign.sentAt) this.doorbell.ring(TOPICS.skipCampaign, { lane: 'campaign' })
  }

  /** Pauses the campaign until it is resumed, as promptly as `cancel` and with the same errors. */
  pause(project: Project, id: string): Promise<Campaign> {
    return this.#change(project, id, 'be paused', 'PAUSED')
  }

  /** Pauses a SENDING campaign because of its sender, not because a user asked. */
  async hold({ projectId, id }: Campaign, statusReason: string): Promise<void> {
    const isHeld = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.status !== 'SENDING') return false
      return tx.campaigns.update({ ...campaign, status: 'PAUSED', statusReason, updatedAt: this.kit.now() })
    })
    if (!isHeld) return
    await this.watch.changed(id)
    this.kit.log.warn('paused a campaign', { campaign: id, project: projectId, reason: statusReason })
  }

  /**
   * Makes every FAILED mail QUEUED again and the campaign SENDING; a campaign without any stays unchanged. Answers how
   * many. Throws as `cancel` does, and `CONFLICT` when the variables of all FAILED mails were removed.
   */
  async retryFailed(project: Project, id: string): Promise<number> {
    const now = this.kit.now()
    let retried = 0
    for (;;) {
      const count = await this.store.transaction(async (tx) => {
        const campaign = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
        if (retried === 0) requireStatus(campaign, 'send again what failed')
        // stopped meanwhile; when only earlier mails have finished, the rest is still retried
        else if (campaign.status === 'PAUSED' || campaign.status === 'CANCELLED') return 0
        const some = await tx.campaignMails.retryFailed(project.id, id, now, BATCH, this.#end(campaign, now))
        if (some === 0 || campaign.status === 'SENDING') return some
        const { sentAt, statusReason, ...rest } = campaign
        await tx.campaigns.update({ ...rest, status: 'SENDING', updatedAt: this.kit.now() })
        return some
      })
      retried += count
      if (count < BATCH) break
    }
    if (retried === 0) await this.#refuseForgotten(project, id)
    if (retried > 0) {
      this.watch.forget(id)
      this.doorbell.ring(TOPICS.mail, { lane: 'campaign' })
    }
    return retried
  }

  #end(campaign: Campaign, now: Date): Date {
    return lifetimeEnd(campaign, now, this.kit.settings.delivery.expireAfter * 1000)
  }

  async #refuseForgotten(project: Project, id: string): Promise<void> {
    const failed = { campaignId: id, status: 'FAILED' } as const
    const [first] = await this.store.emails.page(project.id, failed, { limit: 1 })
    if (first?.redactedAt === undefined) return
    throw new EngineError(
      'CONFLICT',
      'The failed mails of this campaign cannot be sent again: the data they are filled in with was removed.',
      { suggestion: 'Send a new campaign; the data is kept for 30 days after the end of one.' },
    )
  }

  async #change(project: Project, id: string, action: CampaignAction, status: CampaignStatus): Promise<Campaign> {
    const changed = await this.store.transaction(async (tx) => {
      const held = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
      requireStatus(held, action)
      const { statusReason, ...rest } = held
      const campaign = { ...rest, status, updatedAt: this.kit.now() }
      await tx.campaigns.update(campaign)
      return campaign
    })
    if (changed.startedAt) await this.watch.changed(id)
    return changed
  }
}
