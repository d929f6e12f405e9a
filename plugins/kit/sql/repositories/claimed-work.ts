/* SQL by hand: the same statement for every table with leases. */
import type { Claims } from '../../../../core/ports/store/workers.ts'
import type { Dialect } from '../engine/dialect.ts'
import { Repository } from '../engine/repository.ts'
import { LEFT } from '../engine/tables.ts'

/** A kind of work that is claimed under a lease. */
interface Kind {
  readonly table: string
  /** What else is set when a claim is taken back. */
  readonly set: string
  /** The condition of its claimed rows, which an index keeps few. It has one parameter, the time, when `isDue`. */
  readonly claimed: string
  readonly isDue?: true
}

const MAILS: Kind = { table: 'emails', set: `"status" = 'QUEUED', `, claimed: `"status" = 'SENDING'` }
const OTHERS: readonly Kind[] = [
  { table: 'contact_jobs', set: `"state" = 'waiting', `, claimed: `"state" = 'active'` },
  // only due rows are ever claimed
  { table: 'workflow_executions', set: '', claimed: '"due_at" <= ?', isDue: true },
  { table: 'inbound_messages', set: '', claimed: '"due_at" <= ?', isDue: true },
  { table: 'send_requests', set: '', claimed: `"status" = 'WAITING' and "due_at" <= ?`, isDue: true },
  { table: 'untold_events', set: '', claimed: '"lease_token" is not null' },
  { table: 'begun_work', set: '', claimed: '"lease_token" is not null' },
  { table: 'webhook_deliveries', set: '', claimed: `"status" = 'PENDING' and "due_at" <= ?`, isDue: true },
]

/** All claimed work, whoever claimed it. */
export class ClaimedWork extends Repository {
  async claims(now: Date): Promise<Claims> {
    const others: string[] = []
    for (const kind of OTHERS) others.push(...(await this.#tokens(kind, now)))
    return { mails: await this.#tokens(MAILS, now), others }
  }

  async takeBack(tokens: readonly string[], now: Date): Promise<number> {
    const { dialect } = this
    return this.access.write(async (session) => {
      for (const kind of OTHERS) await session.run(takeBackSql(dialect, kind), params(dialect, kind, tokens, now))
      return session.run(takeBackSql(dialect, MAILS), params(dialect, MAILS, tokens, now))
    })
  }

  async #tokens({ table, claimed, isDue }: Kind, now: Date): Promise<readonly string[]> {
    const sql = `select distinct "lease_token" as "token" from "${table}" where ${claimed} and "lease_token" is not null`
    const given = isDue ? [this.dialect.encode('date')(now)] : []
    const rows = await this.access.all(sql, given)
    return rows.map(({ token }) => String(token))
  }
}

/** `due_at` of mail stays: it has passed, since the row was claimed, so the mail is due at once. */
function takeBackSql(dialect: Dialect, { table, set, claimed }: Kind): string {
  return `update "${table}" set ${set}${LEFT}
    where ${claimed} and "lease_token" ${dialect.listed('text')}`
}

function params(dialect: Dialect, { isDue }: Kind, tokens: readonly string[], now: Date): readonly unknown[] {
  return [...(isDue ? [dialect.encode('date')(now)] : []), dialect.list(tokens)]
}
