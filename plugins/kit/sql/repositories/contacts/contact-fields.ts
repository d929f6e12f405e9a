/* SQL by hand: the keys of a JSON column, from the counters. */
import {
  type ContactFieldRepository,
  type ContactFields,
  type FieldRemoval,
  type KindCounts,
  LISTED_VALUE,
  type ValueKind,
} from '../../../../../core/ports/store/contact-fields.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import { Repository } from '../../engine/repository.ts'
import { contactCounters, countersOf, largestCounters } from '../counters.ts'
import { forgetPublicDataKey } from './public-data-keys.ts'

type Scalar = string | number | boolean

/** The keys of contacts' data, from the counters. */
export class SqlContactFields extends Repository implements ContactFieldRepository {
  /** How many contacts have which keys, from the counters. There may be very many keys. */
  list(projectId: ProjectId, limit?: number): Promise<ContactFields> {
    return this.access.scan(projectId, async (session) => {
      const { all } = await contactCounters(session, projectId)
      const { rows, names } = await largestCounters(session, projectId, 'field', limit)
      const fields = new Map<string, Partial<Record<ValueKind, number>>>()
      for (const { name, kind, count } of rows) {
        // only these kinds are counted
        fields.set(name, { ...fields.get(name), [kind as ValueKind]: count })
      }
      return { contacts: all, keys: names, fields: [...fields].map(([key, kinds]) => ({ key, kinds })) }
    })
  }

  /** Which of these keys any contact has. */
  async known(projectId: ProjectId, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { dialect } = this
    const sql = `select "name" from "tallies" where "project_id" = ? and "subject" = 'field'
      and "name" ${dialect.listed('text')} group by "name" having sum("count") > 0`
    const rows = await this.access.all(sql, [projectId, dialect.list(keys)])
    return new Set(rows.map((row) => String(row.name)))
  }

  /** How many contacts have this key. */
  async find(projectId: ProjectId, key: string): Promise<KindCounts | undefined> {
    const rows = await this.access.read((session) => countersOf(session, projectId, 'field', key))
    return rows.length === 0 ? undefined : Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
  }

  /**
   * Different values of a key. The contacts are searched in parts that start small: frequent values are found soon,
   * while rare ones take all contacts.
   */
  async values(projectId: ProjectId, key: string, limit: number): Promise<readonly Scalar[]> {
    const { dialect } = this
    if ((await this.find(projectId, key)) === undefined) return []
    const { from, value, isScalar } = dialect.valuesAt('c."data"')
    const [at, found] = [dialect.keyPath(key), new Set<Scalar>()]
    let [after, rows]: [string | undefined, number] = [undefined, FIRST_PART_ROWS]
    while (found.size < limit) {
      const last = await this.#partEnd(projectId, after, rows)
      const part = within(projectId, after, last)
      const sql = `select distinct ${value} as "value" from (select "data" from "contacts" where ${part.text}) as c, ${from}
        where ${isScalar} and length(${value}) <= ? limit ?`
      const params = [...part.params, at, at, at, LISTED_VALUE, limit]
      for (const row of await this.access.scan(projectId, (session) => session.all(sql, params)))
        found.add(JSON.parse(String(row.value)))
      if (last === undefined) break
      after = last
      rows = Math.min(rows * 4, MAX_PART_ROWS)
    }
    const values = [...found].slice(0, limit).map((scalar) => ({ scalar, text: String(scalar) }))
    values.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    return values.map(({ scalar }) => scalar)
  }

  /** Removes a key from the data of the next contacts that have it. */
  async remove(
    projectId: ProjectId,
    key: string,
    now: Date,
    batch: { readonly limit: number; readonly after?: string },
  ): Promise<FieldRemoval> {
    const { dialect } = this
    const { exists, without } = dialect.at('"data"')
    const at = dialect.keyPath(key)
    const having = within(projectId, batch.after).and(exists, at)
    const next = `select "id" from "contacts" where ${having.text} order by "id" limit ?`
    const rows = await this.access.scan(projectId, (session) => session.all(next, [...having.params, batch.limit]))
    const ids = rows.map((row) => String(row.id))
    const last = ids.at(-1)
    if (last === undefined) {
      await this.access.write((session) => forgetPublicDataKey(session, projectId, key))
      return { removed: 0 }
    }
    const among = `${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
    const hold = `select "id" from "contacts" where ${among} order by "id"${dialect.lockRows('"contacts"')}`
    const sql = `update "contacts" set "data" = ${without}, "updated_at" = ? where ${among} and ${exists}`
    const removed = await this.access.write(async (session) => {
      const listed = dialect.list(ids)
      await session.all(hold, [projectId, listed])
      return session.run(sql, [at, dialect.encode('date')(now), projectId, listed, at])
    })
    return { removed, last }
  }

  /** The last contact of a part; undefined for the last part. */
  async #partEnd(projectId: ProjectId, after: string | undefined, rows: number) {
    const where = within(projectId, after)
    const sql = `select "id" from "contacts" where ${where.text} order by "id" limit 1 offset ?`
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, [...where.params, rows - 1]))
    return row && String(row.id)
  }
}

/** How many contacts one part has. */
const FIRST_PART_ROWS = 2_000
const MAX_PART_ROWS = 128_000

/** The project's contacts after one id and up to another. */
function within(projectId: ProjectId, after: string | undefined, last?: string): Conditions {
  const where = new Conditions().and('"project_id" = ?', projectId)
  if (after !== undefined) where.and('"id" > ?', after)
  if (last !== undefined) where.and('"id" <= ?', last)
  return where
}
