import { EmailRow } from '../plugins/kit/sql/entities/emails.ts'
import { TALLIES } from '../plugins/store-sqlite/migrations/tally-triggers.ts'
import type { BenchDatabase } from './databases.ts'

/** How long such an installation has been in use. */
const AGE_DAYS = 540
const DAY_MS = 86_400_000
/** How many rows are written at once. */
const PART = 50_000
const CAMPAIGNS = 500
/** Contents that mails without a campaign share. */
export const SEEDS = 200
/** Names of custom events. */
const NAMES = ['seen', 'paid', 'left', 'searched', 'invited', 'upgraded', 'rated', 'shared']
const COLUMNS = Object.keys(EmailRow.properties).map((name) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`))

/** The projects and the moment that the rows are made for. */
export interface OldLedger {
  readonly mails: number
  readonly projectId: string
  /** Of a smaller project. */
  readonly otherId: string
  /** The id of a campaign, from which the others are made. */
  readonly campaignId: string
  /** When the last row was made. */
  readonly now: number
}

/** How many contacts there are for so many mails. */
function contactsOf(mails: number): number {
  return Math.ceil(mails / 10)
}

/**
 * The statements that make what an installation has after so many mails: one contact for each ten, four mails of five of
 * 500 campaigns, one in twenty of another project, two events for each mail, of ten names, and their figures. Written as
 * the store would, with all indexes: the time grows with the ledger, and through the API it would take a day. There must
 * be `SEEDS` mails of either project.
 */
export function* oldLedger({ on, sql }: BenchDatabase, ledger: OldLedger): Generator<string> {
  const { mails, projectId, otherId, campaignId, now } = ledger
  const began = now - AGE_DAYS * DAY_MS
  const contacts = contactsOf(mails)
  const inEach = Math.ceil(mails / CAMPAIGNS)
  /** How many milliseconds lie between two mails. */
  const apart = (AGE_DAYS * DAY_MS) / mails
  const div = (a: string, b: number) => `(${a}) / ${b}`
  const whole = (value: string) => `cast(${value} as bigint)`
  const at = whole(`${began} + n.i * ${apart}`)
  const after = (ms: number) => sql.moment(`${at} + ${ms}`)
  const id = sql.id(at, 'n.i')
  const person = (number: string) => sql.id(String(began), number)
  // a campaign goes through its audience by id
  const whom = `n.i % ${contacts}`
  const isOther = 'n.i % 20 = 0'
  const campaign = (number: string) => sql.id(String(began + 1), number)
  const when = (condition: string, value: string) => `case when ${condition} then ${value} end`
  const [isBounced, isClicked, isOpened, isSent] = [
    'n.i % 97 = 0',
    'n.i % 25 = 3',
    '(n.i % 3 = 1 or n.i % 25 = 3)',
    'n.i % 200 = 11',
  ]
  const parts = (total: number) =>
    Array.from({ length: Math.ceil(total / PART) }, (_, i) => sql.numbers(i * PART, Math.min((i + 1) * PART, total)))

  yield 'create temp table seeds as select row_number() over (partition by project_id order by id) - 1 as place, * from emails'
  yield 'create unique index seeds_place on seeds (project_id, place)'
  // contacts
  for (const numbers of parts(contacts)) {
    const moment = sql.moment(whole(`${began} + n.i * ${(AGE_DAYS * DAY_MS) / contacts}`))
    yield `insert into contacts (id, project_id, email, subscribed, data, created_at, updated_at)
      select ${person('n.i')}, ${sql.uuid(`'${projectId}'`)}, 'person' || n.i || '@' || ${domain('n.i')},
        n.i % 50 <> 0,
        ${sql.json(`'{"plan":"' || case n.i % 5 when 0 then 'pro' else 'free' end || '","visits":' || (n.i % 1000) || '}'`)},
        ${moment}, ${moment} from ${numbers}`
  }
  yield* countContacts(on)
  yield `insert into suppressions (id, project_id, email, reason, created_at)
    select ${sql.id(String(began + 2), 'n.i')}, ${sql.uuid(`'${projectId}'`)}, 'person' || (n.i * 50) || '@' || ${domain('n.i * 50')},
      case n.i % 2 when 0 then 'bounce' else 'unsubscribe' end, ${sql.moment(String(began))}
    from ${sql.numbers(0, Math.ceil(contacts / 50))}`
  // campaigns that were sent, one after the other
  const sentAt = sql.moment(whole(`${began} + (n.i + 1) * ${(AGE_DAYS * DAY_MS) / CAMPAIGNS}`))
  yield `insert into campaigns (id, project_id, name, subject, body, "from", audience_type, status, content_id, started_at,
      sent_at, created_at, updated_at)
    select ${campaign('n.i')}, c.project_id, 'Letter ' || n.i, 'Letter ' || n.i, c.body, c."from", c.audience_type, 'SENT',
      (select content_id from seeds where project_id = c.project_id and place = 0), ${sentAt}, ${sentAt}, ${sentAt}, ${sentAt}
    from ${sql.numbers(0, CAMPAIGNS)} cross join campaigns as c where c.id = '${campaignId}'`
  // mails
  const own: Readonly<Record<string, string>> = {
    id,
    to: `'person' || (${whom}) || '@' || ${domain(`(${whom})`)}`,
    contact_id: `case when ${isOther} then null else ${person(whom)} end`,
    campaign_id: `case when n.i % 5 = 0 then null else ${campaign(div('n.i', inEach))} end`,
    source_type: `case when n.i % 5 = 0 then 'TRANSACTIONAL' else 'CAMPAIGN' end`,
    lane: `case when n.i % 5 = 0 then 0 else 2 end`,
    status: `case when ${isBounced} then 'BOUNCED' when ${isClicked} then 'CLICKED' when ${isOpened} then 'OPENED'
      when ${isSent} then 'SENT' else 'DELIVERED' end`,
    bounced_at: when(isBounced, after(2_000)),
    error: when(isBounced, `'550 5.1.1 no such user'`),
    opens: `case when ${isOpened} then 1 else 0 end`,
    clicks: `case when ${isClicked} then 1 else 0 end`,
    opened_at: when(isOpened, after(60_000)),
    clicked_at: when(isClicked, after(60_000)),
    provider_id: `'q' || n.i`,
    created_at: after(0),
    due_at: after(0),
    sent_at: after(1_000),
    delivered_at: `case when ${isBounced} or ${isSent} then null else ${after(1_000)} end`,
    updated_at: after(1_000),
    attempts: '1',
    ledger_events: `case when ${isOther} then null when ${isBounced} or ${isSent} then 1 else 3 end`,
  }
  const list = COLUMNS.map((name) => `"${name}"`).join(', ')
  const values = COLUMNS.map((name) => own[name] ?? `s."${name}"`).join(', ')
  const of = `case when ${isOther} then ${sql.uuid(`'${otherId}'`)} else ${sql.uuid(`'${projectId}'`)} end`
  for (const numbers of parts(mails)) {
    yield `insert into emails (${list}) select ${values} from ${numbers}
      join seeds as s on s.project_id = ${of} and s.place = n.i % ${SEEDS}`
  }
  // those that the others were made of were never sent
  yield `delete from emails where status = 'QUEUED'`
  // events: of mails that were opened, and of customers
  for (const numbers of parts(2 * mails)) {
    const mail = sql.id(whole(`${began} + (n.i / 2) * ${apart}`), 'n.i / 2')
    const moment = whole(`${began} + n.i * ${apart / 2}`)
    const isOfMail = '(n.i % 6 in (2, 3) and (n.i / 2) % 20 <> 0)'
    yield `insert into events (id, project_id, name, contact_id, email_id, data, created_at)
      select ${sql.id(moment, 'n.i')}, ${sql.uuid(`'${projectId}'`)},
        case when ${isOfMail} then case n.i % 30 when 8 then 'email.click' else 'email.open' end else ${NAMES.reduce(
          (cases, name, i) => `${cases} when ${i} then '${name}'`,
          `case (n.i / 6) % ${NAMES.length}`,
        )} end end,
        ${person(`(n.i / 2) % ${contacts}`)}, ${when(isOfMail, mail)},
        ${sql.json(`'{"link":"https://shop.example/' || (n.i % 7) || '"}'`)}, ${sql.moment(moment)}
      from ${numbers}`
  }
  yield* figures(on, sql, { ...ledger, began, campaign, inEach })
}

/** Contacts that a campaign can be sent to by their plan, `bench`, besides all others. */
export function* campaignContacts({ on, sql }: BenchDatabase, recipients: number): Generator<string> {
  const now = Date.now()
  yield `insert into contacts (id, project_id, email, subscribed, data, created_at, updated_at)
    select ${sql.id(String(now), 'n.i')}, p.id, 'bench' || n.i || '@example.org', true,
      ${sql.json(`'{"plan":"bench"}'`)}, ${sql.moment(String(now))}, ${sql.moment(String(now))}
    from ${sql.numbers(0, recipients)} cross join projects as p where p.name = 'Bench'`
  yield* countContacts(on)
}

/** Counts all contacts anew on SQLite, where the store does so as it inserts them; on PostgreSQL triggers have done it. */
function* countContacts(on: BenchDatabase['on']): Generator<string> {
  if (on !== 'SQLite') return
  yield `delete from tallies where subject in ('contact', 'field')`
  for (const sql of TALLIES) if (sql.startsWith('insert') && sql.includes('from "contacts"')) yield sql
}

/** Ten domains have most of the people, as it is. */
function domain(number: string): string {
  return `case when ${number} % 4 = 0 then 'mail' || (${number} % 40) || '.example' else 'big' || (${number} % 10) || '.example' end`
}

/** The counts that are kept with each write: results by quarter of an hour and day, by domain, and for each campaign. */
function* figures(
  on: BenchDatabase['on'],
  sql: BenchDatabase['sql'],
  of: OldLedger & { readonly began: number; campaign(number: string): string; readonly inEach: number },
): Generator<string> {
  const { projectId, began, campaign, inEach, mails } = of
  const project = sql.uuid(`'${projectId}'`)
  const quarter = Math.floor(began / 900_000)
  const columns = `project_id, length, name, start, slot, sent, delivered, opened, clicked, bounced, complained, received,
    started, completed, events`
  const counts = (each: number) =>
    [each, 0.94 * each, 0.35 * each, 0.04 * each, 0.01 * each, 0, 0, 0, 0, 2 * each].map(Math.ceil).join(', ')
  const quarters = AGE_DAYS * 96
  const insert = (length: number, name: string, start: string, each: number, numbers: string) =>
    `insert into activity_counts (${columns}) select ${project}, ${length}, ${name}, ${start}, 0, ${counts(each)} from ${numbers} where true
      on conflict do nothing`
  yield insert(1, `''`, `${quarter} + n.i`, mails / quarters, sql.numbers(0, quarters))
  yield insert(96, `''`, `${Math.floor(quarter / 96) * 96} + n.i * 96`, mails / AGE_DAYS, sql.numbers(0, AGE_DAYS))
  for (const name of NAMES) {
    yield insert(1, `'${name}'`, `${quarter} + n.i`, mails / quarters / 8, sql.numbers(0, quarters))
    yield insert(
      96,
      `'${name}'`,
      `${Math.floor(quarter / 96) * 96} + n.i * 96`,
      mails / AGE_DAYS / 8,
      sql.numbers(0, AGE_DAYS),
    )
  }
  const ofCampaign = `'campaign:' || ${campaign('(n.i / 100)')}`
  const spread = `${quarter} + (n.i / 100) * ${Math.floor(quarters / CAMPAIGNS)} + n.i % 100`
  yield insert(1, ofCampaign, spread, inEach / 100, sql.numbers(0, 100 * CAMPAIGNS))
  yield `insert into delivery_counts (day, project_id, sending_domain, recipient_domain, slot, sent, delivered, deferred, bounced,
      complained)
    select ${Math.floor(began / DAY_MS)} + n.i / 101, ${project}, 'example.com',
      case n.i % 101 when 0 then '' else 'mail' || (n.i % 101) || '.example' end, 0, 100, 94, 1, 1, 0
    from ${sql.numbers(0, AGE_DAYS * 101)} where true on conflict do nothing`
  const tally = (subject: string, name: string, kind: string, count: number, numbers: string) =>
    `insert into tallies (project_id, subject, name, kind, slot, count)
      select ${project}, '${subject}', ${name}, '${kind}', 0, ${Math.ceil(count)} from ${numbers} where true
      on conflict (project_id, subject, name, kind, slot) do update set count = tallies.count + excluded.count`
  const shares = { recipients: 0.8, sent: 0.8, delivered: 0.75, opened: 0.28, clicked: 0.03, bounced: 0.008 }
  for (const [kind, share] of Object.entries(shares))
    yield tally(
      'campaign',
      on === 'SQLite' ? campaign('n.i') : `(${campaign('n.i')})::text`,
      kind,
      share * inEach,
      sql.numbers(0, CAMPAIGNS),
    )
  yield tally('event', `'email.sent'`, '', 0.95 * mails, sql.numbers(0, 1))
  yield tally('event', `'email.delivery'`, '', 0.9 * mails, sql.numbers(0, 1))
}
