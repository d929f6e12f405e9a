import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Users, which projects they belong to, what they may do once, and how often a login was tried. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "users" ("id" uuid not null, "email" text collate "C" not null, "name" text collate "C" null, "password_hash" text collate "C" null, "session_version" int not null, "verified_at" timestamptz(3) null, "totp_secret" text collate "C" null, "totp_since" timestamptz(3) null, "totp_step" int null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`alter table "users" add constraint "users_email" unique ("email")`)
    this.addSql(
      `create table "user_identities" ("provider" text collate "C" not null, "subject" text collate "C" not null, "user_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("provider", "subject"))`,
    )
    this.addSql(
      `create table "recovery_codes" ("user_id" uuid not null, "hash" text collate "C" not null, primary key ("user_id", "hash"))`,
    )
    this.addSql(
      `create table "project_members" ("project_id" uuid not null, "user_id" uuid not null, "role" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("project_id", "user_id"))`,
    )
    this.addSql(`create index "project_members_user" on "project_members" ("user_id")`)
    this.addSql(
      `create table "user_tokens" ("id" uuid not null, "purpose" text collate "C" not null, "user_id" uuid null, "email" text collate "C" null, "project_id" uuid null, "role" text collate "C" null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "user_tokens_user" on "user_tokens" ("user_id")`)
    this.addSql(`create index "user_tokens_project" on "user_tokens" ("project_id")`)
    this.addSql(`create index "user_tokens_expires" on "user_tokens" ("expires_at")`)
    this.addSql(
      `create table "attempts" ("key" text collate "C" not null, "count" int not null, "until" timestamptz(3) not null, primary key ("key"))`,
    )
    this.addSql(`create index "attempts_until" on "attempts" ("until")`)
  }
}
