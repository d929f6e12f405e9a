/* SQL by hand: a claim is one statement, which locks, changes and reads its rows. */
import type { Claim, InboundRepository, WaitingMessage } from '../../../../../core/ports/store/inbound.ts'
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type { Access } from '../../engine/access.ts'
import type { GivenColumn } from '../../engine/dialect.ts'
import { Repository } from '../../engine/repository.ts'
import { FREE, LEASE, LEFT, type Tables, togetherOr } from '../../engine/tables.ts'
import type { LedgerWrites } from './ledger-writes.ts'

/** Received messages that wait to be read. */
export class SqlInbound extends Repository implements InboundRepository {
  readonly #writes: LedgerWrites
  readonly #columns = this.tables.inboundMessages.listOf('', LEASE)

  constructor(access: Access, tables: Tables, writes: LedgerWrites) {
    super(access, tables)
    this.#writes = writes
  }

  add(messages: readonly WaitingMessage[]): Promise<void> {
    return this.#writes.received(messages)
  }

  claim(
    now: Date,
    lease: ClaimLease,
    room: { readonly messages: number; readonly bytes: number },
  ): Promise<readonly (WaitingMessage & Interrupted)[]> {
    const { dialect } = this
    const date = dialect.encode('date')
    const due = `"due_at" <= ? and ("lease_until" is null or "lease_until" <= ?)
      and ${togetherOr(lease.alone)}`
    const which = `select "id", octet_length("raw") as "size" from "inbound_messages"
      where ${dialect.firstFree('"inbound_messages"', due, '"due_at", "id"')} order by "due_at", "id"`
    const take = `update "inbound_messages" set "lease_token" = ?, "lease_until" = ?, "attempts" = "attempts" + 1
      where "id" ${dialect.listed('uuid')} returning ${this.#columns}`
    return this.access.write(async (session) => {
      const free = await session.all(which, [date(now), date(now), lease.alone ? 1 : room.messages])
      const ids: unknown[] = []
      let left = room.bytes
      for (const { id, size } of free) {
        left -= Number(size)
        if (left < 0 && ids.length > 0) break
        ids.push(id)
      }
      if (ids.length === 0) return []
      const rows = await session.all(take, [lease.token, date(lease.until), dialect.list(ids)])
      return rows.map((row) => this.tables.inboundMessages.record(row))
    })
  }

  async putOff(id: string, token: string, dueAt: Date): Promise<void> {
    const sql = `update "inbound_messages" set "due_at" = ?, ${FREE}
      where "id" = ? and "lease_token" = ?`
    const params = [this.dialect.encode('date')(dueAt), id, token]
    await this.access.run(sql, params)
  }

  async remove(claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const { dialect } = this
    const values = claims.map(({ id, token }) => [id, token])
    const sql = `delete from "inbound_messages" where ("id", "lease_token") in
      (select given."new_id", given."new_token" from ${dialect.given(CLAIM)} as given) returning "id"`
    const rows = await this.access.write((session) => session.all(sql, dialect.givenParams(CLAIM, values)))
    return new Set(rows.map(({ id }) => String(id)))
  }

  async next(): Promise<Date | undefined> {
    const sql = `select "due_at" from "inbound_messages" where "lease_token" is null and ${togetherOr(false)} order by "due_at", "id" limit 1`
    const [row] = await this.access.all(sql, [])
    return row && (this.dialect.decode('date')(row.due_at) as Date)
  }

  expireLeases(before: Date): Promise<number> {
    const sql = `update "inbound_messages" set ${LEFT} where "lease_until" <= ?`
    return this.access.run(sql, [this.dialect.encode('date')(before)])
  }
}

const CLAIM: readonly GivenColumn[] = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'new_token', kind: 'text' },
]
