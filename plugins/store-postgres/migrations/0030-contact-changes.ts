import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { COUNT_CHANGES } from './tally-triggers.ts'

/** Counts changed contacts without a join, which took most of the time of an import of known contacts. */
export class ContactChanges extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(COUNT_CHANGES)
  }
}
