/** The kind of a value of `jsonb_each`. */
const KIND = `case when jsonb_typeof(f."value") = 'string'
  and f."value" #>> '{}' ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9](?:$|[Tt ][0-2][0-9]:[0-5][0-9])'
  then 'date' else jsonb_typeof(f."value") end`

/**
 * Triggers that keep the tallies, once for each statement, and the tallies of what is there already. Every connection
 * counts in rows of its own, so that transactions do not wait for each other; where two share a slot after all, they
 * write in one order.
 */
export const TALLIES: readonly string[] = [
  tallyFunction('contacts_added', ofContacts('added', 1)),
  tallyFunction('contacts_removed', ofContacts('removed', -1)),
  tallyFunction('contacts_changed', `${ofContacts('removed', -1)} union all ${ofContacts('added', 1)}`),
  tallyFunction('events_added', ofEvents('added', 1)),
  tallyFunction('events_removed', ofEvents('removed', -1)),
  tallyTrigger('contacts', 'insert', 'contacts_added', 'new table as "added"'),
  tallyTrigger('contacts', 'delete', 'contacts_removed', 'old table as "removed"'),
  tallyTrigger('contacts', 'update', 'contacts_changed', 'old table as "removed" new table as "added"'),
  tallyTrigger('events', 'insert', 'events_added', 'new table as "added"'),
  tallyTrigger('events', 'delete', 'events_removed', 'old table as "removed"'),
  add(ofContacts('contacts', 1), '0'),
  add(ofEvents('events', 1), '0'),
]

/** Where the function is, so are its tables, whatever the path of who writes. */
function tallyFunction(name: string, deltas: string): string {
  return `create function "mailwright_tally_${name}"() returns trigger language plpgsql set search_path from current
    as $$ begin ${add(deltas, 'pg_backend_pid() % 256')}; return null; end $$`
}

function tallyTrigger(table: string, event: string, name: string, referencing: string): string {
  return `create trigger "${table}_tally_${event}" after ${event} on "${table}" referencing ${referencing}
    for each statement execute function "mailwright_tally_${name}"()`
}

/** Adds these deltas to the tallies. */
export function add(deltas: string, slot: string): string {
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

function ofEvents(rows: string, by: number): string {
  return `select "project_id", 'event' as "subject", "name", '' as "kind", ${by} as "by" from "${rows}"`
}
