import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Mails to an address are found at once; those of campaigns are found by their contact. */
export class MailsByAddress extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`create index "emails_by_address" on "emails" ("project_id", "to", "id") where campaign_id is null`)
  }
}
