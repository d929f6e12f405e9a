/* SQL by hand: a piece is begun by one statement, which inserts its row or takes the one that was left behind. */
import type {
  Begun,
  BegunKind,
  BegunWorkRepository,
  GivenUp,
  WorkPiece,
} from '../../../../core/ports/store/begun-work.ts'
import type { ClaimLease } from '../../../../core/ports/store/interrupted.ts'
import { togetherOr } from '../engine/claim.ts'
import { LeasedRows } from '../engine/leased-rows.ts'
import { Repository } from '../engine/repository.ts'

/** How many pieces that were left behind are begun at once. */
const LEFT_AT_ONCE = 10
const LISTED = 100

/** Work under way that has no row of its own. */
export class SqlBegunWork extends Repository implements BegunWorkRepository {
  readonly #leased = new LeasedRows(this.access, 'begun_work')
  readonly #list = this.tables.begunWork.list

  begin(kind: BegunKind, pieces: readonly WorkPiece[], now: Date, lease: ClaimLease): Promise<readonly Begun[]> {
    return pieces.length === 0 ? this.#takeUp(kind, now, lease) : this.#beginThese(kind, pieces, now, lease)
  }

  #beginThese(kind: BegunKind, pieces: readonly WorkPiece[], now: Date, lease: ClaimLease): Promise<readonly Begun[]> {
    const date = this.dialect.encode('date')
    const uuid = this.dialect.encode('uuid')
    // what was never begun was not interrupted
    const free = `"begun_work"."given_up_at" is null and ${togetherOr(lease.alone).replaceAll('"interrupted"', '"begun_work"."interrupted"')}
      and ("begun_work"."lease_until" is null or "begun_work"."lease_until" <= ?)`
    const take = `update "begun_work" set "lease_token" = ?, "lease_until" = ? where "id" = ? and ${free} returning ${this.#list}`
    const make = `insert into "begun_work" ("id", "kind", "key", "project_id", "lease_token", "lease_until")
      values (?, ?, ?, ?, ?, ?) on conflict ("id") do update set
      "lease_token" = excluded."lease_token", "lease_until" = excluded."lease_until" where ${free} returning ${this.#list}`
    return this.access.write(async (session) => {
      const begun: Begun[] = []
      // in order, or two processes would wait for each other
      for (const { key, projectId } of pieces.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
        const id = `${kind} ${key}`
        const held = [lease.token, date(lease.until)]
        const [row] = lease.alone
          ? await session.all(take, [...held, id, date(now)])
          : await session.all(make, [
              id,
              kind,
              key,
              projectId === undefined ? null : uuid(projectId),
              ...held,
              date(now),
            ])
        if (row) begun.push(begunOf(this.tables.begunWork.record(row), lease.token))
        if (row && lease.alone) break
      }
      return begun
    })
  }

  async #takeUp(kind: BegunKind, now: Date, lease: ClaimLease): Promise<readonly Begun[]> {
    const only = { text: '"kind" = ? and "given_up_at" is null', params: [kind] }
    const claimed = await this.#leased.claim(this.tables.begunWork, now, LEFT_AT_ONCE, lease, only)
    return claimed.map((piece) => begunOf(piece, lease.token))
  }

  async goOn({ kind, key, token }: Begun): Promise<void> {
    const sql = 'update "begun_work" set "interrupted" = null where "id" = ? and "lease_token" = ?'
    await this.access.run(sql, [`${kind} ${key}`, token])
  }

  async end({ kind, key, token }: Begun): Promise<void> {
    const sql = 'delete from "begun_work" where "id" = ? and "lease_token" = ?'
    await this.access.run(sql, [`${kind} ${key}`, token])
  }

  async giveUp({ kind, key, projectId, reason, at }: GivenUp): Promise<void> {
    const { begunWork } = this.tables
    const row = { id: `${kind} ${key}`, kind, key, ...(projectId ? { projectId } : {}), reason, givenUpAt: at }
    const clause = begunWork.overwrite({ on: ['id'] })
    await this.access.writeOnce((session) => begunWork.insert(session, [row], clause))
  }

  async givenUp(): Promise<readonly GivenUp[]> {
    const sql = `select ${this.#list} from "begun_work" where "given_up_at" is not null order by "given_up_at" desc limit ${LISTED}`
    const rows = (await this.access.all(sql, [])).map((row) => this.tables.begunWork.record(row))
    return rows.flatMap(({ kind, key, projectId, reason, givenUpAt }) =>
      givenUpAt ? [{ kind, key, ...(projectId ? { projectId } : {}), reason: reason ?? '', at: givenUpAt }] : [],
    )
  }

  async forget(kind: BegunKind, before: Date): Promise<void> {
    const sql = 'delete from "begun_work" where "kind" = ? and "given_up_at" < ?'
    await this.access.run(sql, [kind, this.dialect.encode('date')(before)])
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }
}

function begunOf({ kind, key, projectId, interrupted }: Omit<Begun, 'token'>, token: string): Begun {
  return { kind, key, token, ...(projectId ? { projectId } : {}), ...(interrupted ? { interrupted } : {}) }
}
