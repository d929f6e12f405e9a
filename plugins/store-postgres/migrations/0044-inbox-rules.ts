import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Inboxes have rules for what comes in, and blocked senders. */
export class InboxRules extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `alter table "inboxes" add "rules" jsonb null, add "blocked" jsonb null, add "filter_spam" boolean null`,
    )
  }
}
