import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What inboxes show after the subject. */
export class Preheaders extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "templates" add column "preheader" text null`)
    this.addSql(`alter table "campaigns" add column "preheader" text null`)
  }
}
