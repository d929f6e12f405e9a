import type { Kit } from '../kit.ts'
import type { Lane } from '../ports/queue.ts'
import type { WaitingCampaign } from '../ports/store/campaign-mails.ts'
import type { ClaimedEmail, WaitingMail } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { Claimed, ClaimRequest } from '../work/work.ts'
import type { Deliver } from './deliver.ts'
import type { Offer, OfferedMail } from './offered-mail.ts'
import type { Recorder } from './recorder.ts'
import type { Route } from './route.ts'
import type { Transports } from './transports.ts'

/** How many rows one claim takes: enough to share its cost, few enough that others hardly wait for it. */
const CLAIM = 80
/** The same of mails that are written with it, while no other campaign has any: each page costs a transaction. */
const TAKEN = 200
/** After so many claims of mails that are written with them, one takes what waits of the campaign: a retry may be in it. */
const TAKEN_IN_A_ROW = 7
/** How many projects share a claim. */
const MAX_SHARES = 40

/** A claim whose mails are being sent. */
type ClaimedMails = Claimed & { readonly each: number }

/** The mail of a project that waits, or with an `id` that of a campaign. */
type Waiting = Pick<WaitingMail, 'projectId' | 'dueAt'> & { readonly id?: string }

/**
 * Claims mail that is due, and begins to send it. Of each lane every project with due mail gets an equal share of a claim,
 * so that no project waits behind another's backlog. In the lane of campaigns the campaigns take turns, a claim each,
 * before other mail of that lane.
 */
abstract class MailClaims {
  /** The campaigns that may have due mail, in the order of their turns. */
  #turns: string[] = []
  /** How many claims in a row have taken mails of a campaign that were written with them, while others of it waited. */
  readonly #taken = new Map<string, number>()

  constructor(
    protected readonly store: Store,
    protected readonly transports: Transports,
    private readonly deliver: Deliver,
    private readonly recorder: Recorder,
    private readonly offered: OfferedMail,
  ) {}

  /** Claims what is due of a lane; undefined when that is nothing. */
  abstract claim(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined>

  /** When the next mail of this lane is due, and can be claimed. */
  async next(lane: Lane): Promise<Date | undefined> {
    const campaigns = lane === 'campaign' ? await this.#sendingCampaigns() : []
    const waiting = [...campaigns, ...this.#mine(await this.store.emails.waiting(lane))]
    const times = waiting.map((each) => this.dueAt(each, lane).getTime())
    return times.length > 0 ? new Date(Math.min(...times)) : undefined
  }

  /** Whether the mail of this project is claimed here. */
  protected abstract isMine(projectId: ProjectId): boolean

  /** Whether mail of this project, or of this campaign, can be claimed now. */
  protected abstract isFree(projectId: ProjectId, lane: Lane, campaignId?: string): boolean

  /** When this can be claimed. */
  protected abstract dueAt(waiting: Waiting, lane: Lane): Date

  /** How many mails of this project, or of this campaign, may be claimed now; undefined for any number. */
  protected abstract most(projectId: ProjectId, lane: Lane, campaignId?: string): number | undefined

  /** Claims what is due in this lane and belongs to no campaign. */
  protected async claimOfProjects(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const waiting = this.#mine(await this.store.emails.waiting(lane))
    const due = waiting.filter(({ projectId, dueAt }) => dueAt <= now && this.isFree(projectId, lane))
    // of very many projects those whose mail has waited for longest
    const oldest = due.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
    if (oldest[0] === undefined) return undefined
    const limit = this.#limit(oldest[0].projectId, lane)
    const together = oldest.filter(({ projectId }) => this.#limit(projectId, lane) === limit)
    const first = together.slice(0, Math.min(MAX_SHARES, limit))
    const ids = first.map(({ projectId }) => projectId)
    const share = Math.ceil(limit / ids.length)
    const claimed = await this.send(
      lane,
      request,
      this.store.emails.claimDue({ lane, projectIds: ids, share }, now, lease),
    )
    return { ...claimed, isMore: claimed.each >= share || first.length < due.length }
  }

  /** Claims mails of the campaign whose turn it is; of no campaign when none has any. */
  protected async claimOfCampaigns(request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const sending = await this.#sendingCampaigns()
    const due = new Map(
      sending.flatMap(({ id, projectId, dueAt }) =>
        dueAt <= now && this.isFree(projectId, 'campaign', id) ? [[id, projectId] as const] : [],
      ),
    )
    const written = new Set(due.keys())
    for (const [id, { projectId }] of this.offered.all) {
      if (this.isMine(projectId) && this.isFree(projectId, 'campaign', id)) due.set(id, projectId)
    }
    for (const id of this.#taken.keys()) if (!due.has(id)) this.#taken.delete(id)
    this.#turns = [
      ...this.#turns.filter((id) => due.has(id)),
      ...[...due.keys()].filter((id) => !this.#turns.includes(id)),
    ]
    for (let id = this.#turns.shift(); id !== undefined; id = this.#turns.shift()) {
      const projectId = due.get(id)
      if (projectId === undefined) continue
      const limit = this.#limit(projectId, 'campaign', id)
      const offer = this.#offerOf(id, written)
      if (!offer && !written.has(id)) continue
      const mails = offer
        ? offer.take({ lease, most: limit < CLAIM || due.size > 1 ? limit : TAKEN })
        : this.store.emails.claimDue({ campaignId: id, limit }, now, lease)
      const claimed = await this.send('campaign', request, mails)
      if (claimed.each === 0) continue
      // its next turn comes after those of the others
      this.#turns.push(id)
      return claimed
    }
    return this.claimOfProjects('campaign', request)
  }

  /** Begins to send what was asked for. */
  protected async send(
    lane: Lane,
    { lease, leaseEnd, ends }: ClaimRequest,
    asked: Promise<readonly ClaimedEmail[]>,
  ): Promise<ClaimedMails> {
    try {
      const mails = await asked
      const each = mails.length
      return { isMore: each > 0, each, running: each > 0 ? [this.deliver.send({ mails, lane, leaseEnd }, ends)] : [] }
    } catch (error) {
      // the connection may have failed after the rows were claimed
      void this.recorder.disown(lease.token, ends.stopping)
      throw error
    }
  }

  /**
   * Mails that the campaign offers to this process, unless it is the turn of those that wait: an audience may be written for
   * hours. Where none of its mail waits for other processes, they get what is offered instead.
   */
  #offerOf(campaignId: string, written: ReadonlySet<string>): Offer | undefined {
    const offer = this.offered.all.get(campaignId)
    const taken = this.#taken.get(campaignId) ?? 0
    this.#taken.delete(campaignId)
    if (offer && written.has(campaignId)) {
      if (taken === TAKEN_IN_A_ROW) return undefined
      this.#taken.set(campaignId, taken + 1)
      return offer
    }
    if (this.store.exclusive) return offer
    offer?.leave()
    return undefined
  }

  /** How many rows a claim takes. */
  #limit(projectId: ProjectId, lane: Lane, campaignId?: string): number {
    return Math.min(CLAIM, Math.max(1, this.most(projectId, lane, campaignId) ?? CLAIM))
  }

  #mine<Each extends Waiting>(waiting: readonly Each[]): readonly Each[] {
    return waiting.filter(({ projectId }) => this.isMine(projectId))
  }

  async #sendingCampaigns(): Promise<readonly WaitingCampaign[]> {
    return this.#mine(await this.store.campaignMails.waiting()).filter(({ status }) => status === 'SENDING')
  }
}

/** When this can be claimed, by the way that it goes. */
function dueBy(route: Route | undefined, { dueAt }: Waiting, lane: Lane, now: Date): Date {
  const ms = route?.lookInMs(lane) ?? 0
  return ms > 0 ? new Date(Math.max(dueAt.getTime(), now.getTime() + ms)) : dueAt
}

/**
 * Claims the mail that goes by the ways of the installation. Where rules send it several ways, each campaign and project is
 * claimed as its own has room, so that one that is slow does not hold up the others.
 */
export class SharedClaims extends MailClaims {
  constructor(
    store: Store,
    transports: Transports,
    deliver: Deliver,
    recorder: Recorder,
    offered: OfferedMail,
    private readonly kit: Kit,
  ) {
    super(store, transports, deliver, recorder, offered)
  }

  claim(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    if (lease.alone) return this.send(lane, request, this.store.emails.claimDue('alone', now, lease))
    return lane === 'campaign' ? this.claimOfCampaigns(request) : this.claimOfProjects(lane, request)
  }

  protected isMine(projectId: ProjectId): boolean {
    return this.transports.ownOf(projectId) === undefined
  }

  protected isFree(projectId: ProjectId, lane: Lane, campaignId?: string): boolean {
    // without rules `Work.room` has waited for it
    return !this.transports.hasRules || this.#limiting(lane, projectId, campaignId)?.takes(lane) !== false
  }

  protected dueAt(waiting: Waiting, lane: Lane): Date {
    if (!this.transports.hasRules) return waiting.dueAt
    return dueBy(this.#limiting(lane, waiting.projectId, waiting.id), waiting, lane, this.kit.now())
  }

  protected most(projectId: ProjectId, lane: Lane, campaignId?: string): number | undefined {
    const { hasRules, shared } = this.transports
    return (hasRules ? this.#limiting(lane, projectId, campaignId) : shared)?.most(lane)
  }

  /**
   * The way by which mail is likely to go, whose room limits what is claimed. While it is paused, it does not limit a
   * project: its next mail may go another way, and what goes this way is put off. A campaign waits, since it has too much
   * mail to put off.
   */
  #limiting(lane: Lane, projectId: ProjectId, campaignId: string | undefined): Route | undefined {
    const way = this.transports.likely(lane, projectId, campaignId)
    return campaignId === undefined && way.isPaused ? undefined : way
  }
}

/**
 * Claims the mail of projects with mail servers of their own, of each only as much as its servers take: it never waits for
 * room, since there is room for others.
 */
export class OwnClaims extends MailClaims {
  constructor(
    store: Store,
    transports: Transports,
    deliver: Deliver,
    recorder: Recorder,
    offered: OfferedMail,
    private readonly kit: Kit,
  ) {
    super(store, transports, deliver, recorder, offered)
  }

  async claim(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    if (!this.transports.hasOwn || request.lease.alone) return undefined
    return lane === 'campaign' ? this.claimOfCampaigns(request) : this.claimOfProjects(lane, request)
  }

  override async next(lane: Lane): Promise<Date | undefined> {
    return this.transports.hasOwn ? super.next(lane) : undefined
  }

  protected isMine(projectId: ProjectId): boolean {
    return this.transports.ownOf(projectId) !== undefined
  }

  protected isFree(projectId: ProjectId, lane: Lane, campaignId?: string): boolean {
    return this.#limiting(lane, projectId, campaignId)?.takes(lane) !== false
  }

  protected dueAt(waiting: Waiting, lane: Lane): Date {
    return dueBy(this.#limiting(lane, waiting.projectId, waiting.id), waiting, lane, this.kit.now())
  }

  protected most(projectId: ProjectId, lane: Lane, campaignId?: string): number | undefined {
    return this.#limiting(lane, projectId, campaignId)?.most(lane)
  }

  /**
   * The way through all of them. Where mail of the project may name others, it may go several ways, and is limited as that of
   * the installation is.
   */
  #limiting(lane: Lane, projectId: ProjectId, campaignId: string | undefined): Route | undefined {
    if (!this.transports.namesAny(projectId)) return this.transports.ownOf(projectId)
    const way = this.transports.likely(lane, projectId, campaignId)
    return campaignId === undefined && way.isPaused ? undefined : way
  }
}
