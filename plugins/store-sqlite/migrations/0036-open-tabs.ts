import { Migration } from '@mikro-orm/migrations'

/** Who has what open just now. */
export class OpenTabs extends Migration {
  override up(): void {
    this.addSql(
      'create table "open_tabs" ("id" text not null, "project_id" text not null, "kind" text not null, "thing_id" text not null, "user_id" text not null, "name" text not null, "opened_at" datetime not null, "seen_at" datetime not null, primary key ("id"))',
    )
    this.addSql('create index "open_tabs_thing" on "open_tabs" ("project_id", "thing_id")')
    this.addSql('create index "open_tabs_seen" on "open_tabs" ("seen_at")')
  }
}
