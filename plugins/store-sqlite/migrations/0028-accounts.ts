import { Migration } from '@mikro-orm/migrations'

/** Users, which projects they belong to, what they may do once, and how often a login was tried. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(
      `create table "users" ("id" text not null, "email" text not null, "name" text null, "password_hash" text null, "session_version" integer not null, "verified_at" datetime null, "totp_secret" text null, "totp_since" datetime null, "totp_step" integer null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create unique index "users_email" on "users" ("email")`)
    this.addSql(
      `create table "user_identities" ("provider" text not null, "subject" text not null, "user_id" text not null, "created_at" datetime not null, primary key ("provider", "subject"))`,
    )
    this.addSql(
      `create table "recovery_codes" ("user_id" text not null, "hash" text not null, primary key ("user_id", "hash"))`,
    )
    this.addSql(
      `create table "project_members" ("project_id" text not null, "user_id" text not null, "role" text not null, "created_at" datetime not null, primary key ("project_id", "user_id"))`,
    )
    this.addSql(`create index "project_members_user" on "project_members" ("user_id")`)
    this.addSql(
      `create table "user_tokens" ("id" text not null, "purpose" text not null, "user_id" text null, "email" text null, "project_id" text null, "role" text null, "expires_at" datetime not null, "created_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "user_tokens_user" on "user_tokens" ("user_id")`)
    this.addSql(`create index "user_tokens_project" on "user_tokens" ("project_id")`)
    this.addSql(`create index "user_tokens_expires" on "user_tokens" ("expires_at")`)
    this.addSql(
      `create table "attempts" ("key" text not null, "count" integer not null, "until" datetime not null, primary key ("key"))`,
    )
    this.addSql(`create index "attempts_until" on "attempts" ("until")`)
  }
}
