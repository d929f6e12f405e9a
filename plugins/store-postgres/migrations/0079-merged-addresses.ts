import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The addresses of merged contacts, so that they stand for the contact that is left. */
export class MergedAddresses extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "merged_contacts" add "email" text collate "C" null`)
    this.addSql(`create index "merged_contacts_email" on "merged_contacts" ("project_id", "email")`)
  }
}
