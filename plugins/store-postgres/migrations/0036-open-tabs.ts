import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Who has what open just now. It need not survive a crash, so that it is kept out of the write-ahead log. */
export class OpenTabs extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      'create unlogged table "open_tabs" ("id" text collate "C" not null, "project_id" uuid not null, "kind" text collate "C" not null, "thing_id" uuid not null, "user_id" text collate "C" not null, "name" text collate "C" not null, "opened_at" timestamptz(3) not null, "seen_at" timestamptz(3) not null, primary key ("id"))',
    )
    this.addSql('create index "open_tabs_thing" on "open_tabs" ("project_id", "thing_id")')
    this.addSql('create index "open_tabs_seen" on "open_tabs" ("seen_at")')
  }
}
