import { Migration } from '@mikro-orm/migrations'

/** Mails that were only written to a folder, so that figures do not call them delivered. The folder's usual name marks those before. */
export class ToFolder extends Migration {
  override up(): void {
    this.addSql('alter table "emails" add column "to_folder" boolean null')
    this.addSql(
      `update "emails" set "to_folder" = true where "transport" = 'mail-outbox' and "delivered_at" is not null`,
    )
    this.addSql(
      'create index "emails_to_folder" on "emails" ("project_id", "campaign_id", "delivered_at") where to_folder is not null',
    )
  }
}
