/** The kind of a value of `jsonb_each`. Few texts look like dates at a glance; only those are checked closely. */
const KIND = `case when jsonb_typeof(f."value") = 'string' and f."value" #>> '{}' like '____-__-__%'
  and f."value" #>> '{}' ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9](?:$|[Tt ][0-2][0-9]:[0-5][0-9])'
  then 'date' else jsonb_typeof(f."value") end`

/** The function that counts what an update of contacts changes; instead of an earlier one. */
export const COUNT_CHANGES = tallyFunction('contacts_changed', addInSchema(ofChanges()))

/**
 * Triggers that keep the counters, once for each statement, and the counters of existing rows. Every connection counts
 * in its own rows, so that transactions do not wait for each other; two that share a slot write in the same order.
 */
export const TALLIES: readonly string[] = [
  tallyFunction('contacts_added', addInSchema(ofContacts('added', 1))),
  tallyFunction('contacts_removed', addInSchema(ofContacts('removed', -1))),
  COUNT_CHANGES,
  tallyFunction('events_added', addInSchema(ofEvents('added', 1))),
  tallyFunction('events_removed', addInSchema(ofEvents('removed', -1))),
  tallyTrigger('contacts', 'insert', 'contacts_added', 'new table as "added"'),
  tallyTrigger('contacts', 'delete', 'contacts_removed', 'old table as "removed"'),
  tallyTrigger('contacts', 'update', 'contacts_changed', 'old table as "removed" new table as "added"'),
  tallyTrigger('events', 'insert', 'events_added', 'new table as "added"'),
  tallyTrigger('events', 'delete', 'events_removed', 'old table as "removed"'),
  add(ofContacts('contacts', 1), '0'),
  add(ofEvents('events', 1), '0'),
]

/**
 * A trigger function. Its body has `%1$I` for its schema, and every other `%` doubled. So it finds its tables whatever
 * the writer's search path. A function that sets its own path takes longer to enter than all its work on a single row.
 */
export function tallyFunction(name: string, body: string): string {
  return `do $make$ begin
    execute format($function$
      create or replace function "mailwright_tally_${name}"() returns trigger language plpgsql
      as $$ begin ${body}; return null; end $$ $function$, current_schema());
  end $make$`
}

/** Adds these deltas to this connection's counters, in a function's body. */
export function addInSchema(deltas: string): string {
  return add(deltas, 'pg_backend_pid() % 256').replaceAll('%', '%%').replace('insert into', 'insert into %1$I.')
}

export function tallyTrigger(table: string, event: string, name: string, referencing: string): string {
  return `create trigger "${table}_tally_${event}" after ${event} on "${table}" referencing ${referencing}
    for each statement execute function "mailwright_tally_${name}"()`
}

/** Adds these deltas to the counters. */
function add(deltas: string, slot: string): string {
  return `insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count")
    select "project_id", "subject", "name", "kind", ${slot}, sum("by") from (${deltas}) as "deltas"
    group by "project_id", "subject", "name", "kind" having sum("by") <> 0
    order by "project_id", "subject", "name", "kind"
    on conflict ("project_id", "subject", "name", "kind", "slot")
    do update set "count" = "tallies"."count" + excluded."count"`
}

function ofContacts(rows: string, by: number): string {
  return `select "project_id", 'contact' as "subject", '' as "name", 'all' as "kind", ${by} as "by" from "${rows}"
    union all select "project_id", 'contact', '', 'subscribed', ${by} from "${rows}" where "subscribed"
    union all select r."project_id", 'field', f."key", ${KIND}, ${by}
      from "${rows}" as r cross join lateral jsonb_each(r."data") as f("key", "value")`
}

/**
 * Only rows that now count differently, and of those only the keys whose values differ. Old and new rows meet in a
 * window: a join, planned once for the first and mostly small update, compares each row with every other.
 */
function ofChanges(): string {
  const differing = (rows: 'o' | 'n', others: 'o' | 'n', by: number) =>
    `select p."project_id", 'field', f."key", ${KIND}, ${by} from "pairs" as p
      cross join lateral jsonb_each(p."${rows}") as f("key", "value")
      where f."value" is distinct from p."${others}" -> f."key"`
  return `with "sides" as (
      select "id", "project_id", "data", "subscribed"::int as "subscribed", 0 as "side" from "removed"
      union all select "id", "project_id", "data", "subscribed"::int, 1 from "added"),
    "both" as (
      select "project_id", "side", "data" as "n", lag("data") over "w" as "o",
        "subscribed" - lag("subscribed") over "w" as "subscribed"
      from "sides" window "w" as (partition by "id" order by "side")),
    "pairs" as materialized (select * from "both" where "side" = 1 and ("n" <> "o" or "subscribed" <> 0))
    select "project_id", 'contact' as "subject", '' as "name", 'subscribed' as "kind", "subscribed" as "by" from "pairs"
    union all ${differing('o', 'n', -1)} union all ${differing('n', 'o', 1)}`
}

function ofEvents(rows: string, by: number): string {
  return `select "project_id", 'event' as "subject", "name", '' as "kind", ${by} as "by" from "${rows}"`
}
