import { Migration } from '@mikro-orm/migrations'
import { COUNT_RETURNED } from '../../kit/sql/engine/count-returned.ts'
import { CAMPAIGN_TALLIES, VARIANT_TALLIES } from './campaign-tally-triggers.ts'

/** A campaign's mail that bounces or fails after it was accepted counts once, and no longer as delivered. */
export class ReturnedMails extends Migration {
  override up(): void {
    for (const name of ['emails_tally_delete', 'emails_tally_update']) this.addSql(`drop trigger "${name}"`)
    for (const name of ['emails_variant_tally_delete', 'emails_variant_tally_update'])
      this.addSql(`drop trigger "${name}"`)
    // the first one counts inserts, which the code does
    for (const sql of [...CAMPAIGN_TALLIES.slice(1), ...VARIANT_TALLIES, COUNT_RETURNED]) this.addSql(sql)
  }
}
