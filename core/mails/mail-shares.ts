import type { Kit } from '../kit.ts'
import { type Held, heldUntil, type MailShare, shareOfPlan, WAITS_FOR_QUOTA } from '../mail/plan-hours.ts'
import { isSimulated } from '../mail/simulator-address.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import { type QuotasInZone, quotaShares, quotasOf } from '../projects/quotas.ts'
import { Shares } from '../work/shares.ts'

/** How long what was read of the quotas of projects counts, and of how many. */
const FRESH_MS = 30_000
const KEPT = 1_000

type CountedMail = Pick<Email, 'projectId' | 'to' | 'sourceType' | 'attempts' | 'variables'>

/**
 * Counts mails of campaigns and workflows at their first try: in the day of their campaign's plan and in the quotas of
 * their project, which mail to the simulator does not use up. Transactional mail is counted when it is accepted.
 */
export class MailShares {
  readonly #shares: Shares
  /** The claimed mails that were counted: another transport may be tried. */
  readonly #counted = new WeakSet<object>()
  readonly #quotas = new Map<string, { readonly quotas: Promise<QuotasInZone | undefined>; readonly until: number }>()

  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {
    this.#shares = new Shares(store, kit)
  }

  /** Until when the mail waits, since a share is used up; undefined when it was counted. Throws what the store throws. */
  async held(email: CountedMail, campaign: Campaign | undefined, now: Date): Promise<Held | undefined> {
    if (this.#counted.has(email)) return undefined
    const quotas = isSimulated(email.to, this.kit.settings) ? undefined : await this.#quotasFor(email, campaign)
    const usedUp = await this.#shares.take(this.#sharesOf(email, campaign, quotas, now))
    if (usedUp) return usedUp.later()
    this.#counted.add(email)
    return undefined
  }

  async #quotasFor({ projectId }: CountedMail, campaign: Campaign | undefined): Promise<QuotasInZone | undefined> {
    return campaign ? campaign.fanOut?.quotas : await this.#quotasOf(projectId)
  }

  #sharesOf(
    email: CountedMail,
    campaign: Campaign | undefined,
    quotas: QuotasInZone | undefined,
    now: Date,
  ): readonly MailShare[] {
    if (email.attempts > 1) return []
    const lifetimeMs = this.kit.settings.delivery.expireAfter * 1000
    const ofPlan = campaign && shareOfPlan(campaign, email, now, lifetimeMs)
    const ofQuotas = quotas ? quotaShares(email.projectId, quotas, now) : []
    const held = ofQuotas.map((share) => ({
      ...share,
      later: () => heldUntil(campaign ?? {}, email, share.until, lifetimeMs, WAITS_FOR_QUOTA[share.of]),
    }))
    return [...(ofPlan ? [ofPlan] : []), ...held]
  }

  /** The quotas of a project with workflows, read every half minute. */
  #quotasOf(projectId: CountedMail['projectId']): Promise<QuotasInZone | undefined> {
    const now = performance.now()
    const known = this.#quotas.get(projectId)
    if (known && now < known.until) return known.quotas
    if (this.#quotas.size >= KEPT) this.#quotas.clear()
    const quotas = this.store.projects.find(projectId).then((project) => project && quotasOf(project))
    this.#quotas.set(projectId, { quotas, until: now + FRESH_MS })
    // what could not be read is read again
    quotas.catch(() => this.#quotas.delete(projectId))
    return quotas
  }
}
