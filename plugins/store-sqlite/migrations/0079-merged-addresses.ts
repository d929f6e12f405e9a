import { Migration } from '@mikro-orm/migrations'

/** The addresses of merged contacts, so that they stand for the contact that is left. */
export class MergedAddresses extends Migration {
  override up(): void {
    this.addSql(`alter table "merged_contacts" add column "email" text null`)
    this.addSql(`create index "merged_contacts_email" on "merged_contacts" ("project_id", "email")`)
  }
}
