import { Migration } from '@mikro-orm/migrations'

/** The contact data keys that public API keys added to a project. */
export class PublicDataKeys extends Migration {
  override up(): void {
    this.addSql(
      `create table "public_data_keys" ("project_id" text not null, "key" text not null, "number" integer not null, primary key ("project_id", "key"))`,
    )
    this.addSql(`create unique index "public_data_keys_number" on "public_data_keys" ("project_id", "number")`)
  }
}
