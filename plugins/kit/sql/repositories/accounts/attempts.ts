import type { AttemptRepository, Attempts } from '../../../../../core/ports/store/attempts.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** How often something was tried. */
export class SqlAttempts implements AttemptRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async count(key: string, now: Date, until: Date): Promise<Attempts> {
    const { attempts } = this.#tables
    const sql = `insert into "attempts" ("key", "count", "until") values (?, 1, ?) on conflict ("key") do update set
      "count" = case when "attempts"."until" <= ? then 1 else "attempts"."count" + 1 end,
      "until" = case when "attempts"."until" <= ? then excluded."until" else "attempts"."until" end
      returning ${attempts.list}`
    const encode = this.#access.dialect.encode('date')
    const params = [key, encode(until), encode(now), encode(now)]
    const [row] = await this.#access.write((session) => session.all(sql, params))
    if (row === undefined) return { count: 1, until }
    const stored = attempts.record(row)
    return { count: stored.count, until: stored.until }
  }

  async forgive(key: string, all: boolean): Promise<void> {
    const sql = all
      ? 'delete from "attempts" where "key" = ?'
      : 'update "attempts" set "count" = "count" - 1 where "key" = ? and "count" > 0'
    await this.#access.run(sql, [key])
  }

  forget(now: Date, limit: number): Promise<number> {
    const which = 'select "key" from "attempts" where "until" <= ? order by "until" limit ?'
    const params = [this.#access.dialect.encode('date')(now), limit]
    return this.#access.run(`delete from "attempts" where "key" in (${which})`, params)
  }
}
