import type { CampaignWatch } from '../delivery/campaign-watch.ts'
import { EngineError } from '../errors.ts'
import { type Reputation, requireGood } from '../feedback/reputation.ts'
import type { Filters } from '../filters/filters.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { Brake, Campaign } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { IdempotentRequest } from '../projects/idempotency.ts'
import { requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { missingSegment } from '../segments/segment.ts'
import { Conflict, retryConflicts } from '../values/conflict.ts'
import type { Json } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import type { BrakeCampaigns } from './brake-campaigns.ts'
import { campaignAudience, firstRecipient, frozenAudience, newestContact } from './campaign-audience.ts'
import { campaignContent } from './campaign-content.ts'
import type { BounceDecision } from './campaign-request.ts'
import { missingCampaign, requireStatus } from './campaign-status.ts'
import { planAfterPause, plannedFrom } from './send-plan.ts'
import { otherContents } from './variants/as-variant.ts'
import { restarted, sharesOf } from './variants/test-progress.ts'
import { isTooSmall } from './variants/test-size.ts'

/** A scheduled campaign that is overdue by more than this, since the service was down, is paused instead of sent late. */
const MAX_OVERDUE_MS = 60 * 60_000
/** How many scheduled campaigns one tick looks at. */
const AT_ONCE = 100
/** How long a caller who resumes a braked campaign waits for the answers to mails that were on their way. */
const LAST_ANSWERS_MS = 1_000

interface StartOptions {
  readonly asked?: IdempotentRequest<Json> | undefined
  readonly bounces?: BounceDecision | undefined
  /** Nothing is started that is scheduled for later than this. */
  readonly dueBy?: Date
}

/** Starts campaigns, at once or at their scheduled time. */
export class StartCampaigns {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly filters: Filters,
    private readonly watch: CampaignWatch,
    private readonly compiled: CompiledMails,
    private readonly reputation: Reputation,
    private readonly brake: BrakeCampaigns,
    private readonly kit: Kit,
  ) {}

  /**
   * Makes the campaign SENDING: freezes its audience, stores its content and queues the fan-out; a paused one
   * continues, a braked one with a decision about its `bounces`. Of two concurrent calls one starts it, the other is
   * refused. Answers false when the idempotency key already has its answer, or the campaign is not due. Throws
   * EngineError `CAMPAIGN_NOT_FOUND`, `CONFLICT` (also while marketing mail of its sender is stopped),
   * `DOMAIN_NOT_VERIFIED`, `SEGMENT_NOT_FOUND`, `PROJECT_DISABLED`, `BAD_REQUEST` when it has no recipient,
   * `VALIDATION_ERROR` when the first mail breaks a limit, `IDEMPOTENCY_KEY_REUSED`.
   */
  async start(project: Project, id: string, { asked, bounces, dueBy }: StartOptions = {}): Promise<boolean> {
    requireEnabled(project)
    // a campaign that is changed meanwhile is read again
    const outcome = await retryConflicts(Number.POSITIVE_INFINITY, async () => {
      const campaign = (await this.store.campaigns.find(project.id, id)) ?? missingCampaign(id)
      return campaign.startedAt
        ? this.#resume(project, campaign, asked, bounces)
        : this.#begin(project, campaign, asked, dueBy)
    })
    if (typeof outcome === 'object') {
      await this.brake.finish(outcome.decided, LAST_ANSWERS_MS)
      return true
    }
    if (outcome === 'started') this.#ring(id)
    return outcome === 'started'
  }

  /** Makes the campaign SCHEDULED for that moment; answers and throws as `start` does. */
  async schedule(project: Project, id: string, scheduledAt: Date, asked?: IdempotentRequest<Json>): Promise<boolean> {
    requireEnabled(project)
    return this.store.transaction(async (tx) => {
      const now = this.kit.now()
      if (asked && !(await asked.reserve(tx.answers, {}))) return false
      const campaign = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
      requireStatus(campaign, 'be sent')
      if (campaign.startedAt) throw begun(campaign)
      await this.#check(tx, project, campaign)
      const { statusReason, ...rest } = campaign
      await tx.campaigns.update({ ...rest, status: 'SCHEDULED', scheduledAt, updatedAt: now })
      return true
    })
  }

  /**
   * Every second: starts the scheduled campaigns whose time has come. One that is long overdue, or that cannot be
   * started, becomes PAUSED with the reason.
   */
  async tick(signal: AbortSignal): Promise<void> {
    const now = this.kit.now()
    const latest = now.getTime() - MAX_OVERDUE_MS
    for (const campaign of await this.store.campaigns.dueToStart(now, AT_ONCE)) {
      if (signal.aborted) return
      const overdue = campaign.scheduledAt !== undefined && campaign.scheduledAt.getTime() < latest
      const reason = overdue
        ? 'It could not be sent at its scheduled time, which is long past.'
        : await this.#attempt(campaign)
      if (reason !== undefined) await this.#hold(campaign, reason)
    }
  }

  /** Why the campaign could not be started; undefined when it was, or when the next tick is to try again. */
  async #attempt({ projectId, id }: Campaign): Promise<string | undefined> {
    try {
      const project = await this.store.projects.find(projectId)
      if (project) await this.start(project, id, { dueBy: this.kit.now() })
      return undefined
    } catch (error) {
      if (EngineError.is(error) && PERMANENT_KINDS.has(error.kind)) return error.message
      this.kit.log.warn('could not start a scheduled campaign', { campaign: id, project: projectId, error })
      return undefined
    }
  }

  async #hold({ projectId, id, scheduledAt }: Campaign, statusReason: string): Promise<void> {
    const held = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.status !== 'SCHEDULED' || campaign.scheduledAt?.getTime() !== scheduledAt?.getTime()) return false
      return tx.campaigns.update({ ...campaign, status: 'PAUSED', statusReason, updatedAt: this.kit.now() })
    })
    if (held)
      this.kit.log.warn('paused a scheduled campaign', { campaign: id, project: projectId, reason: statusReason })
  }

  async #begin(
    project: Project,
    campaign: Campaign,
    asked: IdempotentRequest<Json> | undefined,
    dueBy: Date | undefined,
  ): Promise<'started' | 'replayed' | 'later'> {
    requireStatus(campaign, 'be sent')
    // its time was changed since it was found to be due
    if (dueBy && campaign.scheduledAt && campaign.scheduledAt > dueBy) return 'later'
    const now = this.kit.now()
    for (const { from } of [campaign, ...(campaign.variants ?? [])]) {
      if (from === undefined) continue
      requireVerifiedDomain(project, from)
      requireGood(await this.reputation.stopped(project.id, from))
    }
    const content = await campaignContent(this.store, project, campaign, now)
    const others = campaign.variants ? await otherContents(this.store, project, campaign, now) : []
    this.compiled.requireSendable(content)
    const audience = await campaignAudience(this.store, this.filters, project, campaign, now)
    const first = await firstRecipient(this.store, project, audience, campaign, now)
    if (first === undefined) throw await this.#nobody(project, campaign, audience, now)
    // a template that breaks a limit would break it for each recipient, and hold up the others
    for (const each of [content, ...others])
      await this.compiled.withValidator(each, async (validate) =>
        validate([{ ...first.data, subscribed: first.subscribed }]),
      )
    const upTo = await newestContact(this.store, project)
    const { plan, topicId } = campaign
    const count = async () =>
      (await this.store.campaignMails.countAudience(project.id, audience, now, { topicId })).mailable
    const planned = plan && (await plannedFrom(plan, project.timeZone ?? 'UTC', count))
    const shares = sharesOf(campaign)
    const isWhole = shares !== undefined && shares.share < 100 && isTooSmall(shares, await count())
    const fanOut = {
      frozenAt: now.toISOString(),
      upTo,
      cursor: '',
      done: false,
      recipients: 0,
      skipped: {},
      ...(campaign.audienceType === 'ALL' ? {} : { audience: frozenAudience(audience) }),
      ...(planned ? { plan: planned } : {}),
      ...(project.frequencyCap ? { cap: project.frequencyCap } : {}),
      ...(project.quotas ? { quotas: { ...project.quotas, zone: project.timeZone ?? 'UTC' } } : {}),
      ...(campaign.test
        ? {
            phase: 'testing' as const,
            test: { contents: [content, ...others].map(({ id }) => id), ...(isWhole ? { whole: true as const } : {}) },
          }
        : {}),
    }
    return this.store.transaction(async (tx) => {
      if (asked && !(await asked.reserve(tx.answers, {}))) return 'replayed'
      const held = (await tx.campaigns.lock(project.id, campaign.id)) ?? missingCampaign(campaign.id)
      requireStatus(held, 'be sent')
      if (!isSame(held, campaign)) throw new Conflict()
      await this.#check(tx, project, held)
      await tx.emails.add([], [content, ...others])
      const { statusReason, scheduledAt, ...rest } = held
      // a campaign sent by hand before its time was never due
      const kept = scheduledAt !== undefined && scheduledAt <= now ? { scheduledAt } : {}
      const begun = { status: 'SENDING', startedAt: now, contentId: content.id, fanOut, updatedAt: now } as const
      await tx.campaigns.update({ ...rest, ...kept, ...begun, ...this.brake.begun })
      return 'started'
    })
  }

  async #resume(
    project: Project,
    campaign: Campaign,
    asked: IdempotentRequest<Json> | undefined,
    bounces: BounceDecision | undefined,
  ): Promise<'started' | 'replayed' | { readonly decided: Campaign }> {
    const { id } = campaign
    const stopped = new Set<string | undefined>()
    for (const { from } of [campaign, ...(campaign.variants ?? [])])
      if (from !== undefined) stopped.add(await this.reputation.stopped(project.id, from))
    return this.store.transaction(async (tx) => {
      const now = this.kit.now()
      if (asked && !(await asked.reserve(tx.answers, {}))) return 'replayed'
      const held = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
      requireStatus(held, 'be sent')
      for (const { from } of [held, ...(held.variants ?? [])])
        if (from !== undefined) requireVerifiedDomain(project, from)
      for (const reason of stopped) requireGood(reason)
      const plan = held.plan && planAfterPause(held.plan, held.updatedAt, now)
      const planned = plan ? { plan } : {}
      if (held.brake) {
        // what was decided before is done first
        const hold = held.hold === 'braked' ? (bounces ?? undecided(held, held.brake)) : held.hold
        const decided = { ...held, ...planned, ...(hold ? { hold } : {}), updatedAt: now }
        await tx.campaigns.update(decided)
        return { decided }
      }
      const { statusReason, fanOut, ...rest } = held
      const goesOn = fanOut ? { fanOut: restarted(fanOut, now) } : {}
      await tx.campaigns.update({ ...rest, ...goesOn, ...planned, status: 'SENDING', updatedAt: now })
      return 'started'
    })
  }

  /** Checks what may have changed since the campaign was written; the segment is locked until it is sent. */
  async #check(tx: Repositories, project: Project, campaign: Campaign): Promise<void> {
    const { variants = [], audienceType, segmentId = '' } = campaign
    for (const { from } of [campaign, ...variants]) if (from !== undefined) requireVerifiedDomain(project, from)
    this.compiled.requireSendable({ marketing: true, projectId: project.id })
    if (audienceType !== 'SEGMENT') return
    if (!(await tx.segments.lock(project.id, segmentId))) missingSegment(segmentId)
  }

  /** Says why no one is left. */
  async #nobody(project: Project, { name, topicId }: Campaign, audience: Audience, now: Date): Promise<EngineError> {
    const topic = topicId === undefined ? undefined : await this.store.topics.find(project.id, topicId)
    const counts = await this.store.campaignMails.countAudience(project.id, audience, now, { topicId })
    const { unsubscribed, suppressed, paused, withoutTopic } = counts
    const reasons = [
      [withoutTopic, `do not get the topic "${topic?.name ?? topicId}"`],
      [unsubscribed, 'are unsubscribed'],
      [suppressed, 'are suppressed'],
      [paused, 'have paused'],
    ] as const
    const said = reasons.flatMap(([count, why]) => (count > 0 ? `${count} ${why}` : []))
    const why = said.length === 0 ? 'nobody is in it' : said.join(', ')
    return new EngineError('BAD_REQUEST', `No contact in the audience of "${name}" can be mailed: ${why}.`, {
      suggestion:
        withoutTopic > 0
          ? 'Contacts get mail of a topic once they choose it, or by its standing: send under another topic, or under none.'
          : 'Its preview says who is left out, and why.',
    })
  }

  #ring(campaignId: string): void {
    this.watch.forget(campaignId)
    this.doorbell.ring(TOPICS.fanOut, { lane: 'campaign' })
    this.doorbell.ring(TOPICS.mail, { lane: 'campaign' })
  }
}

/** Kinds of errors that will be the same a second later. */
const PERMANENT_KINDS: ReadonlySet<string> = new Set(['malformed', 'forbidden', 'missing', 'conflict', 'invalid'])

function isSame(one: Campaign, other: Campaign): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function undecided({ name }: Campaign, { reply }: Brake): never {
  const message = `is needed, "accept" or "retry", since "${name}" was paused for its bounces: ${reply}`
  throw refused(
    [{ field: 'bounces', code: 'required', message }],
    'POST /campaigns/{id}/resume with {"bounces": "accept"} suppresses and unsubscribes the bad addresses; {"bounces": "retry"} sends the refused mails again.',
  )
}

function begun({ name }: Campaign): EngineError {
  return new EngineError('CONFLICT', `The campaign "${name}" was already started; it cannot be scheduled.`, {
    suggestion: 'Send it without scheduledFor to continue it.',
  })
}
