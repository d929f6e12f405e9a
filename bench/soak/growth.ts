/**
 * Where the rows of each table that grows with use come from: records that people made and may delete, rows that a
 * setting of `retention` removes, or rows that are removed automatically. No other table may grow.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  emails: 'the ledger: one row a mail; `retention.bodies` and `retention.variables` empty them',
  mail_contents: 'one row a different content; `retention.bodies`',
  mail_attachments: 'with their contents; `retention.bodies`',
  contacts: 'what callers made',
  events: '`retention.events`',
  campaigns: 'what callers made',
  contact_jobs: 'imports and bulk changes, removed by themselves',
  contact_job_files: 'files of imports, removed with their job',
  webhook_deliveries: 'removed by themselves',
  audit_entries: '`retention.audit`',
  idempotency_answers: 'removed by themselves',
  tallies: 'figures: one row for each thing counted, on PostgreSQL at most 256, by connection',
  activity_counts: 'figures: one row for each kind and quarter of an hour, later for each day',
  delivery_counts: 'figures: one row for each domain and day',
}

/** A table with more rows at the end than at half time. */
export interface Growth {
  readonly table: string
  readonly middle: number
  readonly last: number
  /** The bound of its growth; undefined: none that is known. */
  readonly bound: string | undefined
}

/** A table of this many rows is too small to judge. */
const FEW = 200

/** The tables that grew in the second half. */
export function growthOf(middle: ReadonlyMap<string, number>, last: ReadonlyMap<string, number>): readonly Growth[] {
  return [...last].flatMap(([table, rows]) => {
    const before = middle.get(table) ?? 0
    if (rows <= before || rows < FEW) return []
    return [{ table, middle: before, last: rows, bound: BOUNDED[table] }]
  })
}
