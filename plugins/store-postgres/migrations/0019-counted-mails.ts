import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Mails are counted by the code that inserts them. */
export class CountedMails extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('drop trigger "emails_tally_insert" on "emails"')
    this.addSql('drop function "mailwright_tally_emails_added"()')
    this.addSql('drop trigger "emails_ledger_events_insert" on "emails"')
    this.addSql('drop function "mailwright_tally_ledger_events_added"()')
  }
}
