import { SoftBounces } from '../bounces/soft-bounces.ts'
import { inject, injectable } from '../di.ts'
import { Reputation } from '../feedback/reputation.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { MailShares } from '../mails/mail-shares.ts'
import { LANES, type Lane } from '../ports/queue.ts'
import type { ClaimedEmail } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { Leases, leaseMs } from '../work/leases.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import { CampaignWatch } from './campaign-watch.ts'
import { Deliver } from './deliver.ts'
import { LastChecks } from './last-checks.ts'
import { Recorder } from './recorder.ts'
import { Throttle } from './throttle/throttle.ts'
import { Transports } from './transports.ts'

/** How many rows one claim takes: enough to share its cost, few enough that others hardly wait for it. */
const CLAIM = 80
/** How many projects share a claim. */
const MAX_SHARES = 40
/** How many claimed mails of a lane a process holds at once. */
const HELD = 4_000

/** A claim whose mails are being sent. */
type ClaimedMails = Claimed & { readonly each: number }

/**
 * Claims mail that is due, lane by lane, and begins to send it. Of each lane every project with due mail gets an equal
 * share of a claim, so that no project waits behind another's backlog. In the lane of campaigns the campaigns take
 * turns, a claim each, before other mail of that lane.
 */
@injectable()
export class MailWork {
  readonly #recorder: Recorder
  readonly #deliver: Deliver
  /** The campaigns that may have due mail, in the order of their turns. */
  #turns: string[] = []

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Transports) private readonly transports: Transports,
    @inject(Kit) private readonly kit: Kit,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(Throttle) throttle: Throttle,
    @inject(CompiledMails) compiled: CompiledMails,
    @inject(CampaignWatch) campaigns: CampaignWatch,
    @inject(Reputation) reputation: Reputation,
    @inject(SoftBounces) softBounces: SoftBounces,
    @inject(Leases) leases: Leases,
  ) {
    this.#recorder = new Recorder(store, doorbell, kit)
    const checks = new LastChecks(store, compiled, campaigns, leases, reputation, new MailShares(store, kit), kit)
    this.#deliver = new Deliver(transports, throttle, compiled, checks, this.#recorder, softBounces, kit)
  }

  /** The work of each lane. */
  works(): readonly Work[] {
    return LANES.map((lane) => ({
      topic: TOPICS.mail,
      lane,
      atOnce: HELD,
      leaseMs: leaseMs(this.kit),
      // claimed mail should be sent soon
      room: ({ stopping }) => this.transports.room(lane, stopping),
      claim: (request) => this.#claimIn(lane, request),
      next: () => this.#next(lane),
    }))
  }

  #claimIn(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    if (lease.alone) return this.#send(lane, request, this.store.emails.claimDue('alone', now, lease))
    return lane === 'campaign' ? this.#claimOfCampaigns(request) : this.#claim(lane, request)
  }

  /** Claims what is due in this lane and belongs to no campaign. */
  async #claim(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const waiting = await this.store.emails.waiting(lane)
    const due = waiting.filter(({ dueAt }) => dueAt <= now)
    if (due.length === 0) return undefined
    // of very many projects those whose mail has waited for longest
    const limit = this.#limit(lane)
    const first = due.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()).slice(0, Math.min(MAX_SHARES, limit))
    const ids = first.map(({ projectId }) => projectId)
    const share = Math.ceil(limit / ids.length)
    const claimed = await this.#send(
      lane,
      request,
      this.store.emails.claimDue({ lane, projectIds: ids, share }, now, lease),
    )
    return { ...claimed, isMore: claimed.each >= share || first.length < due.length }
  }

  /** Claims mails of the campaign whose turn it is; of no campaign when none has any. */
  async #claimOfCampaigns(request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const due = new Set((await this.#sendingCampaigns()).flatMap(({ id, dueAt }) => (dueAt <= now ? id : [])))
    this.#turns = [...this.#turns.filter((id) => due.has(id)), ...[...due].filter((id) => !this.#turns.includes(id))]
    for (let id = this.#turns.shift(); id !== undefined; id = this.#turns.shift()) {
      const asked = this.store.emails.claimDue({ campaignId: id, limit: this.#limit('campaign') }, now, lease)
      const claimed = await this.#send('campaign', request, asked)
      if (claimed.each === 0) continue
      // its next turn comes after those of the others
      this.#turns.push(id)
      return claimed
    }
    return this.#claim('campaign', request)
  }

  /** How many rows a claim takes. */
  #limit(lane: Lane): number {
    return Math.min(CLAIM, Math.max(1, this.transports.most(lane) ?? CLAIM))
  }

  /** Begins to send what was asked for. */
  async #send(
    lane: Lane,
    { lease, leaseEnd, ends }: ClaimRequest,
    asked: Promise<readonly ClaimedEmail[]>,
  ): Promise<ClaimedMails> {
    try {
      const mails = await asked
      const each = mails.length
      return { isMore: each > 0, each, running: each > 0 ? [this.#deliver.send({ mails, lane, leaseEnd }, ends)] : [] }
    } catch (error) {
      // the connection may have failed after the rows were claimed
      void this.#recorder.disown(lease.token, ends.stopping)
      throw error
    }
  }

  /** When the next mail of this lane is due. */
  async #next(lane: Lane): Promise<Date | undefined> {
    const campaigns = lane === 'campaign' ? await this.#sendingCampaigns() : []
    const times = [...campaigns, ...(await this.store.emails.waiting(lane))].map(({ dueAt }) => dueAt.getTime())
    return times.length > 0 ? new Date(Math.min(...times)) : undefined
  }

  async #sendingCampaigns() {
    return (await this.store.campaignMails.waiting()).filter(({ status }) => status === 'SENDING')
  }
}
