import { Migration } from '@mikro-orm/migrations'

/** Drops an index of the ledger that another one answers for. */
export class FewerMailIndexes extends Migration {
  override up(): void {
    this.addSql(`drop index "emails_ledger_events_of_contact"`)
  }
}
