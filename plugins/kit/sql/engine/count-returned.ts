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
