/* SQL by hand: messages are removed in one statement, each only under its own claim. */
import type { Claim, InboundRepository, WaitingMessage } from '../../../../../core/ports/store/inbound.ts'
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type { Access } from '../../engine/access.ts'
import type { GivenColumn } from '../../engine/dialect.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'
import type { Tables } from '../../engine/tables.ts'
import type { LedgerWrites } from './ledger-writes.ts'

/** Received messages that wait to be read. */
export class SqlInbound extends Repository implements InboundRepository {
  readonly #writes: LedgerWrites
  readonly #leased = new LeasedRows(this.access, 'inbound_messages')

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
    { messages, bytes }: { readonly messages: number; readonly bytes: number },
  ): Promise<readonly (WaitingMessage & Interrupted)[]> {
    const { inboundMessages } = this.tables
    return this.#leased.claimWithin(inboundMessages, now, { rows: messages, bytes }, lease, 'octet_length("raw")')
  }

  putOff(id: string, token: string, dueAt: Date): Promise<void> {
    return this.#leased.release([id], token, dueAt)
  }

  async remove(claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const { dialect } = this
    const values = claims.map(({ id, token }) => [id, token])
    const sql = `delete from "inbound_messages" where ("id", "lease_token") in
      (select given."new_id", given."new_token" from ${dialect.given(CLAIM)} as given) returning "id"`
    const rows = await this.access.writeOnce((session) => session.all(sql, dialect.givenParams(CLAIM, values)))
    return new Set(rows.map(({ id }) => String(id)))
  }

  next(): Promise<Date | undefined> {
    return this.#leased.next()
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }
}

const CLAIM: readonly GivenColumn[] = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'new_token', kind: 'text' },
]
