import { inject, injectable } from './di.ts'
import { forgettableBefore } from './intake/idempotency.ts'
import { Kit } from './kit.ts'
import type { ScheduledTask } from './ports/scheduler.ts'
import { Store } from './ports/store.ts'
import { Recovery } from './recovery.ts'

/** Everything the engine does by the clock, in one list. */
@injectable()
export class Schedule {
  constructor(
    @inject(Recovery) private readonly recovery: Recovery,
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  tasks(): readonly ScheduledTask[] {
    return [
      { name: 'recovery', cron: '*/5 * * * * *', run: (signal) => this.recovery.turn(signal) },
      {
        name: 'forget idempotency answers',
        cron: '17 * * * *',
        run: async () => void (await this.store.intake.forget(forgettableBefore(this.kit.now()))),
      },
    ]
  }
}
