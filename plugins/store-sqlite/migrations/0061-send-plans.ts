import { Migration } from '@mikro-orm/migrations'

/** When the mails of campaigns may go, and the time zones of projects. */
export class SendPlans extends Migration {
  override up(): void {
    this.addSql(`alter table "campaigns" add column "plan" json null`)
    this.addSql(`alter table "projects" add column "time_zone" text null`)
  }
}
