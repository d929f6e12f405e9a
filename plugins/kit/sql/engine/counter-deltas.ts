import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect, GivenColumn, Sql } from './dialect.ts'
import { valuesInOrder } from './in-order.ts'
import type { Params, Session } from './session.ts'
import type { Table } from './table.ts'

/**
 * The counts that rows being written add to the counters (see entities/counters.ts), summed up, so that a counter is
 * written once for all of them.
 */
export class CounterDeltas {
  readonly #rows = new Map<string, { readonly of: readonly string[]; by: number }>()

  add(projectId: ProjectId, subject: CountedSubject, name: string, kind: string): void {
    const key = `${projectId} ${subject} ${name} ${kind}`
    const row = this.#rows.get(key)
    if (row) row.by++
    else this.#rows.set(key, { of: [projectId, subject, name, kind], by: 1 })
  }

  /** Writes them, inside the transaction that writes the rows. */
  async write(dialect: Dialect, session: Session): Promise<void> {
    if (this.#rows.size === 0) return
    const rows: Params[] = []
    for (const { of, by } of valuesInOrder(this.#rows)) rows.push([...of, by])
    // without the `where`, SQLite would take the conflict clause for a join
    const sql = `insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count")
      select "project_id", "subject", "name", "kind", ${dialect.counterSlot}, "by" from ${dialect.given(DELTA)} as given
      where true on conflict ("project_id", "subject", "name", "kind", "slot")
      do update set "count" = "tallies"."count" + excluded."count"`
    await session.run(sql, dialect.givenParams(DELTA, rows))
  }
}

/** The select of those of these records that are stored. To ask `returning` of every insert would take SQLite a third longer. */
export function selectStored(
  { dialect, name }: Pick<Table<object>, 'dialect' | 'name'>,
  records: readonly { readonly id: string }[],
): Sql {
  const ids: string[] = []
  for (const { id } of records) ids.push(id)
  return { text: `select "id" from ${name} where "id" ${dialect.listed('uuid')}`, params: [dialect.list(ids)] }
}

/** Those of these records that are stored after an insert and were not before it. */
export function newOf<Rec extends { readonly id: string }>(
  records: readonly Rec[],
  before: readonly { readonly id?: unknown }[],
  after: readonly { readonly id?: unknown }[],
): readonly Rec[] {
  const old = new Set<unknown>()
  for (const { id } of before) old.add(id)
  const made = new Set<unknown>()
  for (const { id } of after) if (!old.has(id)) made.add(id)
  const found: Rec[] = []
  // a record may be given twice
  for (const record of records) if (made.delete(record.id)) found.push(record)
  return found
}

/** The subjects whose counts the code adds to; see entities/counters.ts. */
type CountedSubject = 'campaign' | 'variant' | 'event' | 'contact' | 'field'

const DELTA: readonly GivenColumn[] = [
  { name: 'project_id', kind: 'uuid' },
  { name: 'subject', kind: 'text' },
  { name: 'name', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'by', kind: 'integer' },
]
