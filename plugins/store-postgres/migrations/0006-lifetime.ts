import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The time at which a mail expires, if its own differs from the usual lifetime. */
export class Lifetime extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "expires_at" timestamptz(3) null`)
  }
}
