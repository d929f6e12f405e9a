import { CampaignWatch } from '../delivery/campaign-watch.ts'
import { Lifetime } from '../delivery/lifetime.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { type Job, Queue } from '../ports/queue.ts'
import type { Campaign, CampaignStatus } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { enqueue } from '../work/enqueue.ts'
import { TASKS } from '../work/jobs.ts'
import { campaignJob, campaignOfJob, type NamedCampaign } from './campaign-job.ts'
import { type CampaignAction, missingCampaign, requireStatus } from './campaign-status.ts'

/** How many mails change in one transaction. */
const BATCH = 500
/** When to look again for mails that were in flight while their campaign was cancelled. */
const AGAIN_MS = 2_000

/** Stops running campaigns, and sends failed mail again. */
@injectable()
export class ControlCampaigns {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(CampaignWatch) private readonly watch: CampaignWatch,
    @inject(Lifetime) private readonly lifetime: Lifetime,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Ends the campaign for good: after the answer only mail already in flight is still handed over. Its waiting mails
   * become SKIPPED in the background. Throws EngineError `CAMPAIGN_NOT_FOUND`, `CONFLICT`.
   */
  async cancel(project: Project, id: string): Promise<Campaign> {
    const campaign = await this.#change(project, id, 'be cancelled', 'CANCELLED')
    await this.ended(campaign)
    return campaign
  }

  /** Call it after a campaign was cancelled or removed: its waiting mails become SKIPPED in the background. */
  async ended(campaign: Campaign): Promise<void> {
    if (campaign.startedAt && !campaign.sentAt) await this.#queueSkip(campaign)
  }

  /** Pauses the campaign until it is resumed, as promptly as `cancel` and with the same errors. */
  pause(project: Project, id: string): Promise<Campaign> {
    return this.#change(project, id, 'be paused', 'PAUSED')
  }

  /** Pauses a SENDING campaign because of its sender, not because a user asked. */
  async hold({ projectId, id }: NamedCampaign, statusReason: string): Promise<void> {
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
        const some = await tx.campaignMails.retryFailed(project.id, id, now, BATCH, this.lifetime.endFrom(now))
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
      await this.#add(campaignJob(TASKS.campaignMail, { projectId: project.id, id }))
    }
    return retried
  }

  async #refuseForgotten(project: Project, id: string): Promise<void> {
    const failed = { campaignId: id, status: 'FAILED' } as const
    const [first] = await this.store.emails.page(project.id, failed, { limit: 1 })
    if (first?.redactedAt === undefined) return
    throw new EngineError(
      'CONFLICT',
      'The failed mails of this campaign cannot be sent again: the data they are filled in with was removed.',
      { suggestion: 'Send a new campaign; retention.campaignVariables says how long the data is kept.' },
    )
  }

  /** The queue's handler: makes waiting mails of cancelled campaigns SKIPPED, also those that come back from flight. */
  async skip(jobIds: readonly string[], { signal }: { readonly signal: AbortSignal }): Promise<void> {
    for (const jobId of jobIds) {
      const campaign = campaignOfJob(jobId)
      if (campaign) await this.#skipAll(campaign, signal)
    }
  }

  /** After a start: continues with cancelled campaigns that still have waiting mails. */
  async recover(signal: AbortSignal): Promise<void> {
    for (const { id: projectId } of await this.store.projects.list()) {
      let after: { readonly value: string; readonly id: string } | undefined
      do {
        const asked = { limit: BATCH, ...(after ? { after } : {}) }
        const page = await this.store.campaigns.page(projectId, { status: 'CANCELLED' }, asked)
        for (const { id, startedAt } of page.slice(0, BATCH)) {
          if (signal.aborted) return
          if (startedAt && (await this.store.campaignMails.hasOpen(id))) await this.#queueSkip({ projectId, id })
        }
        const last = page.length > BATCH ? page[BATCH - 1] : undefined
        after = last && { value: '', id: last.id }
      } while (after)
    }
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

  async #skipAll({ projectId, id }: NamedCampaign, signal: AbortSignal): Promise<void> {
    const { campaigns, campaignMails } = this.store
    const campaign = await campaigns.find(projectId, id)
    if (campaign && campaign.status !== 'CANCELLED') return
    while (!signal.aborted) {
      const begun = performance.now()
      if ((await campaignMails.skipQueued(projectId, id, this.kit.now(), BATCH)) < BATCH) break
      // a pause as long as the work took, so that others get at the database; nobody waits for this job
      await new Promise((resolve) => setTimeout(resolve, performance.now() - begun))
    }
    if (await campaignMails.hasOpen(id)) {
      await this.#queueSkip({ projectId, id }, new Date(this.kit.now().getTime() + AGAIN_MS))
    }
  }

  #queueSkip(campaign: NamedCampaign, notBefore?: Date): Promise<void> {
    return this.#add(
      campaignJob(TASKS.skipCampaign, campaign, { key: campaign.id, ...(notBefore ? { notBefore } : {}) }),
    )
  }

  /** After the commit nothing may fail any more: a job that cannot be queued is found later. */
  async #add(job: Job): Promise<void> {
    await enqueue(this.queue, this.kit, [job])
  }
}
