import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Which contents have the pixel because their request asked for tracking. */
export class TrackingAsked extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "mail_contents" add column "tracking_asked" boolean null`)
  }
}
