import { Migration } from '@mikro-orm/migrations'

/** Which contents have the pixel because their request asked for tracking. */
export class TrackingAsked extends Migration {
  override up(): void {
    this.addSql(`alter table "mail_contents" add column "tracking_asked" integer null`)
  }
}
