import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The contact data keys that public API keys added to a project. */
export class PublicDataKeys extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "public_data_keys" ("project_id" uuid not null, "key" text collate "C" not null, "number" integer not null, primary key ("project_id", "key"))`,
    )
    this.addSql(`create unique index "public_data_keys_number" on "public_data_keys" ("project_id", "number")`)
  }
}
