import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { MOMENT_IN_FUNCTION, VALUES_AT_FUNCTION } from './value-functions.ts'

/** Functions that look into lists of contact data, and read Unix times in it. */
export class Values extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(VALUES_AT_FUNCTION)
    this.addSql(MOMENT_IN_FUNCTION)
  }
}
