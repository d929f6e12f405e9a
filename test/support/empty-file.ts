import { createRequire } from 'node:module'

interface Connection {
  prepare(sql: string): { all(): readonly { readonly name: string }[] }
  exec(sql: string): void
  close(): void
}

/** The library of the store: another one in the same process would take its locks from it (see sqlite.org/howtocorrupt, 2.2.1). */
const Connection: new (file: string) => Connection = createRequire(import.meta.resolve('@mikro-orm/sqlite'))(
  'better-sqlite3',
)

/** Deletes every row of the store's tables in this file, as often as it is asked, through a connection of its own. */
export function emptier(file: string): { empty(): void; close(): void } {
  const connection = new Connection(file)
  connection.exec('pragma foreign_keys = off')
  const tables = connection
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'mailwright_migrations'",
    )
    .all()
  const deletes = tables.map(({ name }) => `delete from "${name}"`)
  const sql = ['begin immediate', ...deletes, 'delete from tallies', 'commit'].join(';')
  return { empty: () => connection.exec(sql), close: () => connection.close() }
}
