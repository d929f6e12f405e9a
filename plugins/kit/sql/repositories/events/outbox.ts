/* SQL by hand: events are read with their claims locked. */
import type { ClaimLease } from '../../../../../core/ports/store/interrupted.ts'
import type { ClaimedEvent, OutboxEvent, OutboxRepository } from '../../../../../core/ports/store/outbox.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'

/** The outbox: events that workflows or webhook endpoints wait for. */
export class SqlOutbox extends Repository implements OutboxRepository {
  readonly #leased = new LeasedRows(this.access, 'untold_events')

  async pending(limit: number): Promise<readonly OutboxEvent[]> {
    const { events } = this.tables
    const sql = `select ${events.listOf('e')} from "untold_events" as u join "events" as e on e."id" = u."id"
      order by u."id" limit ?`
    return (await this.access.all(sql, [limit])).map((row) => events.record(row))
  }

  async claim(now: Date, limit: number, lease: ClaimLease): Promise<readonly ClaimedEvent[]> {
    const claimed = await this.#leased.claim(this.tables.outboxEvents, now, limit, lease)
    return claimed.map(({ id, interrupted }) => ({ id, ...(interrupted === undefined ? {} : { interrupted }) }))
  }

  claimed(ids: readonly string[], token: string): Promise<readonly OutboxEvent[]> {
    const { dialect } = this
    const { events } = this.tables
    const hold = `select "id" from "untold_events" where "id" ${dialect.listed('uuid')} and "lease_token" = ?${dialect.lockRows('untold_events')}`
    const sql = `select ${events.list} from "events" where "id" ${dialect.listed('uuid')} order by "id"`
    return this.access.write(async (session) => {
      const held = (await session.all(hold, [dialect.list(ids), token])).map(({ id }) => String(id))
      if (held.length === 0) return []
      const found = (await session.all(sql, [dialect.list(held)])).map((row) => events.record(row))
      const there = new Set(found.map(({ id }) => id))
      const removed = held.filter((id) => !there.has(id))
      if (removed.length > 0) await session.run(this.#forget(), [dialect.list(removed)])
      return found
    })
  }

  async dispatched(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.access.run(this.#forget(), [this.dialect.list(ids)])
  }

  release(ids: readonly string[], token: string): Promise<void> {
    return this.#leased.release(ids, token)
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }

  #forget(): string {
    return `delete from "untold_events" where "id" ${this.dialect.listed('uuid')}`
  }
}
