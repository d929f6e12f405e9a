import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { addInSchema, tallyFunction } from './tally-triggers.ts'

/** The row of a mail stands for its first events. A mail that was sent before has rows of them, and stands for none. */
export class LedgerEvents extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "ledger_events" smallint null`)
    this.addSql(
      `create index "emails_ledger_events" on "emails" ("project_id", "sent_at") where ledger_events is not null`,
    )
    this.addSql(
      `create index "emails_ledger_events_of_contact" on "emails" ("project_id", "contact_id", "sent_at") where ledger_events is not null`,
    )
    this.addSql(tallyFunction('ledger_events_added', addInSchema(ofMail('new', 1))))
    this.addSql(tallyFunction('ledger_events_gone', addInSchema(ofMail('old', -1))))
    // a copy of a store brings mails that stand for events already
    this.addSql(trigger('insert', 'new', '', 'added'))
    const gone = `(new."contact_id" is null or new."ledger_events" is null)`
    this.addSql(trigger('update of "contact_id", "ledger_events"', 'old', ` and ${gone}`, 'gone'))
    this.addSql(trigger('delete', 'old', '', 'gone'))
  }
}

function ofMail(row: 'new' | 'old', by: number): string {
  return `select ${row}."project_id", 'event' as "subject", e."name", '' as "kind", ${by} as "by"
    from (values ('email.sent', 1), ('email.delivery', 2)) as e("name", "bit")
    where (${row}."ledger_events" & e."bit") <> 0`
}

/** Counts the events that this row of a mail stands for, or does so no longer. Row by row, since rarely a row is meant. */
function trigger(event: string, row: 'new' | 'old', when: string, does: 'added' | 'gone'): string {
  const [name] = event.split(' ')
  return `create trigger "emails_ledger_events_${name}" after ${event} on "emails" for each row
    when (${row}."ledger_events" is not null and ${row}."contact_id" is not null${when})
    execute function "mailwright_tally_ledger_events_${does}"()`
}
