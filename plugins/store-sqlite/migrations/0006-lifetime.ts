import { Migration } from '@mikro-orm/migrations'

/** The time at which a mail expires, if its own differs from the usual lifetime. */
export class Lifetime extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "expires_at" datetime null`)
  }
}
