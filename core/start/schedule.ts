import { CompleteCampaigns } from '../campaigns/complete-campaigns.ts'
import { StartCampaigns } from '../campaigns/start-campaigns.ts'
import { ContactJobs } from '../contacts/contact-jobs.ts'
import { inject, injectable } from '../di.ts'
import { CheckDomains } from '../domains/check-domains.ts'
import { DomainTests } from '../domains/domain-tests.ts'
import { Feedback } from '../feedback/feedback.ts'
import { ReadInbound } from '../inbound/read-inbound.ts'
import { Kit } from '../kit.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { Store } from '../ports/store/store.ts'
import { forgettableBefore } from '../projects/idempotency.ts'
import { Reputation } from '../reputation/reputation.ts'
import { Erasing } from '../retention/erasing.ts'
import { Retention } from '../retention/retention.ts'
import { DeliverWebhooks } from '../webhooks/deliver-webhooks.ts'
import { removeAll } from '../work/rest.ts'
import { WorkLoops } from '../work/work-loops.ts'
import { Recovery } from './recovery.ts'

/** When a tick of every second ends, whatever is left: regular ticks show that it is not stuck. */
const TICK_MS = 5_000
const DAY_MS = 86_400_000

/** Everything the engine does on a schedule, in one list. */
@injectable()
export class Schedule {
  constructor(
    @inject(WorkLoops) private readonly loops: WorkLoops,
    @inject(Recovery) private readonly recovery: Recovery,
    @inject(StartCampaigns) private readonly startCampaigns: StartCampaigns,
    @inject(CompleteCampaigns) private readonly completeCampaigns: CompleteCampaigns,
    @inject(DeliverWebhooks) private readonly deliverWebhooks: DeliverWebhooks,
    @inject(ContactJobs) private readonly contactJobs: ContactJobs,
    @inject(ReadInbound) private readonly readInbound: ReadInbound,
    @inject(Erasing) private readonly erasing: Erasing,
    @inject(Retention) private readonly retention: Retention,
    @inject(CheckDomains) private readonly checkDomains: CheckDomains,
    @inject(Feedback) private readonly feedback: Feedback,
    @inject(DomainTests) private readonly domainTests: DomainTests,
    @inject(Reputation) private readonly reputation: Reputation,
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  tasks(): readonly ScheduledTask[] {
    return [
      { name: 'work', cron: '* * * * * *', run: () => this.loops.tick() },
      { name: 'recovery', cron: '*/5 * * * * *', run: () => this.#recover() },
      { name: 'campaigns', cron: '* * * * * *', run: (signal) => this.#campaigns(withTimeLimit(signal)) },
      { name: 'domains', cron: '*/5 * * * * *', run: (signal) => this.checkDomains.tick(signal) },
      { name: 'erasing', cron: '*/5 * * * * *', run: (signal) => this.erasing.tick(signal) },
      { name: 'reputation', cron: '7 * * * * *', run: (signal) => this.reputation.tick(signal) },
      { name: 'retention', cron: '37 * * * *', run: (signal) => this.retention.tick(signal) },
      {
        name: 'forget idempotency answers',
        cron: '17 * * * *',
        run: (signal) =>
          removeAll((most) => this.store.writeBatch.forget(forgettableBefore(this.kit.now()), most), signal),
      },
      { name: 'forget webhook deliveries', cron: '23 3 * * *', run: (signal) => this.deliverWebhooks.forget(signal) },
      {
        name: 'forget feedback reports',
        cron: '29 * * * *',
        run: (signal) => removeAll((most) => this.feedback.forget(most), signal),
      },
      {
        name: 'forget figures of domains',
        cron: '47 3 * * *',
        run: (signal) => removeAll((most) => this.reputation.forget(most), signal),
      },
      {
        name: 'forget tests of domains',
        cron: '53 * * * *',
        run: (signal) => removeAll((most) => this.domainTests.forget(most), signal),
      },
      {
        name: 'forget tokens and attempts',
        cron: '31 * * * *',
        run: async (signal) => {
          await removeAll((most) => this.store.userTokens.forget(this.kit.now(), most), signal)
          await removeAll((most) => this.store.attempts.forget(this.kit.now(), most), signal)
        },
      },
      {
        name: 'join figures',
        cron: '11 * * * *',
        run: (signal) =>
          removeAll((most) => this.store.analytics.joinParts(settledBefore(this.kit.now()), most), signal),
      },
      { name: 'forget contact jobs', cron: '41 3 * * *', run: (signal) => this.contactJobs.forget(signal) },
    ]
  }

  /** Frees what is left behind, and then looks for it. */
  async #recover(): Promise<void> {
    await this.recovery.tick()
    await this.readInbound.tick()
    this.loops.look()
  }

  async #campaigns(signal: AbortSignal): Promise<void> {
    await this.startCampaigns.tick(signal)
    await this.completeCampaigns.tick(signal)
  }
}

/** Figures of before this moment are hardly written any more, so that no caller waits for them. */
function settledBefore(now: Date): Date {
  return new Date(now.getTime() - 2 * DAY_MS)
}

function withTimeLimit(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(TICK_MS)])
}
