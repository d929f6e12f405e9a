import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import type { Lane } from '../ports/queue.ts'
import type { ClaimedEmail } from '../ports/store/emails.ts'
import type { Claimed, ClaimRequest, Ends } from '../work/work.ts'
import { Deliver } from './deliver.ts'
import { Recorder } from './recorder.ts'
import { TransportRouter } from './transport-router.ts'

/** How many rows one claim takes: enough to share its cost, few enough that others hardly wait for it. */
export const CLAIM = 80
/** How many claimed mails of a lane a process holds at once. */
const HELD = 4_000

/** What all claims of mail have in common. */
@injectable()
export class ClaimMails {
  readonly atOnce = HELD
  readonly leaseMs: number

  constructor(
    @inject(TransportRouter) private readonly router: TransportRouter,
    @inject(Deliver) private readonly deliver: Deliver,
    @inject(Recorder) private readonly recorder: Recorder,
    @inject(Kit) { settings }: Pick<Kit, 'settings'>,
  ) {
    this.leaseMs = settings.delivery.lease * 1000
  }

  /** Answers when a transport has room, since claimed mail should be sent soon. */
  room(lane: Lane): Promise<void> {
    return this.router.room(lane)
  }

  /** Begins to send what `ask` claims. */
  async claim(
    lane: Lane,
    { lease, leaseEnd, ends }: ClaimRequest,
    ask: () => Promise<readonly ClaimedEmail[]>,
  ): Promise<Claimed & { readonly each: number }> {
    const mails = await this.#asked(ask, lease.token, ends)
    const each = mails.length
    return { isMore: each > 0, each, running: each > 0 ? [this.deliver.send({ mails, lane, leaseEnd }, ends)] : [] }
  }

  async #asked(ask: () => Promise<readonly ClaimedEmail[]>, token: string, { stopping }: Ends) {
    try {
      return await ask()
    } catch (error) {
      // the connection may have failed after the rows were claimed
      void this.recorder.disown(token, stopping)
      throw error
    }
  }
}
