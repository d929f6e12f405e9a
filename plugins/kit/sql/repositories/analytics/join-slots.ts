import { FIGURES } from '../../../../../core/ports/store/analytics.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { ActivityDeltas, momentOfQuarter, quarterOf } from '../../engine/activity-deltas.ts'
import type { GivenColumn } from '../../engine/dialect.ts'

/** The slot of what is joined, which is the only one of a database with one writer. */
const JOINED = '0'

/**
 * Adds what connections have counted apart, before this moment, to one row for each quarter of an hour and day: each
 * connection there ever was would leave rows of its own. Reads `limit` rows at most, and answers how many there were.
 */
export async function joinSlots(access: Access, before: Date, limit: number): Promise<number> {
  const { dialect } = access
  const columns = KEY.map(({ name }) => `"${name}"`).join(', ')
  const figures = FIGURES.map((figure) => `"${figure}"`).join(', ')
  const some = `select ${columns}, ${figures} from "activity_counts" where slot <> 0 and "start" < ?
    order by "start", "project_id", "length", "name", "slot" limit ?${dialect.lockRows('"activity_counts"')}`
  const remove = `delete from "activity_counts"
    where (${columns}) in (select ${columns} from ${dialect.given(KEY)} as given)`
  return access.write(async (session) => {
    const rows = await session.all(some, [quarterOf(before), limit])
    if (rows.length === 0) return 0
    const keys = rows.map((row) => KEY.map(({ name }) => row[name]))
    await session.run(remove, dialect.givenParams(KEY, keys))
    const sums = new ActivityDeltas()
    for (const row of rows) {
      const at = momentOfQuarter(Number(row.start))
      for (const figure of FIGURES)
        sums.addTo(row.project_id as ProjectId, Number(row.length), at, String(row.name), figure, Number(row[figure]))
    }
    await sums.write(dialect, session, JOINED)
    return rows.length
  })
}

const KEY: readonly GivenColumn[] = [
  { name: 'project_id', kind: 'uuid' },
  { name: 'length', kind: 'integer' },
  { name: 'name', kind: 'text' },
  { name: 'start', kind: 'integer' },
  { name: 'slot', kind: 'integer' },
]
