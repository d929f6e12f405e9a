import type { AttemptRepository, Attempts } from '../../../../../core/ports/store/attempts.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** How often something was tried. */
export class SqlAttempts extends Repository implements AttemptRepository {
  readonly #attempts = new Rows(this.access, this.tables.attempts)

  async count(key: string, now: Date, until: Date): Promise<Attempts> {
    const { attempts } = this.tables
    const sql = `insert into "attempts" ("key", "count", "until") values (?, 1, ?) on conflict ("key") do update set
      "count" = case when "attempts"."until" <= ? then 1 else "attempts"."count" + 1 end,
      "until" = case when "attempts"."until" <= ? then excluded."until" else "attempts"."until" end
      returning ${attempts.list}`
    const encode = this.dialect.encode('date')
    const params = [key, encode(until), encode(now), encode(now)]
    const [row] = await this.access.writeOnce((session) => session.all(sql, params))
    if (row === undefined) return { count: 1, until }
    const stored = attempts.record(row)
    return { count: stored.count, until: stored.until }
  }

  take(key: string, now: Date, until: Date, wanted: number, most: number): Promise<number> {
    const begin = `insert into "attempts" ("key", "count", "until") values (?, 0, ?) on conflict ("key") do update set
      "count" = case when "attempts"."until" <= ? then 0 else "attempts"."count" end,
      "until" = case when "attempts"."until" <= ? then excluded."until" else "attempts"."until" end
      returning "count"`
    const encode = this.dialect.encode('date')
    return this.access.write(async (session) => {
      // the row is locked from here on
      const [row] = await session.all(begin, [key, encode(until), encode(now), encode(now)])
      const granted = Math.max(0, Math.min(wanted, most - Number(row?.count)))
      if (granted > 0) await session.run('update "attempts" set "count" = "count" + ? where "key" = ?', [granted, key])
      return granted
    })
  }

  async counted(keys: readonly string[], now: Date): Promise<ReadonlyMap<string, number>> {
    const found = await this.#attempts.list({ $and: [this.#attempts.among('key', keys), { until: { $gt: now } }] })
    return new Map(found.map(({ key, count }) => [key, count]))
  }

  async giveBack(key: string, count: number): Promise<void> {
    const less = 'update "attempts" set "count" = "count" - ? where "key" = ? and "count" >= ?'
    if (count > 0) await this.access.run(less, [count, key, count])
  }

  async forgive(key: string, all: boolean): Promise<void> {
    const less = 'update "attempts" set "count" = "count" - 1 where "key" = ? and "count" > 0'
    await (all ? this.#attempts.remove({ key }) : this.access.run(less, [key]))
  }

  forget(now: Date, limit: number): Promise<number> {
    return this.#attempts.removeFirst({ until: { $lte: now } }, 'until', limit)
  }
}
