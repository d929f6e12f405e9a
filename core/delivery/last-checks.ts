import type { Reputation } from '../feedback/reputation.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { isOfTestKey, isTest, usualEnd } from '../mail/email.ts'
import { heldByPlan, lifetimeEnd } from '../mail/plan-hours.ts'
import { isMixed, MIXED } from '../mail/simulator-address.ts'
import type { MailShares } from '../mails/mail-shares.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { ClaimedEmail, DeliveryResult, SkipReason } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import { LeftTopics } from '../subscriptions/left-topics.ts'
import type { Leases } from '../work/leases.ts'
import type { CampaignWatch } from './campaign-watch.ts'
import type { MailOrder } from './hand-over.ts'
import { Ramps } from './throttle/ramp.ts'
import type { Later } from './throttle/throttle.ts'

/** How many seconds a try may overrun its time limit: to be aborted, to end, and to be recorded. */
const OVERRUN = 7
/** Tries beyond the retries that may end without any result (a crash, a kill) before a mail is given up. */
const SPARE_TRIES = 5
/**
 * For how long a mail must be due before so many tries end it, in milliseconds: a process that dies again and again while
 * it starts claims the oldest mails each time, and tries none of them.
 */
const TRIED_MS = 3_600_000
/** When marketing mail of a stopped domain is checked again. */
const STOPPED_MS = 600_000

/** How a mail ends without being sent. */
export type Unsent = Pick<DeliveryResult, 'status' | 'error' | 'skipReason'>

/**
 * Where a mail is to go: to this transport of the operator, to servers of its project or the simulator (`apart`), or nowhere,
 * since it is caught.
 */
export type Goal = { readonly transport: string } | 'apart' | 'nowhere'

/** A mail may be sent, or it is given back, put off or ended. */
export type Verdict = { readonly order: MailOrder } | 'give back' | { readonly later: Later } | { readonly end: Unsent }

/**
 * Looks at a mail for the last time before it is handed over: until when may it go, and may it still? Much may have
 * changed since it was accepted.
 */
export class LastChecks {
  readonly #topics: LeftTopics
  readonly #ramps: Ramps
  readonly #hasRamps: boolean

  constructor(
    private readonly store: Store,
    private readonly compiled: CompiledMails,
    private readonly campaigns: CampaignWatch,
    private readonly leases: Leases,
    private readonly reputation: Reputation,
    private readonly shares: MailShares,
    private readonly kit: Kit,
  ) {
    this.#topics = new LeftTopics(store)
    this.#ramps = new Ramps(store, reputation, kit)
    this.#hasRamps = Object.values(kit.settings.delivery.throttle.transports).some(({ ramp }) => ramp !== undefined)
  }

  /**
   * When the mail expires. Time during which its campaign was paused does not count. A waiting mail is due at the latest
   * then, so that its claim ends it; no other job looks for expired mail. Throws what the store throws.
   */
  end(email: ClaimedEmail, now: Date): Date | Promise<Date> {
    const end = email.expiresAt ?? usualEnd(email.createdAt, this.kit.settings)
    return end > now || email.campaignId === undefined ? end : this.#withCampaign(email, email.campaignId, end)
  }

  async #withCampaign({ projectId }: ClaimedEmail, campaignId: string, end: Date): Promise<Date> {
    const campaign = await this.campaigns.seen(projectId, campaignId)
    const lifetimeMs = this.kit.settings.delivery.expireAfter * 1000
    const extended = campaign && lifetimeEnd(campaign, campaign.updatedAt, lifetimeMs)
    return extended && extended > end ? extended : end
  }

  /**
   * `leaseEnd` is by the monotonic clock; `claim` are the mails that were claimed with this one. A mail that goes nowhere
   * is counted in no plan, quota or ramp. Throws what the store throws.
   */
  async verdict(
    email: ClaimedEmail,
    mail: CompiledMail | undefined,
    leaseEnd: number,
    claim: readonly ClaimedEmail[],
    goal: Goal,
  ): Promise<Verdict> {
    const { campaignId, projectId } = email
    const { sendTimeout, retryDelays } = this.kit.settings.delivery
    // Only when the lease outlasts the longest try and this worker is known to be alive: so no other worker can be sending it.
    const left = (leaseEnd - performance.now()) / 1000
    if (left < sendTimeout + OVERRUN || !this.leases.hold(email.lease.token)) return 'give back'
    const campaign = campaignId === undefined ? undefined : await this.campaigns.sending(projectId, campaignId)
    if (campaignId !== undefined && campaign === undefined) return 'give back'
    const skip = skipReason(email, mail)
    if (skip) return { end: { status: 'SKIPPED', skipReason: skip } }
    const isEarly = campaign?.plan && heldByPlan(campaign, email, this.kit.now())
    if (isEarly) return { later: isEarly }
    const found = mail ?? (await this.compiled.find(email.contentId))
    if (!found) return { end: await this.#without(email) }
    const { copies } = found
    // no door takes such a mail, but the address of this server may have changed since
    if (copies.length > 0 && isMixed([email.to, ...copies], this.kit.settings))
      return { end: { status: 'FAILED', error: MIXED } }
    const { topicId } = found.content
    if (topicId !== undefined && (await this.#isLeft(email, topicId, claim)))
      return { end: { status: 'SKIPPED', skipReason: 'topic' } }
    const now = this.kit.now()
    const dueMs = now.getTime() - email.dueAt.getTime()
    if (email.attempts > retryDelays.length + 1 + SPARE_TRIES && dueMs > TRIED_MS) {
      return { end: { status: 'FAILED', error: 'Too many tries ended without a result.' } }
    }
    const held = goal === 'nowhere' ? undefined : await this.#held(email, found, campaign, goal, now)
    if (held) return { later: held }
    const unwanted = copies.length === 0 ? NOBODY : await this.store.suppressions.among(projectId, copies, now)
    return { order: { email, mail: found, date: now, unwanted } }
  }

  /** Until when the mail waits, since its domain is stopped, or a ramp, a plan or a quota is used up. */
  async #held(
    email: ClaimedEmail,
    found: CompiledMail,
    campaign: Campaign | undefined,
    goal: Exclude<Goal, 'nowhere'>,
    now: Date,
  ): Promise<Later | undefined> {
    const stopped = await this.#stopped(email, found)
    if (stopped !== undefined) return { until: new Date(now.getTime() + STOPPED_MS), reason: stopped }
    // last, since a mail that is counted is to go
    const isRamped = this.#hasRamps && found.content.marketing && !isTest(email)
    const above =
      isRamped && goal !== 'apart' ? await this.#ramps.held(email, goal.transport, found.content.from.email) : undefined
    if (above) return above
    const isCounted = campaign ? (campaign.plan ?? campaign.fanOut?.quotas) : email.sourceType === 'WORKFLOW'
    return isCounted ? this.shares.held(email, campaign, now) : undefined
  }

  /** Tests and partly delivered mails still go out. */
  #isLeft(email: ClaimedEmail, topicId: string, claim: readonly ClaimedEmail[]): Promise<boolean> | boolean {
    return !isTest(email) && !email.accepted.includes(email.to) && this.#topics.has(email, topicId, claim)
  }

  /** Why marketing mail must wait. Campaigns are paused as a whole; tests and partly delivered mails still go out. */
  #stopped(email: ClaimedEmail, { content }: CompiledMail): Promise<string | undefined> | undefined {
    if (!content.marketing || email.campaignId !== undefined || isTest(email) || email.accepted.length > 0)
      return undefined
    return this.reputation.stopped(email.projectId, content.from.email)
  }

  /** The result for a mail without content: its contact was removed while it was in work. */
  async #without({ projectId, id }: ClaimedEmail): Promise<Unsent> {
    const row = await this.store.emails.find(projectId, id)
    if (row?.redactedAt) return { status: 'SKIPPED', skipReason: 'contact-removed' }
    return { status: 'FAILED', error: 'The content of this mail is gone.' }
  }
}

const NOBODY: ReadonlySet<string> = new Set()

/**
 * Why the mail is skipped, such as removed variables. Once its recipient has it, only copies are left, and it continues.
 */
export function skipReason(email: ClaimedEmail, mail: CompiledMail | undefined): SkipReason | undefined {
  if (email.redactedAt !== undefined) return 'contact-removed'
  if (email.accepted.includes(email.to)) return undefined
  if (email.suppressed) return `suppressed:${email.suppressed}`
  if (isTest(email)) return undefined
  if (email.contactId === undefined || email.subscribed === undefined) return 'contact-removed'
  // of a test key's mail the request says it, and what is stored stays
  if (mail?.content.marketing && !email.subscribed && !isOfTestKey(email)) return 'unsubscribed'
  if (mail?.content.marketing && email.paused) return 'paused'
  return undefined
}
