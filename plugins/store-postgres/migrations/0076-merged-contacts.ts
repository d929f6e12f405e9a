import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Contacts that were merged into others. */
export class MergedContacts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "merged_contacts" ("contact_id" uuid not null, "project_id" uuid not null, "into_id" uuid not null, primary key ("contact_id"))`,
    )
    this.addSql(`create index "merged_contacts_into" on "merged_contacts" ("into_id")`)
  }
}
