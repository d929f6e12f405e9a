/**
 * Triggers that keep the counters, and the counters of existing rows. They run for every row; one whose data and
 * subscription did not change costs a comparison.
 */
export const TALLIES: readonly string[] = [
  `create trigger "contacts_tally_insert" after insert on "contacts" begin
    ${add(`values (new."project_id", 'contact', '', 'all', 0, 1)`)};
    ${add(`select new."project_id", 'contact', '', 'subscribed', 0, 1 where new."subscribed"`)};
    ${add(`select new."project_id", 'field', "key", ${kind()}, 0, 1 from json_each(new."data") where true`)};
  end`,
  `create trigger "contacts_tally_delete" after delete on "contacts" begin
    ${add(`values (old."project_id", 'contact', '', 'all', 0, -1)`)};
    ${add(`select old."project_id", 'contact', '', 'subscribed', 0, -1 where old."subscribed"`)};
    ${add(`select old."project_id", 'field', "key", ${kind()}, 0, -1 from json_each(old."data") where true`)};
  end`,
  `create trigger "contacts_tally_subscribed" after update of "subscribed" on "contacts"
    when new."subscribed" <> old."subscribed" begin
    ${add(`values (new."project_id", 'contact', '', 'subscribed', 0, new."subscribed" - old."subscribed")`)};
  end`,
  `create trigger "contacts_tally_data" after update of "data" on "contacts" when new."data" <> old."data" begin
    ${add(`select new."project_id", 'field', "key", "kind", 0, sum("by") from (
      select "key", ${kind()} as "kind", -1 as "by" from json_each(old."data")
      union all select "key", ${kind()}, 1 from json_each(new."data")
    ) group by "key", "kind" having sum("by") <> 0`)};
  end`,
  `create trigger "events_tally_insert" after insert on "events" begin
    ${add(`values (new."project_id", 'event', new."name", '', 0, 1)`)};
  end`,
  `create trigger "events_tally_delete" after delete on "events" begin
    ${add(`values (old."project_id", 'event', old."name", '', 0, -1)`)};
  end`,
  `insert into "tallies" select "project_id", 'contact', '', 'all', 0, count(*) from "contacts" group by "project_id"`,
  `insert into "tallies" select "project_id", 'contact', '', 'subscribed', 0, count(*) from "contacts"
    where "subscribed" group by "project_id"`,
  `insert into "tallies" select "project_id", 'field', "key", ${kind()}, 0, count(*)
    from "contacts" cross join json_each("contacts"."data") group by 1, 3, 4`,
  `insert into "tallies" select "project_id", 'event', "name", '', 0, count(*) from "events" group by 1, 3`,
]

/** Adds these deltas to the counters. */
export function add(rows: string): string {
  return `insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") ${rows}
    on conflict do update set "count" = "count" + excluded."count"`
}

/** The kind of a value of `json_each`. */
function kind(): string {
  const day = '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]'
  return `case "type" when 'text' then
      case when "atom" glob '${day}' or "atom" glob '${day}[Tt ][0-2][0-9]:[0-5][0-9]*' then 'date' else 'string' end
    when 'integer' then 'number' when 'real' then 'number'
    when 'true' then 'boolean' when 'false' then 'boolean' else "type" end`
}
