import type { UntoldEvent } from '../../../core/ports/store/webhooks.ts'
import type { Dialect } from './dialect.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/**
 * The first events that are noted and that nobody else holds, as they were stored, held until the transaction ends. A note
 * whose event was removed is removed as well.
 */
export async function untoldEvents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  limit: number,
): Promise<readonly UntoldEvent[]> {
  const { events } = tables
  const hold = `select "id" from "untold_events" where ${dialect.firstFree('"untold_events"', 'true', '"id"')}`
  const ids = (await session.all(hold, [limit])).map(({ id }) => String(id))
  if (ids.length === 0) return []
  const sql = `select ${events.list} from "events" where "id" ${dialect.listed('uuid')} order by "id"`
  const found = (await session.all(sql, [dialect.list(ids)])).map((row) => events.record(row))
  if (found.length < ids.length) {
    const there = new Set(found.map(({ id }) => id))
    await forgetUntold(
      dialect,
      session,
      ids.filter((id) => !there.has(id)),
    )
  }
  return found
}

/** Removes the notes of these events. */
export async function forgetUntold(dialect: Dialect, session: Session, ids: readonly string[]): Promise<void> {
  await session.run(`delete from "untold_events" where "id" ${dialect.listed('uuid')}`, [dialect.list(ids)])
}
