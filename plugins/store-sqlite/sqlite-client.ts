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

/** The result code of an SQLite error, such as `SQLITE_BUSY`; undefined for any other error. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')) return error.code
  return sqliteCode(error.cause ?? ('previous' in error ? error.previous : undefined))
}

/** The codes of statements that we ended ourselves, besides SQLite's own. */
export const STOPPED = { late: 'READ_LATE', closed: 'READ_CLOSED' } as const
