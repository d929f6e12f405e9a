/* SQL by hand: a claim locks rows that no other process has locked. */
import type { OutboxEvent, OutboxRepository } from '../../../../../core/ports/store/outbox.ts'
import { Repository } from '../../engine/repository.ts'

/** The outbox of events that somebody waits for. */
export class SqlOutbox extends Repository implements OutboxRepository {
  pending(limit: number): Promise<readonly OutboxEvent[]> {
    const { dialect } = this
    const { events } = this.tables
    const hold = `select "id" from "untold_events" where ${dialect.firstFree('"untold_events"', 'true', '"id"')}`
    const sql = `select ${events.list} from "events" where "id" ${dialect.listed('uuid')} order by "id"`
    return this.access.write(async (session) => {
      const ids = (await session.all(hold, [limit])).map(({ id }) => String(id))
      if (ids.length === 0) return []
      const found = (await session.all(sql, [dialect.list(ids)])).map((row) => events.record(row))
      const there = new Set(found.map(({ id }) => id))
      const removed = ids.filter((id) => !there.has(id))
      if (removed.length > 0) await session.run(this.#forget(), [dialect.list(removed)])
      return found
    })
  }

  async dispatched(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.access.run(this.#forget(), [this.dialect.list(ids)])
  }

  #forget(): string {
    return `delete from "untold_events" where "id" ${this.dialect.listed('uuid')}`
  }
}
