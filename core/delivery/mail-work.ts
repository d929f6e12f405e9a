import { SoftBounces } from '../bounces/soft-bounces.ts'
import { inject, injectable } from '../di.ts'
import { Reputation } from '../feedback/reputation.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { MailShares } from '../mails/mail-shares.ts'
import { LANES } from '../ports/queue.ts'
import { Store } from '../ports/store/store.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { Leases, leaseMs } from '../work/leases.ts'
import type { Work } from '../work/work.ts'
import { CampaignWatch } from './campaign-watch.ts'
import { Catching } from './catching.ts'
import { Deliver } from './deliver.ts'
import { LastChecks } from './last-checks.ts'
import { OwnClaims, SharedClaims } from './mail-claims.ts'
import { OfferedMail } from './offered-mail.ts'
import { Recorder } from './recorder.ts'
import { Throttle } from './throttle/throttle.ts'
import { Transports } from './transports.ts'

/** How many claimed mails of a lane a process holds at once, and as many of projects with mail servers of their own. */
const HELD = 4_000

/**
 * The background work that sends mail: it claims what is due, lane by lane, and begins to send it. The mail of projects
 * with mail servers of their own is claimed apart, so that servers that hang hold up no other project.
 */
@injectable()
export class MailWork {
  readonly #shared: SharedClaims
  readonly #own: OwnClaims

  constructor(
    @inject(Store) store: Store,
    @inject(Transports) private readonly transports: Transports,
    @inject(Kit) private readonly kit: Kit,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(Throttle) throttle: Throttle,
    @inject(CompiledMails) compiled: CompiledMails,
    @inject(CampaignWatch) campaigns: CampaignWatch,
    @inject(Reputation) reputation: Reputation,
    @inject(SoftBounces) softBounces: SoftBounces,
    @inject(Leases) leases: Leases,
    @inject(Sandbox) sandbox: Sandbox,
    @inject(OfferedMail) offered: OfferedMail,
  ) {
    const recorder = new Recorder(store, doorbell, kit)
    const checks = new LastChecks(store, compiled, campaigns, leases, reputation, new MailShares(store, kit), kit)
    const catching = new Catching(store, compiled, sandbox)
    const deliver = new Deliver(transports, throttle, compiled, checks, catching, recorder, softBounces, kit)
    this.#shared = new SharedClaims(store, transports, deliver, recorder, offered, kit)
    this.#own = new OwnClaims(store, transports, deliver, recorder, offered, kit)
  }

  /** The work of each lane. */
  works(): readonly Work[] {
    const common = { topic: TOPICS.mail, atOnce: HELD, leaseMs: leaseMs(this.kit) }
    return LANES.flatMap((lane): readonly Work[] => [
      {
        ...common,
        lane,
        // claimed mail should be sent soon
        room: ({ stopping }) => this.transports.room(lane, stopping),
        claim: (request) => this.#shared.claim(lane, request),
        next: () => this.#shared.next(lane),
      },
      {
        ...common,
        lane,
        room: () => this.transports.ready(),
        claim: (request) => this.#own.claim(lane, request),
        next: () => this.#own.next(lane),
      },
    ])
  }
}
