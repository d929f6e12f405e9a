import { Migration } from '@mikro-orm/migrations'

/** Contacts that were merged into others. */
export class MergedContacts extends Migration {
  override up(): void {
    this.addSql(
      `create table "merged_contacts" ("contact_id" text not null primary key, "project_id" text not null, "into_id" text not null)`,
    )
    this.addSql(`create index "merged_contacts_into" on "merged_contacts" ("into_id")`)
  }
}
