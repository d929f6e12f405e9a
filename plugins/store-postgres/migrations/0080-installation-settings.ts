import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What the operator sets while it runs: mail servers and the public address. */
export class InstallationSettings extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "installation_settings" ("name" text collate "C" not null, "value" jsonb not null, "version" int not null, "updated_at" timestamptz(3) not null, primary key ("name"))`,
    )
  }
}
