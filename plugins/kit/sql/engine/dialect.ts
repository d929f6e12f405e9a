import type { Part, ValueTest } from '../../../../core/ports/store/audiences.ts'
import type { SearchTerm } from '../../../../core/ports/store/mail-words.ts'
import type { Params } from './session.ts'

/** The type of a column's values. The dialect knows how its database stores it. */
export type Kind = 'uuid' | 'text' | 'json' | 'date' | 'boolean' | 'integer' | 'bytes'

/** A column of a table expression over given rows. */
export interface GivenColumn {
  readonly name: string
  readonly kind: Kind
}

/** An insert of many rows: run `sql` once for each execution. */
export interface BulkInsert {
  readonly sql: string
  /** Takes rows of encoded values in column order, and those of the columns in which all of them agree. */
  executions(rows: readonly Params[], same?: Params): readonly Params[]
}

/** Expressions about one key of a JSON column. */
interface JsonKey {
  /** A condition: the key exists. */
  readonly exists: string
  /** The JSON without it. */
  readonly without: string
}

/** A key's values: its value, or the elements of the list it has. */
interface JsonValues {
  /** A table expression with a row for each. It has three parameters, each made by `keyPath`. */
  readonly from: string
  /** A condition: this one is a text, a number, true or false. */
  readonly isScalar: string
  /** This one as JSON text. */
  readonly value: string
}

/** A piece of a statement with the values of its `?`. */
export interface Sql {
  readonly text: string
  readonly params: Params
}

/**
 * Everything the two databases do differently, in one object; no other code asks which database it is. Statements use
 * `?` for parameters and double quotes around names.
 */
export interface Dialect {
  /** Encodes a value to bind to a column of this kind; undefined becomes NULL. */
  encode(kind: Kind): (value: unknown) => unknown
  /** Decodes a value read from a column of this kind, never NULL. */
  decode(kind: Kind): (value: unknown) => unknown
  /**
   * Does the part of `encode` that takes long for a text of megabytes, in turns with other work on the event loop.
   * `encode` takes what this returns instead of the text.
   */
  packed(text: string): Promise<unknown>
  /** The same for `decode`, which takes what this returns instead of a value read from a text column. */
  unpacked(value: unknown): Promise<unknown>
  /** How many bytes a text or the bytes of a column have, once they are read. */
  octets(column: string): string

  /**
   * The end of a condition: the column before it is in a list, which is one parameter made by `list`. A list of ids
   * stands beside `unindexed` of the project, so that no index of the project's rows seems as good as that of the ids.
   * Where a project and a list of addresses are one key, it is `eachOf`.
   */
  listed(kind: Kind): string
  list(values: readonly unknown[]): unknown
  /**
   * A table expression over the rows of a project whose address is in a list, each looked up by the unique index of
   * both. Its parameters are the project and a list without repetitions.
   */
  eachOf(table: string): string
  /**
   * A table expression over given rows with these columns, and its parameters for encoded rows. A statement joined to
   * it does for hundreds of rows what it would do for one. `same` are columns in which all rows agree: their values are
   * parameters before those of the rows.
   */
  given(columns: readonly GivenColumn[], same?: readonly GivenColumn[]): string
  givenParams(columns: readonly GivenColumn[], rows: readonly Params[]): Params
  /** An insert into all these columns, optionally with an `on conflict` clause. */
  insert(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert
  /** The same for many short rows without bytes, in one statement, which makes triggers cheaper. */
  insertShort(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert
  /** An insert like `insert`, whose rows all agree in the columns `same`; undefined where that saves nothing. */
  readonly insertAlike:
    | ((table: string, columns: readonly GivenColumn[], same: readonly GivenColumn[], onConflict: string) => BulkInsert)
    | undefined

  /**
   * A condition: the text contains the parameter, ignoring case beyond ASCII, too. The parameter is taken literally and
   * must be in lower case.
   */
  contains(expression: string): string
  /** Like `contains`, for a text stored in lower case, so that no row has to be converted. */
  includes(expression: string): string

  /** Expressions about one key of a JSON column. Each has one parameter, made by `keyPath`. */
  at(json: string): JsonKey
  valuesAt(json: string): JsonValues
  keyPath(key: string): string

  /** A condition: the text contains this part. NULL only if the text is. */
  hasPart(text: Sql, part: Part): Sql
  /** A condition, never NULL, on the value at a path of keys in a JSON column, through objects only. */
  valueTest(column: string, path: readonly string[], test: ValueTest): Sql

  /** The quarter of an hour, counted from 1970, that a column's moment lies in. */
  quarterOf(column: string): string

  /** The first statement of a transaction all of which sees one moment; empty where every transaction does. */
  readonly snapshot: string

  /**
   * A JSON array with one more value at its end, and the first one left out when it has `most`. Both are JSON; NULL is
   * an array of none, or no value.
   */
  appended(array: string, value: string, most: number): string

  /** A condition: the column equals the parameter. It is checked row by row, without an index. */
  unindexed(column: string): string
  /** A table, optionally with an alias, read by this index where the database would choose badly. */
  byIndex(table: string, index: string, alias?: string): string
  /** The end of a select: locks this table's rows until the transaction ends. */
  lockRows(table: string): string
  /**
   * The end of a select: until the transaction ends, no other transaction locks this table's rows; writes that take no
   * lock may go on.
   */
  keepRows(table: string): string
  /** A condition: rows of this table where `condition` holds and which no other transaction has locked. */
  free(table: string, condition: string): string
  /** Like `free`, but only the first rows in this order. One more parameter, after the condition's, says how many. */
  firstFree(table: string, condition: string, order: string): string

  /**
   * The slot of the counters that this connection writes, as an expression. Connections that write at the same time
   * have different ones where they can, so as not to wait for each other.
   */
  readonly counterSlot: string
  /** Whether triggers count contacts as they are inserted, once for all rows of a statement; else ContactTable does. */
  readonly countsContacts: boolean

  /**
   * Into how many transactions a change of many neighbouring rows is divided: with four, each changes every fourth row.
   * Where a changed row is written anew, it takes the room that one of the transaction before has left, and stays on its
   * page. On another page, every index would need its new place.
   */
  readonly partsOfRewrite: number
  /**
   * How many mails and how many events retention changes in one go; a pause follows, as long as that took. All others wait
   * meanwhile where there is one connection that writes.
   */
  readonly strides: { readonly mails: number; readonly events: number }

  /** An expression: how many bytes the database takes. */
  readonly databaseBytes: string

  /**
   * A table expression: the newest mails whose words have one of these scopes and all of the terms, with `email_id` and
   * `score`, the higher the better. It looks at no more of them than can be ranked at once.
   */
  searchMails(terms: readonly SearchTerm[], scopes: readonly string[]): Sql
  /** A condition: the mail with this id is in the index. */
  isSearched(emailId: string): string
  /** Run before words are erased, so that they are gone from the files of the index, too; undefined where nothing is needed. */
  readonly forgetWords: string | undefined

  /** Whether a unique index refused the write. */
  isTaken(error: unknown): boolean
  /** Whether this transaction lost a race with another process. It may succeed when run again. */
  isConflict(error: unknown): boolean
  /** Whether the database cannot be reached or cannot write. */
  isUnavailable(error: unknown): boolean
}
