import type { InboundRepository, WaitingMessage } from '../../../core/ports/store/inbound.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** Received messages that wait to be read. */
export class SqlInbound implements InboundRepository {
  readonly #access: Access
  readonly #tables: Tables
  readonly #columns: string

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
    this.#columns = tables.inboundMessages.listOf('', ['leaseToken', 'leaseUntil'])
  }

  async add(messages: readonly WaitingMessage[]): Promise<void> {
    await this.#access.write((session) =>
      this.#tables.inboundMessages.insert(session, messages, 'on conflict do nothing'),
    )
  }

  async claim(now: Date, lease: { readonly token: string; readonly until: Date }): Promise<WaitingMessage | undefined> {
    const { dialect } = this.#access
    const due = `"due_at" <= ? and ("lease_until" is null or "lease_until" <= ?)`
    const sql = `update "inbound_messages" set "lease_token" = ?, "lease_until" = ?, "attempts" = "attempts" + 1
      where ${dialect.firstFree('"inbound_messages"', due, '"due_at", "id"')} returning ${this.#columns}`
    const date = dialect.encode('date')
    const params = [lease.token, date(lease.until), date(now), date(now), 1]
    const [row] = await this.#access.write((session) => session.all(sql, params))
    return row && this.#tables.inboundMessages.record(row)
  }

  async putOff(id: string, token: string, dueAt: Date): Promise<void> {
    const sql = `update "inbound_messages" set "due_at" = ?, "lease_token" = null, "lease_until" = null
      where "id" = ? and "lease_token" = ?`
    const params = [this.#access.dialect.encode('date')(dueAt), id, token]
    await this.#access.write((session) => session.run(sql, params))
  }

  async remove(id: string, token: string): Promise<boolean> {
    const sql = 'delete from "inbound_messages" where "id" = ? and "lease_token" = ?'
    return (await this.#access.write((session) => session.run(sql, [id, token]))) > 0
  }

  async next(): Promise<Date | undefined> {
    const sql = `select "due_at" from "inbound_messages" where "lease_token" is null order by "due_at", "id" limit 1`
    const [row] = await this.#access.read((session) => session.all(sql, []))
    return row && (this.#access.dialect.decode('date')(row.due_at) as Date)
  }

  expireLeases(before: Date): Promise<number> {
    const sql = `update "inbound_messages" set "lease_token" = null, "lease_until" = null where "lease_until" <= ?`
    return this.#access.write((session) => session.run(sql, [this.#access.dialect.encode('date')(before)]))
  }
}
