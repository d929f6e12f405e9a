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
    const [row] = await this.access.write((session) => session.all(sql, params))
    if (row === undefined) return { count: 1, until }
    const stored = attempts.record(row)
    return { count: stored.count, until: stored.until }
  }

  async forgive(key: string, all: boolean): Promise<void> {
    const less = 'update "attempts" set "count" = "count" - 1 where "key" = ? and "count" > 0'
    await (all ? this.#attempts.remove({ key }) : this.access.run(less, [key]))
  }

  forget(now: Date, limit: number): Promise<number> {
    return this.#attempts.removeFirst({ until: { $lte: now } }, 'until', limit)
  }
}
