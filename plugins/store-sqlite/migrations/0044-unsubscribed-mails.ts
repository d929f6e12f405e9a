import { Migration } from '@mikro-orm/migrations'

/** Finds the mails of a campaign by whose links people unsubscribed, among its many others. */
export class UnsubscribedMails extends Migration {
  override up(): void {
    this.addSql(
      `create index "emails_campaign_unsubscribed" on "emails" ("campaign_id", "id") where campaign_id is not null and unsubscribed_at is not null`,
    )
  }
}
