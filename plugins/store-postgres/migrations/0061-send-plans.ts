import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** When the mails of campaigns may go, and the time zones of projects. */
export class SendPlans extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "campaigns" add column "plan" jsonb null`)
    this.addSql(`alter table "projects" add column "time_zone" text null`)
  }
}
