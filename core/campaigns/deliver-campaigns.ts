import { CLAIM, ClaimMails } from '../delivery/claim-mails.ts'
import { DeliverMails } from '../delivery/deliver-mails.ts'
import { inject, injectable } from '../di.ts'
import { Store } from '../ports/store/store.ts'
import { TOPICS } from '../work/doorbell.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'

/** Delivers the mails of campaigns, and other mail of their lane. Campaigns take turns, a claim each. */
@injectable()
export class DeliverCampaigns implements Work {
  readonly topic = TOPICS.mail
  readonly lane = 'campaign'
  readonly atOnce: number
  readonly leaseMs: number
  /** The campaigns that may have due mail, in the order of their turns. */
  #turns: string[] = []

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(ClaimMails) private readonly claims: ClaimMails,
    @inject(DeliverMails) private readonly others: DeliverMails,
  ) {
    this.atOnce = claims.atOnce
    this.leaseMs = claims.leaseMs
  }

  room(): Promise<void> {
    return this.claims.room(this.lane)
  }

  async claim(request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const due = await this.#due(now)
    this.#turns = [...this.#turns.filter((id) => due.has(id)), ...[...due].filter((id) => !this.#turns.includes(id))]
    for (let id = this.#turns.shift(); id !== undefined; id = this.#turns.shift()) {
      const campaign = id
      const ask = () => this.store.emails.claimDue({ campaignId: campaign, limit: CLAIM }, now, lease)
      const claimed = await this.claims.claim(this.lane, request, ask)
      if (claimed.each === 0) continue
      // its next turn comes after those of the others
      this.#turns.push(id)
      return claimed
    }
    return this.others.claim(this.lane, request)
  }

  async next(): Promise<Date | undefined> {
    const campaigns = (await this.store.campaignMails.waiting()).filter(({ status }) => status === 'SENDING')
    const times = [...campaigns.map(({ dueAt }) => dueAt), (await this.others.next(this.lane)) ?? []].flat()
    return times.length > 0 ? new Date(Math.min(...times.map((time) => time.getTime()))) : undefined
  }

  async #due(now: Date): Promise<Set<string>> {
    const waiting = await this.store.campaignMails.waiting()
    return new Set(waiting.filter(({ status, dueAt }) => status === 'SENDING' && dueAt <= now).map(({ id }) => id))
  }
}
