/* SQL by hand: requests are settled only under their lease. */
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type {
  SendRequestRecord,
  SendRequestRepository,
  SettledRequest,
} from '../../../../../core/ports/store/send-requests.ts'
import { FREE } from '../../engine/claim.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'

/** Mails that other programs have asked for in the database. */
export class SqlSendRequests extends Repository implements SendRequestRepository {
  readonly #leased = new LeasedRows(this.access, 'send_requests')
  readonly #date = this.dialect.encode('date')

  async add(requests: readonly SendRequestRecord[]): Promise<void> {
    await this.access.write((session) => this.tables.sendRequests.insert(session, requests))
  }

  claim(
    now: Date,
    lease: ClaimLease,
    { requests, bytes }: { readonly requests: number; readonly bytes: number },
  ): Promise<readonly (SendRequestRecord & Interrupted)[]> {
    return this.#leased.claimWithin(this.tables.sendRequests, now, { rows: requests, bytes }, lease, '"size"')
  }

  async settle(token: string, requests: readonly SettledRequest[], now: Date): Promise<void> {
    const json = this.dialect.encode('json')
    const sql = `update "send_requests" set "status" = ?, "outcome" = ?, "done_at" = ?, "mail" = null, ${FREE}
      where "id" = ? and "lease_token" = ?`
    const each = requests.map(({ id, status, outcome }) => [status, json(outcome), this.#date(now), id, token])
    await this.access.write((session) => session.runEach(sql, each))
  }

  putOff(token: string, id: string, dueAt: Date): Promise<void> {
    return this.#leased.release([id], token, dueAt)
  }

  next(): Promise<Date | undefined> {
    return this.#leased.next()
  }

  clear({ accepted, refused }: { readonly accepted: Date; readonly refused: Date }, limit: number): Promise<number> {
    const sql = `delete from "send_requests" where "id" in (select "id" from "send_requests"
      where "done_at" < ? and ("status" = 'ACCEPTED' or "done_at" < ?) order by "done_at" limit ?)`
    return this.access.run(sql, [this.#date(accepted), this.#date(refused), limit])
  }
}
