import { Migration } from '@mikro-orm/migrations'
import { add } from './tally-triggers.ts'

/** The row of a mail stands for its first events. A mail that was sent before has rows of them, and stands for none. */
export class LedgerEvents extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "ledger_events" smallint null`)
    this.addSql(
      `create index "emails_ledger_events" on "emails" ("project_id", "sent_at") where ledger_events is not null`,
    )
    this.addSql(
      `create index "emails_ledger_events_of_contact" on "emails" ("project_id", "contact_id", "sent_at") where ledger_events is not null`,
    )
    // a copy of a store brings mails that stand for events already
    this.addSql(trigger('insert', 'new', '', 1))
    const gone = `(new."contact_id" is null or new."ledger_events" is null)`
    this.addSql(trigger('update of "contact_id", "ledger_events"', 'old', ` and ${gone}`, -1))
    this.addSql(trigger('delete', 'old', '', -1))
  }
}

/** Counts the events that this row of a mail stands for, or does so no longer. */
function trigger(event: string, row: 'new' | 'old', when: string, by: number): string {
  const [name] = event.split(' ')
  const count = (eventName: string, bit: number) =>
    add(
      `select ${row}."project_id", 'event', '${eventName}', '', 0, ${by} where (${row}."ledger_events" & ${bit}) <> 0`,
    )
  return `create trigger "emails_ledger_events_${name}" after ${event} on "emails"
    when ${row}."ledger_events" is not null and ${row}."contact_id" is not null${when} begin
      ${count('email.sent', 1)};
      ${count('email.delivery', 2)};
    end`
}
