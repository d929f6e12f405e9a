/* SQL by hand: a claim is one statement, which locks, changes and reads its rows. */
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type {
  SendRequestRecord,
  SendRequestRepository,
  SettledRequest,
} from '../../../../../core/ports/store/send-requests.ts'
import { Repository } from '../../engine/repository.ts'
import { FREE, LEASE, togetherOr } from '../../engine/tables.ts'

/** Mails that other programs have asked for in the database. */
export class SqlSendRequests extends Repository implements SendRequestRepository {
  readonly #columns = this.tables.sendRequests.listOf('', LEASE)
  readonly #date = this.dialect.encode('date')

  async add(requests: readonly SendRequestRecord[]): Promise<void> {
    await this.access.write((session) => this.tables.sendRequests.insert(session, requests))
  }

  async claim(
    now: Date,
    lease: ClaimLease,
    room: { readonly requests: number; readonly bytes: number },
  ): Promise<readonly (SendRequestRecord & Interrupted)[]> {
    const { dialect } = this
    const due = `"status" = 'WAITING' and "due_at" <= ? and ("lease_until" is null or "lease_until" <= ?)
      and ${togetherOr(lease.alone)}`
    const at = [this.#date(now), this.#date(now)]
    // mostly there are none, and what only reads holds up no write
    const any = await this.access.all(`select 1 as "one" from "send_requests" where ${due} limit 1`, at)
    if (any.length === 0) return []
    const which = `select "id", "size" from "send_requests"
      where ${dialect.firstFree('"send_requests"', due, '"due_at", "id"')} order by "due_at", "id"`
    const take = `update "send_requests" set "lease_token" = ?, "lease_until" = ?, "attempts" = "attempts" + 1
      where "id" ${dialect.listed('uuid')} returning ${this.#columns}`
    return this.access.write(async (session) => {
      const free = await session.all(which, [...at, lease.alone ? 1 : room.requests])
      let left = room.bytes
      const beyond = free.findIndex(({ size }, place) => {
        left -= Number(size)
        return left < 0 && place > 0
      })
      const ids = free.slice(0, beyond < 0 ? free.length : beyond).map(({ id }) => String(id))
      if (ids.length === 0) return []
      const rows = await session.all(take, [lease.token, this.#date(lease.until), dialect.list(ids)])
      const places = new Map(ids.map((id, place) => [id, place]))
      const placeOf = ({ id }: SendRequestRecord) => places.get(id) ?? 0
      return rows.map((row) => this.tables.sendRequests.record(row)).sort((a, b) => placeOf(a) - placeOf(b))
    })
  }

  async settle(token: string, requests: readonly SettledRequest[], now: Date): Promise<void> {
    const json = this.dialect.encode('json')
    const sql = `update "send_requests" set "status" = ?, "outcome" = ?, "done_at" = ?, "mail" = null, ${FREE}
      where "id" = ? and "lease_token" = ?`
    const each = requests.map(({ id, status, outcome }) => [status, json(outcome), this.#date(now), id, token])
    await this.access.write((session) => session.runEach(sql, each))
  }

  async putOff(token: string, id: string, dueAt: Date): Promise<void> {
    const sql = `update "send_requests" set "due_at" = ?, ${FREE} where "id" = ? and "lease_token" = ?`
    await this.access.run(sql, [this.#date(dueAt), id, token])
  }

  async next(): Promise<Date | undefined> {
    const sql = `select "due_at" from "send_requests" where "status" = 'WAITING' and "lease_token" is null and ${togetherOr(false)}
      order by "due_at", "id" limit 1`
    const [row] = await this.access.all(sql, [])
    return row && (this.dialect.decode('date')(row.due_at) as Date)
  }

  clear({ accepted, refused }: { readonly accepted: Date; readonly refused: Date }, limit: number): Promise<number> {
    const sql = `delete from "send_requests" where "id" in (select "id" from "send_requests"
      where "done_at" < ? and ("status" = 'ACCEPTED' or "done_at" < ?) order by "done_at" limit ?)`
    return this.access.run(sql, [this.#date(accepted), this.#date(refused), limit])
  }
}
