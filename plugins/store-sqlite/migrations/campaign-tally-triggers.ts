import { add } from './tally-triggers.ts'

/** The times by which a mail counts. */
const TIMES = {
  sent: 'sent_at',
  delivered: 'delivered_at',
  opened: 'opened_at',
  humanOpened: 'human_opened_at',
  clicked: 'clicked_at',
  humanClicked: 'human_clicked_at',
  bounced: 'bounced_at',
  complained: 'complained_at',
  unsubscribed: 'unsubscribed_at',
}
const COLUMNS = Object.values(TIMES).map((column) => `"${column}"`)

/** Whether a mail counts, 0 or 1, by each counter. One that comes back after it was accepted was not delivered. */
function counts(row: string): Readonly<Record<string, string>> {
  const isSet = (column: string) => `(${row}."${column}" is not null)`
  const [isFailed, isBounced, isSent] = [`(${row}."status" = 'FAILED')`, isSet('bounced_at'), isSet('sent_at')]
  return {
    ...Object.fromEntries(Object.entries(TIMES).map(([kind, column]) => [kind, isSet(column)])),
    delivered: `(${isSet('delivered_at')} and not ${isBounced} and not ${isFailed})`,
    failed: isFailed,
    bouncedLater: `(${isSent} and ${isBounced})`,
    failedLater: `(${isSent} and ${isFailed})`,
  }
}

/** The mails to count: which of them, and under which names. */
interface Counted {
  readonly trigger: string
  readonly subject: string
  readonly when: (row: string) => string
  readonly name: (row: string) => string
}

const OF_CAMPAIGN: Counted = {
  trigger: 'emails_tally',
  subject: 'campaign',
  when: (row) => `${row}."campaign_id" is not null`,
  name: (row) => `${row}."campaign_id"`,
}

const OF_VARIANT: Counted = {
  trigger: 'emails_variant_tally',
  subject: 'variant',
  when: (row) => `${row}."variant" is not null and ${row}."campaign_id" is not null`,
  name: (row) => `${row}."campaign_id" || ':' || ${row}."variant"`,
}

/**
 * Triggers that keep the counters of campaigns from their mails. A mail of no campaign, and a write that changes no
 * counted column (a claim), cost a comparison.
 */
export const CAMPAIGN_TALLIES: readonly string[] = [
  comingOrGoing(OF_CAMPAIGN, 'insert', 'new', 1),
  comingOrGoing(OF_CAMPAIGN, 'delete', 'old', -1),
  changing(OF_CAMPAIGN),
]

/** The same for each part of a campaign's test. Inserted mails are counted by the code that inserts them. */
export const VARIANT_TALLIES: readonly string[] = [comingOrGoing(OF_VARIANT, 'delete', 'old', -1), changing(OF_VARIANT)]

function changing(of: Counted): string {
  return trigger(
    of,
    `update of "status", "skip_reason", ${COLUMNS.join(', ')}`,
    `${of.when('new')} and (${isChanged()})`,
    [
      added(of, 'new', 'true', [
        ...Object.entries(counts('new')).map(([kind, now]) => `('${kind}', ${now} - ${counts('old')[kind]})`),
        ...skipped('new', 1),
        ...skipped('old', -1),
      ]),
    ],
  )
}

/** For an inserted or deleted row. Mostly it counts for nothing yet, which is checked first. */
function comingOrGoing(of: Counted, event: string, row: string, by: number): string {
  const times = COLUMNS.map((column) => `${row}.${column} is not null`)
  return trigger(of, event, of.when(row), [
    added(of, row, 'true', [`('recipients', ${by})`]),
    added(of, row, `(${row}."status" in ('FAILED', 'SKIPPED') or ${times.join(' or ')})`, [
      ...Object.entries(counts(row)).map(([kind, count]) => `('${kind}', ${count} * ${by})`),
      ...skipped(row, by),
    ]),
  ])
}

function skipped(row: string, by: number): readonly string[] {
  return [`('skipped:' || ${row}."skip_reason", (${row}."status" = 'SKIPPED') * ${by})`]
}

function isChanged(): string {
  return [
    `(old."status" = 'FAILED') <> (new."status" = 'FAILED')`,
    `old."status" = 'SKIPPED'`,
    `new."status" = 'SKIPPED'`,
    ...COLUMNS.map((column) => `(old.${column} is null) <> (new.${column} is null)`),
  ].join(' or ')
}

function trigger(of: Counted, event: string, when: string, additions: readonly string[]): string {
  const [name] = event.split(' ')
  return `create trigger "${of.trigger}_${name}" after ${event} on "emails" when ${when} begin
    ${additions.map((addition) => `${addition};`).join('\n')}
  end`
}

/** `deltas` are pairs of a kind and what is added to it; a NULL kind is left out. */
function added(of: Counted, row: string, where: string, deltas: readonly string[]): string {
  return add(`select ${row}."project_id", '${of.subject}', ${of.name(row)}, "column1", 0, "column2"
    from (values ${deltas.join(', ')}) where ${where} and "column1" is not null and "column2" <> 0`)
}
