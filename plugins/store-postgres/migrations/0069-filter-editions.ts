import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** By which edition of the operators the filter of a segment was written. */
export class FilterEditions extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "segments" add column "filter_edition" integer null')
  }
}
