import { Migration } from '@mikro-orm/migrations'
import { CAMPAIGN_TALLIES, VARIANT_TALLIES } from './campaign-tally-triggers.ts'

/** A campaign's mail that bounces or fails after it was accepted counts once, and no longer as delivered. */
export class ReturnedMails extends Migration {
  override up(): void {
    for (const name of ['emails_tally_delete', 'emails_tally_update']) this.addSql(`drop trigger "${name}"`)
    for (const name of ['emails_variant_tally_delete', 'emails_variant_tally_update'])
      this.addSql(`drop trigger "${name}"`)
    // the first one counts inserts, which the code does
    for (const sql of [...CAMPAIGN_TALLIES.slice(1), ...VARIANT_TALLIES, COUNT_RETURNED]) this.addSql(sql)
  }
}

/** By campaign and by part of its test: mails that came back, which are few, found by their statuses. */
const COUNT_RETURNED = `insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count")
  select "project_id", "subject", "name", "kind", 0, sum("by") from (
    ${counted('campaign', 'cast(e."campaign_id" as text)', 'true')}
    union all ${counted('variant', `cast(e."campaign_id" as text) || ':' || e."variant"`, 'e."variant" is not null')}
  ) as "deltas" group by "project_id", "subject", "name", "kind" having sum("by") <> 0
  on conflict ("project_id", "subject", "name", "kind", "slot")
  do update set "count" = "tallies"."count" + excluded."count"`

function counted(subject: string, name: string, which: string): string {
  const kinds = {
    delivered: 'case when e."delivered_at" is not null then -1 else 0 end',
    bouncedLater: 'case when e."bounced_at" is not null then 1 else 0 end',
    failedLater: `case when e."status" = 'FAILED' then 1 else 0 end`,
  }
  const each = Object.entries(kinds).map(
    ([
      kind,
      by,
    ]) => `select p."id" as "project_id", '${subject}' as "subject", ${name} as "name", '${kind}' as "kind", ${by} as "by"
      from "projects" as p join "emails" as e on e."project_id" = p."id" and e."status" <> 'SENDING'
      where e."status" in ('BOUNCED', 'COMPLAINED', 'FAILED') and e."campaign_id" is not null and e."sent_at" is not null
        and (e."bounced_at" is not null or e."status" = 'FAILED') and ${which}`,
  )
  return each.join(' union all ')
}
