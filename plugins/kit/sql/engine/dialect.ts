import type { Part, ValueTest } from '../../../../core/ports/store/audiences.ts'
import type { Params } from './session.ts'

/** What a column holds; the dialect knows how its database keeps it. */
export type Kind = 'uuid' | 'text' | 'json' | 'date' | 'boolean' | 'integer' | 'bytes'

/** A column of a list of given rows. */
export interface GivenColumn {
  readonly name: string
  readonly kind: Kind
}

/** An insert of many rows: run `sql` once for each of the executions. */
export interface BulkInsert {
  readonly sql: string
  /** Takes rows of encoded values in the order of the columns. */
  executions(rows: readonly Params[]): readonly Params[]
}

/** One key of a column of JSON. */
interface JsonKey {
  /** A condition: the key is there. */
  readonly exists: string
  /** A condition: its value is a text, a number, true or false. */
  readonly isScalar: string
  /** Its value as the text of JSON. */
  readonly value: string
  /** The JSON without it. */
  readonly without: string
}

/** A piece of a statement with the values of its `?`. */
export interface Sql {
  readonly text: string
  readonly params: Params
}

/**
 * Everything the databases do differently, in one object; nothing else asks which database it is. Statements are
 * written with `?` for parameters and double quotes around names.
 */
export interface Dialect {
  /** The value as it is bound to a column of this kind; undefined becomes NULL. */
  encode(kind: Kind): (value: unknown) => unknown
  /** The value as it was read from a column of this kind, never NULL. */
  decode(kind: Kind): (value: unknown) => unknown

  /** A condition behind a column: it is one of a list, which is one parameter made by `list`. */
  listed(kind: Kind): string
  list(values: readonly unknown[]): unknown
  /**
   * A table expression over given rows, with these columns, and its parameters for encoded rows: a statement joined to
   * it does for hundreds of rows what it would do for one.
   */
  given(columns: readonly GivenColumn[]): string
  givenParams(columns: readonly GivenColumn[], rows: readonly Params[]): Params
  /** An insert into all these columns, with an `on conflict` clause or none. */
  insert(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert
  /** The same for many short rows without bytes: one statement for all of them, which makes triggers cheaper. */
  insertShort(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert

  /** True where the text contains the parameter, which is taken literally and in lower case already; not only of ASCII. */
  contains(expression: string): string
  /** As `contains`, for a text that is stored in lower case: no row has to be converted. */
  includes(expression: string): string

  /** What can be asked of one key of a column of JSON; each text has one parameter, made by `keyPath`. */
  at(json: string): JsonKey
  keyPath(key: string): string

  /** A condition: the text has this one in it. Not NULL unless the text is. */
  hasPart(text: Sql, part: Part): Sql
  /** A condition, never NULL, on what a path of keys leads to in a column of JSON, through objects only. */
  valueTest(column: string, path: readonly string[], test: ValueTest): Sql

  /** A condition: the column is the parameter. It is asked of every row, and no index is used for its sake. */
  unindexed(column: string): string
  /** A table, with an alias or none, whose rows are found by this index where the database does not know better. */
  byIndex(table: string, index: string, alias?: string): string
  /** Behind a select: this table's rows are held until the transaction ends. */
  lockRows(table: string): string
  /** Behind a select: until the transaction ends nobody gets a lock of this table's rows; writes without one may go on. */
  keepRows(table: string): string
  /** A condition: the rows of this table where `condition` holds, without those another transaction holds. */
  free(table: string, condition: string): string
  /** As `free`, only the first rows in this order: one more parameter, behind those of the condition, says how many. */
  firstFree(table: string, condition: string, order: string): string

  /** A unique index refused the write. */
  isTaken(error: unknown): boolean
  /** Two processes met and this one lost; the same transaction may succeed when it is run again. */
  isConflict(error: unknown): boolean
  /** The database cannot be reached or cannot write. */
  isUnavailable(error: unknown): boolean
}
