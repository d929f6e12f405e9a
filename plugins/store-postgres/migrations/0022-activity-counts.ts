import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Counts of what happened in each quarter of an hour and on each day, also for the rows that are there already. */
export class ActivityCounts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "activity_counts" ("project_id" uuid not null, "length" smallint not null, "name" text collate "C" not null, "start" int not null, "slot" int not null, "sent" int not null, "delivered" int not null, "opened" int not null, "clicked" int not null, "bounced" int not null, "complained" int not null, "received" int not null, "started" int not null, "completed" int not null, "events" int not null, primary key ("project_id", "length", "name", "start", "slot"))`,
    )
    this.addSql(ofQuarters())
    this.addSql(OF_DAYS)
  }
}

const FIGURES = [
  ...['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'],
  ...['received', 'started', 'completed', 'events'],
]

/** The counts of the rows that are there already, in quarters of an hour. */
function ofQuarters(): string {
  const sums = FIGURES.map((figure) => `count(*) filter (where "figure" = '${figure}')`)
  return `insert into "activity_counts" select "project_id", 1, "name", "quarter", 0, ${sums.join(', ')} from (
    ${rows().join(' union all ')}) as "counted" group by "project_id", "name", "quarter"`
}

/** The same by days. */
const OF_DAYS = `insert into "activity_counts" select "project_id", 96, "name", "start" - "start" % 96, 0,
  ${FIGURES.map((figure) => `sum("${figure}")`).join(', ')} from "activity_counts" where "length" = 1
  group by "project_id", "name", "start" - "start" % 96`

function rows(): readonly string[] {
  const of = (figure: string, table: string, at: string, condition: string, name = "''") =>
    `select "project_id", ${name} as "name", ${at} as "quarter", '${figure}' as "figure" from "${table}" where ${condition}`
  const mails = (figure: string) => of(figure, 'emails', quarter(`"${figure}_at"`), `"${figure}_at" is not null`)
  return [
    ...['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'].map(mails),
    of('received', 'emails', quarter('"created_at"'), `"status" = 'RECEIVED'`),
    of('started', 'workflow_executions', quarter('"started_at"'), 'true'),
    of('completed', 'workflow_executions', quarter('"completed_at"'), ENDED),
    of('events', 'events', QUARTER_OF_ID, `"name" not in (${TYPED})`),
    of('events', 'events', QUARTER_OF_ID, `not (${RESERVED})`, '"name"'),
  ]
}

const ENDED = `"completed_at" is not null and "status" in ('COMPLETED', 'EXITED')`
const TYPED = `'email.sent', 'email.delivery', 'email.open', 'email.click', 'email.bounce', 'email.complaint',
  'email.received', 'contact.subscribed', 'contact.unsubscribed'`
const RESERVED = `"name" like 'email.%' or "name" in ('contact.subscribed', 'contact.unsubscribed', 'contact.tracking')
  or "name" like 'segment._%.entry' or "name" like 'segment._%.exit'`

function quarter(column: string): string {
  return `floor(extract(epoch from ${column}) / 900)::int`
}

/** An event belongs to the moment of its id, the first 48 bits. */
const QUARTER_OF_ID = `(('x' || substr("id"::text, 1, 8) || substr("id"::text, 10, 4))::bit(48)::bigint / 900000)::int`
