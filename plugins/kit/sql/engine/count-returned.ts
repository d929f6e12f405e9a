const SUBJECTS = [
  { subject: 'campaign', name: '"campaign"', which: 'true' },
  { subject: 'variant', name: `"campaign" || ':' || "variant"`, which: '"variant" is not null' },
] as const
const KINDS = { delivered: '-"delivered"', bouncedLater: '"bounced"', failedLater: '"failed"' }

function delta({ subject, name, which }: (typeof SUBJECTS)[number], kind: string, by: string): string {
  return `select "project_id", '${subject}' as "subject", ${name} as "name", '${kind}' as "kind", ${by} as "by"
    from "returned" where ${which}`
}

/**
 * By campaign and by part of its test. The mails that came back are few, and are found by their statuses: SQLite takes the
 * tables of a cross join in this order. They are read once; only their sums are split by kind.
 */
export const COUNT_RETURNED = `with "returned" as materialized (
    select p."id" as "project_id", cast(e."campaign_id" as text) as "campaign", e."variant", count(e."bounced_at") as "bounced",
      sum(case when e."status" = 'FAILED' then 1 else 0 end) as "failed", count(e."delivered_at") as "delivered"
    from "projects" as p cross join "emails" as e
    where e."project_id" = p."id" and e."status" <> 'SENDING' and e."status" in ('BOUNCED', 'COMPLAINED', 'FAILED') and e."campaign_id" is not null and e."sent_at" is not null
      and (e."bounced_at" is not null or e."status" = 'FAILED')
    group by 1, 2, 3),
  "deltas" as (${SUBJECTS.flatMap((subject) => Object.entries(KINDS).map(([kind, by]) => delta(subject, kind, by))).join(' union all ')})
  insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count")
  select "project_id", "subject", "name", "kind", 0, sum("by") from "deltas"
  where true group by "project_id", "subject", "name", "kind" having sum("by") <> 0
  on conflict ("project_id", "subject", "name", "kind", "slot")
  do update set "count" = "tallies"."count" + excluded."count"`

/**
 * Takes mail that came back out of what was delivered in a quarter of an hour, on a day, and in the course of a campaign.
 * `quarter` makes the quarter, counted from 1970, of the column `delivered_at`.
 */
export function takeReturned(quarter: string): string {
  const kept = [
    `select "project_id", 1 as "length", '' as "name", "quarter" as "start" from "returned"`,
    `select "project_id", 96, '', "quarter" - "quarter" % 96 from "returned"`,
    `select "project_id", 1, 'campaign:' || "campaign", "quarter" from "returned" where "campaign" is not null`,
  ]
  return `with "returned" as materialized (
      select p."id" as "project_id", cast(e."campaign_id" as text) as "campaign", ${quarter} as "quarter"
      from "projects" as p cross join "emails" as e
      where e."project_id" = p."id" and e."status" <> 'SENDING' and e."status" in ('BOUNCED', 'COMPLAINED', 'FAILED')
        and (e."bounced_at" is not null or e."status" = 'FAILED') and e."delivered_at" is not null),
    "kept" as (${kept.join(' union all ')})
    insert into "activity_counts" ("project_id", "length", "name", "start", "slot", ${FIGURES})
    select "project_id", "length", "name", "start", 0, 0, -count(*), ${'0, '.repeat(7)}0 from "kept"
    where true group by "project_id", "length", "name", "start"
    on conflict ("project_id", "length", "name", "start", "slot")
    do update set "delivered" = "activity_counts"."delivered" + excluded."delivered"`
}

const FIGURES = `"sent", "delivered", "opened", "clicked", "bounced", "complained", "received", "started", "completed", "events"`
