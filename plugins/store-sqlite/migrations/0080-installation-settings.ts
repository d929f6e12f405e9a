import { Migration } from '@mikro-orm/migrations'

/** What the operator sets while it runs: mail servers and the public address. */
export class InstallationSettings extends Migration {
  override up(): void {
    this.addSql(
      `create table "installation_settings" ("name" text not null primary key, "value" json not null, "version" integer not null, "updated_at" datetime not null)`,
    )
  }
}
