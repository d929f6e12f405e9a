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
    const gone = `new."contact_id" is null or new."ledger_events" is null`
    this.addSql(uncounted('update of "contact_id", "ledger_events"', ` and (${gone})`))
    this.addSql(uncounted('delete', ''))
  }
}

/** Counts events no more whose mail stands for them no longer. */
function uncounted(event: string, when: string): string {
  const [name] = event.split(' ')
  const removed = (eventName: string, bit: number) =>
    add(`select old."project_id", 'event', '${eventName}', '', 0, -1 where (old."ledger_events" & ${bit}) <> 0`)
  return `create trigger "emails_ledger_events_${name}" after ${event} on "emails"
    when old."ledger_events" is not null and old."contact_id" is not null${when} begin
      ${removed('email.sent', 1)};
      ${removed('email.delivery', 2)};
    end`
}
