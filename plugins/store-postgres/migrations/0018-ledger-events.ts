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
    this.addSql(tallyFunction('ledger_events_gone', addInSchema(GONE)))
    const gone = `new."contact_id" is null or new."ledger_events" is null`
    this.addSql(uncounted('update of "contact_id", "ledger_events"', ` and (${gone})`))
    this.addSql(uncounted('delete', ''))
  }
}

const GONE = `select old."project_id", 'event' as "subject", e."name", '' as "kind", -1 as "by"
  from (values ('email.sent', 1), ('email.delivery', 2)) as e("name", "bit")
  where (old."ledger_events" & e."bit") <> 0`

/** Counts events no more whose mail stands for them no longer. Row by row, since rarely a row is meant. */
function uncounted(event: string, when: string): string {
  const [name] = event.split(' ')
  return `create trigger "emails_ledger_events_${name}" after ${event} on "emails" for each row
    when (old."ledger_events" is not null and old."contact_id" is not null${when})
    execute function "mailwright_tally_ledger_events_gone"()`
}
