import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Until when contacts want no marketing mail. */
export class Pauses extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "contacts" add column "paused_until" timestamptz(3) null')
  }
}
