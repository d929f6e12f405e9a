/* SQL by hand: a claim locks rows that no other process has locked. */
import type { ClaimLease } from '../../../../../core/ports/store/interrupted.ts'
import type { ClaimedEvent, OutboxEvent, OutboxRepository } from '../../../../../core/ports/store/outbox.ts'
import { Repository } from '../../engine/repository.ts'
import { FREE, LEFT, togetherOr } from '../../engine/tables.ts'

/** The outbox of events that somebody waits for. */
export class SqlOutbox extends Repository implements OutboxRepository {
  async pending(limit: number): Promise<readonly OutboxEvent[]> {
    const { events } = this.tables
    const sql = `select ${events.listOf('e')} from "untold_events" as u join "events" as e on e."id" = u."id"
      order by u."id" limit ?`
    return (await this.access.all(sql, [limit])).map((row) => events.record(row))
  }

  async claim(now: Date, limit: number, lease: ClaimLease): Promise<readonly ClaimedEvent[]> {
    const { dialect } = this
    const date = dialect.encode('date')
    const free = `("lease_until" is null or "lease_until" <= ?) and ${togetherOr(lease.alone)}`
    const sql = `update "untold_events" set "lease_token" = ?, "lease_until" = ?
      where ${dialect.firstFree('"untold_events"', free, '"id"')} returning "id", "interrupted"`
    const params = [lease.token, date(lease.until), date(now), lease.alone ? 1 : limit]
    const rows = await this.access.write((session) => session.all(sql, params))
    return rows.map(({ id, interrupted }) => ({
      id: String(id),
      ...(interrupted === null ? {} : { interrupted: Number(interrupted) }),
    }))
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

  async release(ids: readonly string[], token: string): Promise<void> {
    const sql = `update "untold_events" set ${FREE} where "id" ${this.dialect.listed('uuid')} and "lease_token" = ?`
    await this.access.run(sql, [this.dialect.list(ids), token])
  }

  expireLeases(before: Date): Promise<number> {
    const sql = `update "untold_events" set ${LEFT} where "lease_token" is not null and "lease_until" <= ?`
    return this.access.run(sql, [this.dialect.encode('date')(before)])
  }

  #forget(): string {
    return `delete from "untold_events" where "id" ${this.dialect.listed('uuid')}`
  }
}
