import { Migration } from '@mikro-orm/migrations'
import { COUNT_RETURNED } from '../../kit/sql/engine/count-returned.ts'
import { VARIANT_TALLIES } from './campaign-tally-triggers.ts'
import { FUNCTION_PATHS } from './function-paths.ts'
import { NO_TIMEOUT } from './no-timeout.ts'

/** A campaign's mail that bounces or fails after it was accepted counts once, and no longer as delivered. */
export class ReturnedMails extends Migration {
  override up(): void {
    // what another process writes meanwhile would be counted by neither of both
    const held = 'lock table "emails" in share row exclusive mode'
    for (const sql of [NO_TIMEOUT, held, ...VARIANT_TALLIES, FUNCTION_PATHS, COUNT_RETURNED]) this.addSql(sql)
  }
}
