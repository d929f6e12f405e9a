import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Finds the mails of a campaign by whose links people unsubscribed, among its many others. */
export class UnsubscribedMails extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create index "emails_campaign_unsubscribed" on "emails" ("campaign_id", "id") where campaign_id is not null and unsubscribed_at is not null`,
    )
  }
}
