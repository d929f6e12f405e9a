import { Migration } from '@mikro-orm/migrations'
import { takeReturned } from '../../kit/sql/engine/count-returned.ts'

/** Mail that bounces or fails after it was accepted no longer counts as delivered on its day either. */
export class ReturnedByDay extends Migration {
  override up(): void {
    this.addSql(takeReturned('e."delivered_at" / 900000'))
  }
}
