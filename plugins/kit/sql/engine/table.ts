import type { EntityMetadata, InferEntity, MikroORM, QueryBuilder } from '@mikro-orm/sql'
import type { BulkInsert, Dialect, GivenColumn, Kind } from './dialect.ts'
import type { Params, Row, Session } from './session.ts'

/** A column, and the record's property it holds. */
export interface Column extends GivenColumn {
  readonly property: string
  encode(value: unknown): unknown
  decode(value: unknown): unknown
}

/** How one property is stored. */
export interface Codec {
  encode(value: unknown): unknown
  decode(value: unknown): unknown
}
export type Codecs<Rec> = { readonly [Property in keyof Rec]?: Codec }

/**
 * An entity with a column for every property of the record. A property without one would be dropped without a word when
 * the record is written; like this it does not compile.
 */
export interface EntityOf<Rec> {
  readonly meta: { readonly className: string }
  readonly properties: { readonly [Property in PropertyOf<Rec>]: unknown }
}

/** The record that an entity's columns describe; one that may be NULL is a property that may be missing. */
export type RowOf<Entity> = Readonly<Filled<InferEntity<Entity>> & Partial<Nullable<InferEntity<Entity>>>>

type Filled<T> = { [Name in keyof T & string as null extends T[Name] ? never : Name]: T[Name] }
type Nullable<T> = { [Name in keyof T & string as null extends T[Name] ? Name : never]: NonNullable<T[Name]> }

/** The properties of each kind of a record that has kinds. */
type PropertyOf<Rec> = Rec extends unknown ? keyof Rec : never

/** The columns that an insert overwrites when it meets a row. */
export interface Overwrite<Rec> {
  /** The columns a row is met by. */
  readonly on: readonly (keyof Rec & string)[]
  /** Columns that stay as they are, besides; all others are overwritten. */
  readonly keep?: readonly (keyof Rec & string)[]
  /** A row that differs in this belongs to another owner, and stays as a whole. */
  readonly within?: keyof Rec & string
}

/** The columns that an update of many rows writes, and how. Each row gives values of its own. */
export interface Patch<Rec> {
  /** The columns a row is met by. */
  readonly by: readonly (keyof Rec & string)[]
  /** Columns that are set, also to nothing; or all except these. */
  readonly set?: readonly (keyof Rec & string)[] | { readonly except: readonly (keyof Rec & string)[] }
  /** Columns that are set where a value is given. */
  readonly given?: readonly (keyof Rec & string)[]
  /** Columns that are set where there is no value yet. */
  readonly first?: readonly (keyof Rec & string)[]
  /** Columns that the given number is added to. */
  readonly added?: readonly (keyof Rec & string)[]
  /** Further columns of the given values that `also` and `where` use, each as `given."new_<column>"`. */
  readonly used?: readonly (keyof Rec & string)[]
  /**
   * Those of the columns in which the rows mostly agree. When all do, their values are given once: taken out of every row, such
   * a value costs SQLite as much as one that differs. Together or not at all, since each combination would be a statement
   * that is prepared and kept. The columns of `by` are never among them: as constants they could lead SQLite to an index that
   * finds far too much.
   */
  readonly alike?: readonly (keyof Rec & string)[]
  /** Assignments besides. */
  readonly also?: string | ((dialect: Dialect) => string)
  /** One more condition. */
  readonly where?: string
  /** The columns of the written rows that are answered. */
  readonly returning?: string
}

/** The statements of a patch: for values that are all each row's own, and where the last are the same in every row. */
interface PatchSql {
  readonly each: string
  readonly own: readonly Column[]
  readonly together: string
  readonly same: readonly Column[]
}

/**
 * The one place where records become rows and rows become records. Columns and kinds are read from the entity; a
 * property has the column's name in camel case. NULL in the row is a missing property in the record.
 */
export class Table<Rec extends object> {
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of the primary key, in its order. */
  readonly key: readonly Column[]
  /** The columns of each unique index over all rows. */
  readonly uniques: readonly (readonly Column[])[]
  /** All columns, as a select list. */
  readonly list: string
  readonly dialect: Dialect
  /** Whether writing its rows writes figures, too. */
  readonly isCounted: boolean = false
  readonly #orm: MikroORM
  readonly #meta: EntityMetadata<Rec>
  readonly #clauses = new WeakMap<Overwrite<Rec>, string>()
  readonly #patches = new WeakMap<Patch<Rec>, PatchSql>()
  readonly #lists = new Map<string, string>()
  readonly #picked = new Map<string, readonly Column[]>()
  readonly #inserts = new Map<string, Insert>()
  readonly #shortInserts = new Map<string, BulkInsert>()
  /** Texts of statements, kept by their maker under a key that says what they are. */
  readonly texts = new Map<string, string>()

  /** `codecs` are for properties that are stored as something else, for example a word as a number. */
  constructor(dialect: Dialect, orm: MikroORM, entity: EntityOf<Rec>, codecs: Codecs<Rec> = {}) {
    const given: Readonly<Record<string, Codec | undefined>> = codecs
    const meta: EntityMetadata<Rec> = orm.getMetadata().getByClassName(entity.meta.className)
    this.dialect = dialect
    this.#orm = orm
    this.#meta = meta
    this.name = `"${meta.tableName}"`
    this.columns = meta.props.map((property) => {
      const kind = kindOf(property.type)
      const codec = given[property.name]
      return {
        property: property.name,
        name: property.fieldNames[0] ?? property.name,
        kind,
        encode: codec?.encode ?? dialect.encode(kind),
        decode: codec?.decode ?? dialect.decode(kind),
      }
    })
    this.key = this.columns.filter(({ property }) => meta.primaryKeys.some((key) => key === property))
    this.uniques = meta.uniques
      .filter(({ where }) => where === undefined)
      .map(({ properties = [] }) => this.pick(...([properties].flat() as (keyof Rec & string)[])))
    this.list = this.listOf('')
  }

  /** Properties that every record has: their columns take no NULL and have no value of their own. */
  get needed(): readonly string[] {
    const isNeeded = this.#meta.props.filter(({ nullable, default: given }) => !nullable && given === undefined)
    return isNeeded.map(({ name }) => name)
  }

  /** A statement on this table, for MikroORM to write. */
  query(): QueryBuilder<Rec, string> {
    return this.#orm.em.createQueryBuilder<Rec, string>(this.#meta.class, this.#meta.tableName)
  }

  /** The columns of an alias, as a select list of a join. */
  listOf(alias: string, without: readonly string[] = []): string {
    return kept(this.#lists, `${alias} ${without}`, () => {
      const prefix = alias === '' ? '' : `${alias}.`
      const listed = this.columns.filter(({ property }) => !without.includes(property))
      return listed.map(({ name }) => `${prefix}"${name}"`).join(', ')
    })
  }

  /** These columns, for a table expression over given rows. */
  pick(...properties: readonly (keyof Rec & string)[]): readonly Column[] {
    return kept(this.#picked, properties.join(), () =>
      properties.map((property) => {
        const column = this.columns.find((candidate) => candidate.property === property)
        if (column === undefined) throw new Error(`${this.name} has no column for ${property}`)
        return column
      }),
    )
  }

  /** Every column but these. An update lists the columns that stay, so that a new column cannot be forgotten. */
  without(properties: readonly (keyof Rec & string)[]): readonly Column[] {
    const left = new Set(this.pick(...properties))
    return this.columns.filter((column) => !left.has(column))
  }

  /** The conflict clause of an insert that overwrites existing rows. It is made once for each constant it is made of. */
  overwrite(which: Overwrite<Rec>): string {
    return kept(this.#clauses, which, () => this.#overwrite(which))
  }

  #overwrite({ on, keep = [], within }: Overwrite<Rec>): string {
    const met = this.pick(...on).map(({ name }) => `"${name}"`)
    const set = this.without([...on, ...keep]).map(({ name }) => `"${name}" = excluded."${name}"`)
    const [own] = within === undefined ? [] : this.pick(within)
    const where = own === undefined ? '' : ` where ${this.name}."${own.name}" = excluded."${own.name}"`
    return `on conflict (${met.join(', ')}) do update set ${set.join(', ')}${where}`
  }

  /** The record's values in column order. */
  values(record: Rec): unknown[] {
    return valuesOf(this.columns, record)
  }

  /** Turns a row into a record. The row is trusted, since only this kit writes it. */
  record(row: Row): Rec {
    const record: Record<string, unknown> = {}
    for (const { property, name, decode } of this.columns) {
      const value = row[name]
      if (value !== null && value !== undefined) record[property] = decode(value)
    }
    return record as Rec
  }

  /** Turns an ORM entity into a record. */
  plain(entity: object): Rec {
    const fields = entity as Readonly<Record<string, unknown>>
    const record: Record<string, unknown> = {}
    for (const { property } of this.columns) {
      const value = fields[property]
      if (value !== null && value !== undefined) record[property] = value
    }
    return record as Rec
  }

  /**
   * Writes every field of the record but `keep` over the row that has its `by`, and clears those it does not have.
   * Answers whether there is such a row.
   */
  async update(
    session: Session,
    record: Rec,
    by: readonly (keyof Rec & string)[],
    keep: readonly (keyof Rec & string)[] = [],
  ): Promise<boolean> {
    const [columns, key] = [this.without([...by, ...keep]), this.pick(...by)]
    const [set, met] = [columns, key].map((list) => list.map(({ name }) => `"${name}" = ?`))
    const sql = `update ${this.name} set ${set?.join(', ')} where ${met?.join(' and ')}`
    return (await session.run(sql, valuesOf([...columns, ...key], record))) > 0
  }

  /** Changes many rows in one statement, which is made once for each constant it is made of. */
  async patch(
    session: Session,
    change: Patch<Rec>,
    rows: readonly Partial<Readonly<Record<keyof Rec & string, unknown>>>[],
  ): Promise<readonly Row[]> {
    if (rows.length === 0) return []
    const { each, together, own, same } = kept(this.#patches, change, () => this.#patch(change))
    const [values, shared]: [unknown[][], unknown[][]] = [[], []]
    for (const row of rows) {
      values.push(valuesOf(own, row))
      shared.push(valuesOf(same, row))
    }
    const [common = [], ...others] = shared
    const agree = others.every((other) => other.every((value, i) => value === common[i]))
    const params = agree
      ? [...common, ...this.dialect.givenParams(own, values)]
      : this.dialect.givenParams(
          [...own, ...same],
          values.map((row, i) => [...row, ...(shared[i] ?? [])]),
        )
    const sql = agree ? together : each
    if (change.returning !== undefined) return session.all(sql, params)
    await session.run(sql, params)
    return []
  }

  #patch({ by, set = [], given = [], first = [], added = [], used = [], alike = [], ...more }: Patch<Rec>): PatchSql {
    const own = ({ name }: Column) => `${this.name}."${name}"`
    const value = ({ name }: Column) => `given."new_${name}"`
    const written = 'except' in set ? this.without(set.except) : this.pick(...set)
    const assignments = [
      ...written.map((column) => [column, value(column)] as const),
      ...this.pick(...given).map((column) => [column, `coalesce(${value(column)}, ${own(column)})`] as const),
      ...this.pick(...first).map((column) => [column, `coalesce(${own(column)}, ${value(column)})`] as const),
      ...this.pick(...added).map((column) => [column, `${own(column)} + ${value(column)}`] as const),
    ].map(([{ name }, to]) => `"${name}" = ${to}`)
    const also = typeof more.also === 'function' ? more.also(this.dialect) : more.also
    const met = this.pick(...by).map((column) => `${own(column)} = ${value(column)}`)
    const sql = (from: string) => `update ${this.name} set ${[...assignments, ...(also ? [also] : [])].join(', ')}
      from ${from} as given
      where ${[...met, ...(more.where ? [more.where] : [])].join(' and ')}${more.returning ? ` returning ${more.returning}` : ''}`
    // named apart from the row's own
    const named = (column: Column) => ({ ...column, name: `new_${column.name}` })
    const same = this.pick(...alike)
    const columns = [...this.pick(...by, ...given, ...first, ...added, ...used), ...written]
    const [owned, shared] = [columns.filter((column) => !same.includes(column)).map(named), same.map(named)]
    const each = sql(this.dialect.given([...owned, ...shared]))
    return { each, own: owned, together: sql(this.dialect.given(owned, shared)), same: shared }
  }

  /**
   * Inserts the records, at most `atOnce` by one statement. Answers how many rows were written; a conflict clause may skip
   * some.
   */
  insert(session: Session, records: readonly Rec[], onConflict = '', atOnce = records.length): Promise<number> {
    if (records.length === 0) return Promise.resolve(0)
    const insert = this.#insertOf(records, onConflict)
    const parts = function* () {
      for (let at = 0; at < records.length; at += atOnce) yield* executionsOf(insert, records.slice(at, at + atOnce))
    }
    return session.runEach(insert.bulk.sql, parts())
  }

  /** The same for a table with ids. Answers those of the rows that were written. */
  protected async insertedIds(
    session: Session,
    records: readonly Rec[],
    onConflict: string,
  ): Promise<readonly string[]> {
    const insert = this.#insertOf(records, `${onConflict} returning "id"`)
    const rows = await session.allEach(insert.bulk.sql, executionsOf(insert, records))
    return rows.map(({ id }) => String(id))
  }

  /** The same, faster for many short records. */
  insertShort(session: Session, records: readonly Rec[], onConflict = ''): Promise<number> {
    if (records.length <= 1) return this.insert(session, records, onConflict)
    const { sql, executions } = kept(this.#shortInserts, onConflict, () =>
      this.dialect.insertShort(this.name, this.columns, onConflict),
    )
    return session.runEach(sql, executions(records.map((record) => valuesOf(this.columns, record))))
  }

  /**
   * An insert into the columns that any of these records has: of a wide table most are empty, and to bind NULL costs as
   * much as a value. A value that many records share goes once. `ending` is the statement's end, behind the values.
   */
  #insertOf(records: readonly Rec[], ending: string): Insert {
    const places = this.#placesIn(records)
    const alike = places === ALL ? 0 : this.#alikeIn(records, places)
    const known = this.#inserts.get(`${places} ${alike} ${ending}`)
    if (known) return known
    if (this.#inserts.size < MAX_INSERTS) return this.#makeInsert(places, alike, ending)
    const plain = this.#inserts.get(`${places} 0 ${ending}`) ?? this.#inserts.get(`${ALL} 0 ${ending}`)
    return plain ?? this.#makeInsert(ALL, 0, ending)
  }

  #makeInsert(places: number, alike: number, ending: string): Insert {
    const columns = places === ALL ? this.columns : this.columns.filter((_column, i) => isSet(places, i))
    const same = columns.filter((column) => isSet(alike, this.columns.indexOf(column)))
    const own = columns.filter((column) => !same.includes(column))
    const { dialect, name } = this
    const bulk =
      same.length > 0 && dialect.insertAlike
        ? dialect.insertAlike(name, own, same, ending)
        : dialect.insert(name, columns, ending)
    const insert = { columns: own, same, bulk }
    this.#inserts.set(`${places} ${alike} ${ending}`, insert)
    return insert
  }

  /** The columns in which many records agree, as the bits of a number. Few agree by chance, and each set of columns is another statement. */
  #alikeIn(records: readonly Rec[], places: number): number {
    const [first] = records as readonly Readonly<Record<string, unknown>>[]
    if (first === undefined || records.length < MANY || this.dialect.insertAlike === undefined) return 0
    let alike = 0
    for (const [i, { property }] of this.columns.entries()) {
      const value = first[property]
      const isAlike = (record: Rec) => (record as Readonly<Record<string, unknown>>)[property] === value
      if (isSet(places, i) && records.every(isAlike)) alike += 2 ** i
    }
    // a row needs a column of its own
    return alike === places ? 0 : alike
  }

  /** The columns that any of these records has, as the bits of a number. */
  #placesIn(records: readonly Rec[]): number {
    if (this.columns.length > MAX_PLACES) return ALL
    let places = 0
    for (const [i, { property }] of this.columns.entries()) {
      const has = (record: Rec) => (record as Readonly<Record<string, unknown>>)[property] !== undefined
      if (records.some(has)) places += 2 ** i
    }
    return places
  }
}

/** An insert into some columns, and into those in which all records agree. */
interface Insert {
  readonly columns: readonly Column[]
  readonly same: readonly Column[]
  readonly bulk: BulkInsert
}

function executionsOf({ columns, same, bulk }: Insert, records: readonly object[]): readonly Params[] {
  const shared = valuesOf(same, records[0] ?? {})
  return bulk.executions(
    records.map((record) => valuesOf(columns, record)),
    shared,
  )
}

/**
 * How many inserts into different columns are kept, since a database keeps each prepared; further ones are into all
 * columns.
 */
const MAX_INSERTS = 16
/** Of so many records or more, the values that all share go once. */
const MANY = 16
/** As many bits as a number holds exactly. */
const MAX_PLACES = 53
const ALL = -1

function isSet(places: number, i: number): boolean {
  return Math.floor(places / 2 ** i) % 2 === 1
}

function valuesOf(columns: readonly Column[], record: object): unknown[] {
  const fields = record as Readonly<Record<string, unknown>>
  const values: unknown[] = []
  for (const { encode, property } of columns) values.push(encode(fields[property]))
  return values
}

/** The value kept under this key, made when it is first asked for. */
function kept<Key, Value>(
  known: { has(key: Key): boolean; get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = known.get(key) ?? make()
  if (!known.has(key)) known.set(key, value)
  return value
}

const KINDS: Readonly<Record<string, Kind>> = {
  UuidType: 'uuid',
  text: 'text',
  JsonType: 'json',
  Date: 'date',
  boolean: 'boolean',
  integer: 'integer',
  smallint: 'integer',
  BlobType: 'bytes',
}

function kindOf(type: string): Kind {
  const kind = KINDS[type]
  if (kind === undefined) throw new Error(`No kind for columns of type ${type}`)
  return kind
}
