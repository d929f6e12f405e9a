import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Mail that says itself when it comes too late, or whose lifetime does not begin when it was accepted. */
export class Lifetime extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "expires_at" timestamptz(3) null`)
  }
}
