import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The sessions of users, which are listed and ended one by one. Those that began before go on until they expire. */
export class UserSessions extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      'create table "user_sessions" ("id" uuid not null, "user_id" uuid not null, "agent" text collate "C" null, "address" text collate "C" null, "last_used_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"))',
    )
    this.addSql('create index "user_sessions_user" on "user_sessions" ("user_id")')
    this.addSql('create index "user_sessions_expires" on "user_sessions" ("expires_at")')
  }
}
