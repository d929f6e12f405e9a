import { addInSchema, tallyFunction, tallyTrigger } from './tally-triggers.ts'

/** The columns behind each counter: a mail counts once its time is set. */
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

function ofCampaigns(first: string, rows: string): string {
  return `if exists (select from "${first}" where "campaign_id" is not null) then ${addInSchema(deltas(rows))}; end if`
}

/** The rows of campaigns, with what each adds to the counters. */
function signed(rows: string, by: number): string {
  const columns = ['project_id', 'campaign_id', 'status', 'skip_reason', ...Object.values(TIMES)]
  const list = columns.map((column) => `"${column}"`).join(', ')
  return `select ${list}, ${by} as "by" from "${rows}" where "campaign_id" is not null`
}

/** Sums in one pass over the rows; only the sums are split by kind. */
function deltas(rows: string): string {
  const sums = Object.entries(TIMES).map(
    ([kind, column]) => `sum("by") filter (where "${column}" is not null) as "${kind}"`,
  )
  const kinds = ['recipients', 'failed', ...Object.keys(TIMES)].map((kind) => `('${kind}', s."${kind}")`)
  return `select s."project_id", 'campaign' as "subject", s."campaign_id"::text as "name", f."kind", f."by"
    from (select "project_id", "campaign_id", case when "status" = 'SKIPPED' then "skip_reason" end as "skipped",
        sum("by") as "recipients", sum("by") filter (where "status" = 'FAILED') as "failed", ${sums.join(', ')}
      from (${rows}) as "rows" group by 1, 2, 3) as s
    cross join lateral (values ${kinds.join(', ')}, ('skipped:' || s."skipped", s."recipients")) as f("kind", "by")
    where f."kind" is not null`
}
