/* SQL by hand: a claim is one statement, which locks, changes and reads its rows; the same for every table with leases. */
import type { ClaimLease } from '../../../../core/ports/store/interrupted.ts'
import type { Access } from './access.ts'
import { FREE, LEASE, LEFT, togetherOr } from './claim.ts'
import type { Sql } from './dialect.ts'
import type { Row, Session } from './session.ts'
import type { Table } from './table.ts'

/** How the rows of a table are claimed under leases. */
interface Leased {
  /** A condition of all claimed rows, and of those that wait where nothing else tells them apart; an index keeps them few. */
  readonly open?: string
  /** Further columns to set when a claim ends before its row is done. */
  readonly freed?: string
  /** Rows wait for a time, in the order of which they are claimed; only those that are due are. */
  readonly isDue?: true
  /** A claim is an attempt, and counted. */
  readonly isCounted?: true
}

/** Every table with leases. */
const LEASED = {
  emails: { open: `"status" = 'SENDING'`, freed: `"status" = 'QUEUED'` },
  contact_jobs: { open: `"state" = 'active'`, freed: `"state" = 'waiting'` },
  workflow_executions: { open: '"due_at" is not null', isDue: true },
  inbound_messages: { isDue: true, isCounted: true },
  send_requests: { open: `"status" = 'WAITING'`, isDue: true, isCounted: true },
  untold_events: {},
  begun_work: {},
  webhook_deliveries: { open: `"status" = 'PENDING'`, isDue: true, isCounted: true },
} satisfies Readonly<Record<string, Leased>>

export type LeasedTable = keyof typeof LEASED

/** The names of all tables with leases. */
export const LEASED_TABLES = Object.keys(LEASED) as readonly LeasedTable[]

/** The columns of each row that is claimed here. */
interface Claimed {
  readonly id: string
  readonly dueAt?: Date
}

/** How much one claim takes at most, and at least one row. */
export interface Room {
  readonly rows: number
  readonly bytes: number
}

/** The leases of one table. Rows with which processes have ended twice are claimed alone. */
export class LeasedRows {
  readonly #access: Access
  readonly #name: string
  readonly #leased: Leased
  readonly #order: string
  readonly #take: string

  constructor(access: Access, table: LeasedTable) {
    this.#access = access
    this.#name = `"${table}"`
    this.#leased = LEASED[table]
    this.#order = this.#leased.isDue ? '"due_at", "id"' : '"id"'
    const counted = this.#leased.isCounted ? ', "attempts" = "attempts" + 1' : ''
    this.#take = `update ${this.#name} set "lease_token" = ?, "lease_until" = ?${counted}`
  }

  /**
   * CLAIM OF WORK: the first free rows, in one statement; of those that meet one more condition if it is given.
   * Index: `workflow_executions_due`, `webhook_deliveries_due`, and `…_alone` of each for work that is claimed alone.
   */
  async claim<Rec extends Claimed>(
    table: Table<Rec>,
    now: Date,
    limit: number,
    lease: ClaimLease,
    only?: Sql,
  ): Promise<readonly Rec[]> {
    const free = this.#free(now, lease, only)
    const sql = `${this.#take} where ${this.#access.dialect.firstFree(this.#name, free.text, this.#order)}
      returning ${table.listOf('', LEASE)}`
    const params = [...this.#held(lease), ...free.params, lease.alone ? 1 : limit]
    return inOrder(table, await this.#access.writeOnce((session) => session.all(sql, params)))
  }

  /**
   * CLAIM WITHIN BYTES: the same for rows of very different sizes, each of which the expression `size` tells. A sum over the
   * waiting rows would read all of them, so the first are read, and those that fit are claimed, in one transaction.
   * Index: `inbound_messages_due`, `send_requests_due`.
   */
  async claimWithin<Rec extends Claimed>(
    table: Table<Rec>,
    now: Date,
    room: Room,
    lease: ClaimLease,
    size: string,
  ): Promise<readonly Rec[]> {
    const { dialect } = this.#access
    const free = this.#free(now, lease)
    // mostly there are none, and what only reads holds up no write
    const any = await this.#access.all(`select 1 as "one" from ${this.#name} where ${free.text} limit 1`, free.params)
    if (any.length === 0) return []
    const which = `select "id", ${size} as "size" from ${this.#name}
      where ${dialect.firstFree(this.#name, free.text, this.#order)} order by ${this.#order}`
    const take = `${this.#take} where "id" ${dialect.listed('uuid')} returning ${table.listOf('', LEASE)}`
    return this.#access.write(async (session) => {
      const found = await session.all(which, [...free.params, lease.alone ? 1 : room.rows])
      let left = room.bytes
      const beyond = found.findIndex((row, place) => {
        left -= Number(row.size)
        return left < 0 && place > 0
      })
      const ids = found.slice(0, beyond < 0 ? found.length : beyond).map(({ id }) => String(id))
      return ids.length === 0 ? [] : inOrder(table, await session.all(take, [...this.#held(lease), dialect.list(ids)]))
    })
  }

  /** Gives rows back that are still under the lease, for a later time if one is given. */
  async release(ids: readonly string[], token: string, dueAt?: Date): Promise<void> {
    const { dialect } = this.#access
    const later = dueAt ? '"due_at" = ?, ' : ''
    const sql = `update ${this.#name} set ${this.#freed}${later}${FREE}
      where "id" ${dialect.listed('uuid')} and "lease_token" = ?`
    await this.#access.run(sql, [...(dueAt ? [this.#date(dueAt)] : []), dialect.list(ids), token])
  }

  /** When the next row without a lease is due. */
  async next(): Promise<Date | undefined> {
    const { dialect } = this.#access
    const sql = `select "due_at" from ${this.#name} where ${this.#open}"lease_token" is null and ${togetherOr(false)}
      order by ${this.#order} limit 1`
    const [row] = await this.#access.all(sql, [])
    return row && (dialect.decode('date')(row.due_at) as Date)
  }

  /** LEASES THAT ENDED: frees their rows. Index: `emails_leases`; of other work few rows wait. Their due time stays: it has passed, so they are due at once. */
  expire(before: Date): Promise<number> {
    const sql = `update ${this.#name} set ${this.#freed}${LEFT}
      where ${this.#open}"lease_token" is not null and "lease_until" < ?`
    return this.#access.run(sql, [this.#date(before)])
  }

  /** Under which tokens rows are claimed. */
  async tokens(now: Date): Promise<readonly string[]> {
    const sql = `select distinct "lease_token" as "token" from ${this.#name} where ${this.#claimed}`
    const rows = await this.#access.all(sql, this.#past(now))
    return rows.map(({ token }) => String(token))
  }

  /** Frees the rows under these tokens. */
  takeBack(session: Session, tokens: readonly string[], now: Date): Promise<number> {
    const { dialect } = this.#access
    const sql = `update ${this.#name} set ${this.#freed}${LEFT}
      where ${this.#claimed} and "lease_token" ${dialect.listed('text')}`
    return session.run(sql, [...this.#past(now), dialect.list(tokens)])
  }

  #free(now: Date, { alone }: ClaimLease, only?: Sql): Sql {
    const text = `${only ? `${only.text} and ` : ''}${this.#open}${this.#due}
      ("lease_until" is null or "lease_until" <= ?) and ${togetherOr(alone)}`
    return { text, params: [...(only?.params ?? []), ...this.#past(now), this.#date(now)] }
  }

  #held({ token, until }: ClaimLease): readonly unknown[] {
    return [token, this.#date(until)]
  }

  get #open(): string {
    return this.#leased.open ? `${this.#leased.open} and ` : ''
  }

  /** The condition of claimed rows. Only due ones ever are. */
  get #claimed(): string {
    return `${this.#open}${this.#due}"lease_token" is not null`
  }

  get #due(): string {
    return this.#leased.isDue ? '"due_at" <= ? and ' : ''
  }

  #past(now: Date): readonly unknown[] {
    return this.#leased.isDue ? [this.#date(now)] : []
  }

  get #freed(): string {
    return this.#leased.freed ? `${this.#leased.freed}, ` : ''
  }

  #date(moment: Date): unknown {
    return this.#access.dialect.encode('date')(moment)
  }
}

/** An update answers its rows in any order. */
function inOrder<Rec extends Claimed>(table: Table<Rec>, rows: readonly Row[]): readonly Rec[] {
  const dueAt = (record: Rec) => record.dueAt?.getTime() ?? 0
  return rows.map((row) => table.record(row)).sort((a, b) => dueAt(a) - dueAt(b) || (a.id < b.id ? -1 : 1))
}
