import { inject, injectable } from '../di.ts'
import type { Lane } from '../ports/queue.ts'
import { Store } from '../ports/store/store.ts'
import { TOPICS } from '../work/doorbell.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import { CampaignWatch } from './campaign-watch.ts'
import { CLAIM, ClaimMails } from './claim-mails.ts'
import { Deliver } from './deliver.ts'
import { LastChecks } from './last-checks.ts'
import { Recorder } from './recorder.ts'
import { SendingThreads } from './threads/sending-threads.ts'
import { Throttle } from './throttle.ts'
import { TransportRouter } from './transport-router.ts'

/** How many projects share a claim. */
const MAX_SHARES = 40

/**
 * Delivers mail that belongs to no campaign. Of each lane every project with due mail gets an equal share of a claim, so
 * that no project waits behind another's backlog.
 */
@injectable()
export class DeliverMails {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(ClaimMails) private readonly claims: ClaimMails,
  ) {}

  /** The work of a lane. */
  of(lane: Lane): Work {
    const { atOnce, leaseMs } = this.claims
    return {
      topic: TOPICS.mail,
      lane,
      atOnce,
      leaseMs,
      room: () => this.claims.room(lane),
      claim: (request) => this.claim(lane, request),
      next: () => this.next(lane),
    }
  }

  /** Claims what is due in this lane and begins to send it. */
  async claim(lane: Lane, request: ClaimRequest): Promise<Claimed | undefined> {
    const { now, lease } = request
    const waiting = await this.store.emails.waiting(lane)
    const due = waiting.filter(({ dueAt }) => dueAt <= now)
    if (due.length === 0) return undefined
    // of very many projects those whose mail has waited for longest
    const first = due.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()).slice(0, MAX_SHARES)
    const ids = first.map(({ projectId }) => projectId)
    const share = Math.ceil(CLAIM / ids.length)
    const ask = () => this.store.emails.claimDue({ lane, projectIds: ids, share }, now, lease)
    const claimed = await this.claims.claim(lane, request, ask)
    return { ...claimed, isMore: claimed.each >= share || first.length < due.length }
  }

  /** When the next mail of this lane is due. */
  async next(lane: Lane): Promise<Date | undefined> {
    const times = (await this.store.emails.waiting(lane)).map(({ dueAt }) => dueAt.getTime())
    return times.length > 0 ? new Date(Math.min(...times)) : undefined
  }
}

/** What the container makes of this room, besides its doors. */
export const DELIVERY = {
  sendingThreads: SendingThreads,
  router: TransportRouter,
  throttle: Throttle,
  recorder: Recorder,
  lastChecks: LastChecks,
  deliver: Deliver,
  claimMails: ClaimMails,
  deliverMails: DeliverMails,
  campaignWatch: CampaignWatch,
}
