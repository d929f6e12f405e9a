import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Whoever sent an invitation, and the invitations of an address, for the person who is logged in with it. */
export class Invitations extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "user_tokens" add column "inviter" text null`)
    this.addSql(`create index "user_tokens_invited" on "user_tokens" ("email") where purpose = 'invite'`)
  }
}
