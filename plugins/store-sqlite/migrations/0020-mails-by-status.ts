import { Migration } from '@mikro-orm/migrations'

/** A mail that is being sent is not listed by status, so that a claim need not move it in the index. */
export class MailsByStatus extends Migration {
  override up(): void {
    this.addSql('drop index "emails_by_status"')
    this.addSql(`create index "emails_by_status" on "emails" ("project_id", "status", "id") where status <> 'SENDING'`)
  }
}
