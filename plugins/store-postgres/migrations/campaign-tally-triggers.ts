import { addInSchema, tallyFunction, tallyTrigger } from './tally-triggers.ts'

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

/** When a mail counts, by each counter. One that comes back after it was accepted was not delivered. */
const COUNTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(TIMES).map(([kind, column]) => [kind, `"${column}" is not null`])),
  delivered: `"delivered_at" is not null and "bounced_at" is null and "status" <> 'FAILED'`,
  failed: `"status" = 'FAILED'`,
  bouncedLater: '"sent_at" is not null and "bounced_at" is not null',
  failedLater: `"sent_at" is not null and "status" = 'FAILED'`,
}

/** The name of a part of a campaign's test. */
const OF_PART = `"campaign_id"::text || ':' || "variant"`

/**
 * Triggers that keep the counters of campaigns from their mails, once for each statement. A statement without mails of
 * campaigns costs a look at its rows.
 */
export const CAMPAIGN_TALLIES: readonly string[] = [
  tallyFunction('emails_added', ofCampaigns('added', signed('added', 1))),
  tallyFunction('emails_removed', ofCampaigns('removed', signed('removed', -1))),
  tallyFunction('emails_changed', ofCampaigns('added', `${signed('removed', -1)} union all ${signed('added', 1)}`)),
  tallyTrigger('emails', 'insert', 'emails_added', 'new table as "added"'),
  tallyTrigger('emails', 'delete', 'emails_removed', 'old table as "removed"'),
  tallyTrigger('emails', 'update', 'emails_changed', 'old table as "removed" new table as "added"'),
]

/** The functions of the triggers, which count each part of a campaign's test as well; instead of earlier ones. */
export const VARIANT_TALLIES: readonly string[] = [
  tallyFunction('emails_removed', ofBoth('removed', [['removed', -1]])),
  tallyFunction(
    'emails_changed',
    ofBoth('added', [
      ['removed', -1],
      ['added', 1],
    ]),
  ),
]

function ofBoth(first: string, rows: readonly (readonly [rows: string, by: number])[]): string {
  const campaigns = rows.map(([name, by]) => signed(name, by)).join(' union all ')
  const parts = rows.map(([name, by]) => `${signed(name, by, OF_PART)} and "variant" is not null`).join(' union all ')
  return `if exists (select from "${first}" where "campaign_id" is not null) then
    ${addInSchema(deltas(campaigns))};
    if exists (select from "${first}" where "campaign_id" is not null and "variant" is not null) then
      ${addInSchema(deltas(parts, 'variant'))};
    end if;
  end if`
}

function ofCampaigns(first: string, rows: string): string {
  return `if exists (select from "${first}" where "campaign_id" is not null) then ${addInSchema(deltas(rows))}; end if`
}

/** The rows of campaigns, with what each adds to the counters. */
function signed(rows: string, by: number, part?: string): string {
  const columns = ['project_id', 'campaign_id', 'status', 'skip_reason', ...Object.values(TIMES)]
  const list = columns.map((column) => `"${column}"`).join(', ')
  const named = part === undefined ? list : `${list}, ${part} as "part"`
  return `select ${named}, ${by} as "by" from "${rows}" where "campaign_id" is not null`
}

/** Sums in one pass over the rows; only the sums are split by kind. */
function deltas(rows: string, subject: 'campaign' | 'variant' = 'campaign'): string {
  const sums = Object.entries(COUNTS).map(([kind, when]) => `sum("by") filter (where ${when}) as "${kind}"`)
  const kinds = ['recipients', ...Object.keys(COUNTS)].map((kind) => `('${kind}', s."${kind}")`)
  const [by, name] = subject === 'campaign' ? ['"campaign_id"', 's."campaign_id"::text'] : ['"part"', 's."part"']
  return `select s."project_id", '${subject}' as "subject", ${name} as "name", f."kind", f."by"
    from (select "project_id", ${by}, case when "status" = 'SKIPPED' then "skip_reason" end as "skipped",
        sum("by") as "recipients", ${sums.join(', ')}
      from (${rows}) as "rows" group by 1, 2, 3) as s
    cross join lateral (values ${kinds.join(', ')}, ('skipped:' || s."skipped", s."recipients")) as f("kind", "by")
    where f."kind" is not null`
}
