import { type EntityData, type QBFilterQuery, type QueryOrderMap, raw } from '@mikro-orm/sql'
import type { NumberedRequest } from '../../../../core/values/page.ts'
import type { Access } from './access.ts'
import type { Params, Row, Session } from './session.ts'
import type { Overwrite, Table } from './table.ts'

/** Which rows, as MikroORM writes it: `{ projectId, expiresAt: { $gt: now } }`. */
export type Where<Rec> = QBFilterQuery<Rec>

/** The rows to read, and how. */
interface Reading<Rec> {
  readonly orderBy?: QueryOrderMap<Rec>
  readonly limit?: number
  readonly offset?: number
  /** Columns that are not read. */
  readonly without?: readonly (keyof Rec & string)[]
  /** Locks the rows until the transaction ends; `keep` only keeps others from locking them. */
  readonly lock?: 'change' | 'keep'
}

/** A statement that MikroORM has written. */
interface Query {
  toQuery(): { readonly sql: string; readonly params: Params }
}

/**
 * The rows of one table as records. MikroORM's query builder writes the statements; the session runs them like any other,
 * in its turn, its transaction and prepared. Whole records are written by the table, which knows how each property is
 * stored. To write a statement takes MikroORM some 50 µs, so texts that only compare with given values are kept.
 */
export class Rows<Rec extends object> {
  readonly #reach: Access | Session
  readonly #table: Table<Rec>

  constructor(reach: Access | Session, table: Table<Rec>) {
    this.#reach = reach
    this.#table = table
  }

  /** The same rows within a transaction. */
  in(session: Session): Rows<Rec> {
    return new Rows(session, this.#table)
  }

  async one(where: Where<Rec>, reading?: Reading<Rec>): Promise<Rec | undefined> {
    return (await this.list(where, reading))[0]
  }

  /** The one row, locked until the transaction ends. */
  lock(where: Where<Rec>): Promise<Rec | undefined> {
    return this.one(where, { lock: 'change' })
  }

  async list(where: Where<Rec>, reading: Reading<Rec> = {}): Promise<readonly Rec[]> {
    const rows = await this.read(this.#table.listOf('', reading.without), where, reading)
    return rows.map((row) => this.#table.record(row))
  }

  /** The same, of these properties alone. */
  async some<Property extends keyof Rec & string>(
    properties: readonly Property[],
    where: Where<Rec>,
    reading?: Reading<Rec>,
  ): Promise<readonly Pick<Rec, Property>[]> {
    const columns = this.#table.pick(...properties).map(({ name }) => `"${name}"`)
    const rows = await this.read(columns.join(', '), where, reading)
    return rows.map((row) => this.#table.record(row))
  }

  /** One page and one row more, the newest first. */
  page(where: Where<Rec>, page: NumberedRequest, reading: Reading<Rec> = {}): Promise<readonly Rec[]> {
    const { limit, after, offset = 0 } = page
    const parts = after ? [where, { id: { $lt: after.id } }] : [where]
    const { orderBy = { id: 'desc' } as QueryOrderMap<Rec>, without = [] } = reading
    return this.list({ $and: parts } as Where<Rec>, { orderBy, without, limit: limit + 1, offset })
  }

  /** How many there are, counted no further than `atMost`. */
  async count(where: Where<Rec>, atMost?: number): Promise<number> {
    const [row] = atMost === undefined ? await this.read(COUNT, where) : await this.#counted(where, atMost)
    return Number(row?.count)
  }

  async exists(where: Where<Rec>): Promise<boolean> {
    return (await this.read('1 as "one"', where, { limit: 1 })).length > 0
  }

  /** These columns or expressions of the rows, as the driver answers them. */
  read(columns: string, where: Where<Rec>, reading: Reading<Rec> = {}): Promise<readonly Row[]> {
    const { orderBy, limit, offset, lock } = reading
    const { dialect, name } = this.#table
    const select = () => {
      const query = this.#table.query().select(raw(columns)).where(where)
      if (orderBy) query.orderBy(orderBy)
      return limit === undefined ? query : query.limit(limit, offset)
    }
    const ending = lock && (lock === 'keep' ? dialect.keepRows(name) : dialect.lockRows(name))
    const kind = limit === undefined ? `${columns} ${JSON.stringify(reading)}` : undefined
    const { sql, params } = this.#written(kind, where, select, ending)
    return this.#reach.all(sql, params)
  }

  /** A condition: the property is one of these. The statement is the same for any number of them. */
  among(property: keyof Rec & string, values: readonly unknown[]): Where<Rec> {
    const { dialect } = this.#table
    const [column] = this.#table.pick(property)
    return condition(`"${column?.name}" ${dialect.listed(column?.kind ?? 'text')}`, [dialect.list(values)])
  }

  /** A condition: one of these columns contains the text, ignoring case. */
  contains(text: string, ...columns: readonly string[]): Where<Rec> {
    const { dialect } = this.#table
    const either = columns.map((name) => dialect.contains(`"${name}"`)).join(' or ')
    const lower = text.toLowerCase()
    return condition(`(${either})`, Array(columns.length).fill(lower))
  }

  /** A condition: this text is somewhere in the JSON of the column. */
  mentions(text: string, column: string): Where<Rec> {
    return condition(`cast("${column}" as text) like ?`, [`%${text}%`])
  }

  /** A condition without values, word for word: SQLite finds the index of a part of the rows by the text of its condition. */
  literally(sql: string): Where<Rec> {
    return condition(sql, [])
  }

  async insert(...records: readonly Rec[]): Promise<void> {
    const insert = (session: Session) => this.#table.insert(session, records)
    await (records.length === 1 ? this.#writeOnce(insert) : this.#write(insert))
  }

  /** Inserts the record unless a unique index has it; answers whether it did. */
  async add(record: Rec): Promise<boolean> {
    return (await this.#writeOnce((session) => this.#table.insert(session, [record], 'on conflict do nothing'))) > 0
  }

  /** Inserts the record, or writes over the one it meets. */
  async put(record: Rec, over: Overwrite<Rec>): Promise<void> {
    await this.#writeOnce((session) => this.#table.insert(session, [record], this.#table.overwrite(over)))
  }

  /** Writes every field of the record that these properties find but `keep`; answers whether there is one. */
  update(record: Rec, by: readonly (keyof Rec & string)[], keep?: readonly (keyof Rec & string)[]): Promise<boolean> {
    return this.#writeOnce((session) => this.#table.update(session, record, by, keep))
  }

  /** Changes these fields; answers of how many rows. */
  change(where: Where<Rec>, fields: EntityData<Rec>): Promise<number> {
    return this.#run(undefined, where, () => this.#table.query().update(fields).where(where))
  }

  /** Answers whether a row was met. */
  async remove(where: Where<Rec>): Promise<boolean> {
    return (await this.#run('delete', where, () => this.#table.query().delete(where))) > 0
  }

  /** Removes the rows and answers them. */
  async take(where: Where<Rec>): Promise<readonly Rec[]> {
    const ending = ` returning ${this.#table.list}`
    const { sql, params } = this.#written(undefined, where, () => this.#table.query().delete(where), ending)
    const rows = await this.#writeOnce((session) => session.all(sql, params))
    return rows.map((row) => this.#table.record(row))
  }

  /** Removes the first rows in this order, which have a key of one column; answers how many. */
  removeFirst(where: Where<Rec>, by: keyof Rec & string, limit: number): Promise<number> {
    const [key] = this.#table.key
    const property = key?.property as keyof Rec & string
    const first = this.each(property, where).orderBy({ [by]: 'asc' } as QueryOrderMap<Rec>)
    const chosen = { [property]: { $in: first.limit(limit) } } as Where<Rec>
    return this.#run(undefined, chosen, () => this.#table.query().delete(chosen))
  }

  /** One property of each, for a condition on other rows. */
  each(property: keyof Rec & string, where: Where<Rec>) {
    const [column] = this.#table.pick(property)
    return this.#table
      .query()
      .select(raw(`"${column?.name}"`))
      .where(where)
  }

  #counted(where: Where<Rec>, limit: number): Promise<readonly Row[]> {
    const first = () => this.#table.query().select(raw('1')).where(where).limit(limit)
    const { sql, params } = this.#written(undefined, where, first)
    return this.#reach.all(`select ${COUNT} from (${sql}) as "first"`, params)
  }

  #run(kind: string | undefined, where: Where<Rec>, write: () => Query): Promise<number> {
    const { sql, params } = this.#written(kind, where, write)
    return this.#writeOnce((session) => session.run(sql, params))
  }

  /** Rows that are counted elsewhere, too, are never one statement. */
  #writeOnce<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#table.isCounted) return this.#write(work)
    return 'write' in this.#reach ? this.#reach.writeOnce(work) : work(this.#reach)
  }

  #write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return 'write' in this.#reach ? this.#reach.write(work) : work(this.#reach)
  }

  /** One of a kind whose conditions are all equalities differs from the others only in its values. */
  #written(kind: string | undefined, where: Where<Rec>, write: () => Query, ending = ''): ReturnType<Query['toQuery']> {
    requireTexts(where)
    const values = kind === undefined ? undefined : plainValues(where)
    const key = `${kind} where ${Object.keys(where)}`
    const known = values && this.#table.texts.get(key)
    if (values && known !== undefined) return { sql: known, params: values.map((value) => this.#encoded(value)) }
    const written = write().toQuery()
    const sql = written.sql + ending
    if (values && written.params.join() === values.join()) this.#table.texts.set(key, sql)
    return { sql, params: written.params.map((value) => this.#encoded(value)) }
  }

  /** MikroORM leaves to its own connection what a driver does not take. */
  #encoded(value: unknown): unknown {
    const { encode } = this.#table.dialect
    if (value instanceof Date) return encode('date')(value)
    return typeof value === 'boolean' ? encode('boolean')(value) : value
  }
}

function condition<Rec>(sql: string, params: Params): Where<Rec> {
  return { [raw(sql, [...params])]: [] } as Where<Rec>
}

/**
 * Refuses an object in the place of a project's id or of a slug, which a host without a compiler may have from a request:
 * MikroORM would take `{}` for no condition, and answer the rows of every project.
 */
function requireTexts(where: object): void {
  for (const [property, value] of Object.entries(where)) {
    const isObject = typeof value === 'object' && value !== null
    if (isObject && (property === 'projectId' || property === 'slug')) throw new TypeError(`${property} must be a text`)
    if (isObject && property === '$and') for (const part of value as readonly object[]) requireTexts(part)
  }
}

const COUNT = 'count(*) as "count"'

/** The values of a condition that only compares with given ones. */
function plainValues(where: object): readonly unknown[] | undefined {
  const values: readonly unknown[] = Object.values(where)
  const isPlain = values.every((value) => value instanceof Date || PLAIN.has(typeof value))
  return isPlain && Object.getOwnPropertySymbols(where).length === 0 ? values : undefined
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])
