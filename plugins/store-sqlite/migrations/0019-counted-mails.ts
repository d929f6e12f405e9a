import { Migration } from '@mikro-orm/migrations'

/** Mails are counted by the code that inserts them, since a trigger made each insert half as dear again. */
export class CountedMails extends Migration {
  override up(): void {
    this.addSql('drop trigger "emails_tally_insert"')
    this.addSql('drop trigger "emails_ledger_events_insert"')
  }
}
