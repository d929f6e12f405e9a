import { Migration } from '@mikro-orm/migrations'

/** Finds a campaign's clicked mails among its many others, for the figures of its links and for who is behind them. */
export class ClickedMails extends Migration {
  override up(): void {
    this.addSql(
      `create index "emails_campaign_clicked" on "emails" ("campaign_id", "id") where campaign_id is not null and clicked_at is not null`,
    )
  }
}
