import { Migration } from '@mikro-orm/migrations'

/** The sessions of users, which are listed and ended one by one. Those that began before go on until they expire. */
export class UserSessions extends Migration {
  override up(): void {
    this.addSql(
      'create table "user_sessions" ("id" text not null, "user_id" text not null, "agent" text null, "address" text null, "last_used_at" datetime not null, "expires_at" datetime not null, "created_at" datetime not null, primary key ("id"))',
    )
    this.addSql('create index "user_sessions_user" on "user_sessions" ("user_id")')
    this.addSql('create index "user_sessions_expires" on "user_sessions" ("expires_at")')
  }
}
