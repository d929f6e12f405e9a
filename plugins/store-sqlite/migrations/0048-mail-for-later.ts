import { Migration } from '@mikro-orm/migrations'

/** Mails for later of agents that are stopped are found. */
export class MailForLater extends Migration {
  override up(): void {
    this.addSql(`create index "inbox_drafts_later" on "inbox_drafts" ("project_id", "send_at") where status = 'sent'`)
  }
}
