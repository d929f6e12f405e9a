/** The part of better-sqlite3 that is used here. MikroORM brings it without types. */
export interface SqliteClient {
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  pragma(text: string): unknown
  function(name: string, options: { deterministic: boolean }, run: (...values: unknown[]) => unknown): void
  readonly inTransaction: boolean
}

export interface SqliteStatement {
  /** True for statements that answer rows. */
  readonly reader: boolean
  all(params: readonly unknown[]): Record<string, unknown>[]
  run(params: readonly unknown[]): { readonly changes: number }
}

/** A handle of a database as better-sqlite3 makes it: the part that a host's own transaction needs. */
export interface HostHandle {
  /** Runs statements without values, such as `begin immediate` and `commit`. */
  exec(sql: string): unknown
  prepare(sql: string): HostStatement
  /** Whether a transaction is open. */
  readonly inTransaction: boolean
  readonly open: boolean
  close(): void
}

/** A prepared statement; its values stand in the order of the question marks. */
export interface HostStatement {
  /** The rows. */
  all(...values: unknown[]): unknown[]
  /** The first row, or undefined. */
  get(...values: unknown[]): unknown
  /** For statements that answer no rows. */
  run(...values: unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
}

/** The result code of an SQLite error, such as `SQLITE_BUSY`; undefined for any other error. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')) return error.code
  return sqliteCode(error.cause ?? ('previous' in error ? error.previous : undefined))
}

/** The codes of statements that we ended ourselves, besides SQLite's own. */
export const STOPPED = { late: 'READ_LATE', closed: 'READ_CLOSED' } as const
