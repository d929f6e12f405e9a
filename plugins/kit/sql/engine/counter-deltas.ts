import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect, GivenColumn } from './dialect.ts'
import { valuesInOrder } from './in-order.ts'
import type { Params, Session } from './session.ts'

/**
 * The counts that rows being written add to the counters (see entities/counters.ts), summed up, so that a counter is
 * written once for all of them.
 */
export class CounterDeltas {
  readonly #rows = new Map<string, { readonly of: readonly string[]; by: number }>()

  add(projectId: ProjectId, subject: 'campaign' | 'variant' | 'event', name: string, kind: string): void {
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

const DELTA: readonly GivenColumn[] = [
  { name: 'project_id', kind: 'uuid' },
  { name: 'subject', kind: 'text' },
  { name: 'name', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'by', kind: 'integer' },
]
