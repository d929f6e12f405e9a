import { Migration } from '@mikro-orm/migrations'
import { takeReturned } from '../../kit/sql/engine/count-returned.ts'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Mail that bounces or fails after it was accepted no longer counts as delivered on its day either. */
export class ReturnedByDay extends Migration {
  override up(): void {
    // what another process writes meanwhile would be counted by neither of both
    this.addSql(NO_TIMEOUT)
    this.addSql('lock table "emails" in share row exclusive mode')
    this.addSql(takeReturned('floor(extract(epoch from e."delivered_at") / 900)::int'))
  }
}
