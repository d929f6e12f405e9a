import { createRequire } from 'node:module'
import { until } from './until.ts'

interface Connection {
  prepare(sql: string): { all(): readonly { readonly name: string }[]; run(): void }
  exec(sql: string): void
  close(): void
}

/**
 * The store's own library: another one in the same process would release its locks (sqlite.org/howtocorrupt, 2.2.1).
 */
const Connection: new (file: string, options: { readonly timeout: number }) => Connection = createRequire(
  import.meta.resolve('@mikro-orm/sqlite'),
)('better-sqlite3')

/** Deletes all rows of the store's tables in this file whenever asked, over its own connection. */
export function emptier(file: string): { empty(): Promise<void>; close(): void } {
  // the lock's holder is in this process and needs the event loop to release it, so waiting must not block
  const connection = new Connection(file, { timeout: 0 })
  connection.exec('pragma foreign_keys = off; pragma synchronous = off')
  // triggers keep the index of mails, whose own tables may not be written
  const tables = connection
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'mailwright_migrations'
        and name not like 'mail_search%' and name <> 'searched_mails'`,
    )
    .all()
  // compiled once: with what their triggers do, that takes longer than to find a table empty
  const names = tables.map(({ name }) => name)
  const deletes = new Map(names.map((name) => [name, connection.prepare(`delete from "${name}"`)]))
  // most are empty, and to ask all of them at once takes less than to delete from each
  const written = connection.prepare(
    names.map((name) => `select '${name}' as name where exists (select 1 from "${name}")`).join(' union all '),
  )
  const begin = () => {
    try {
      connection.exec('begin immediate')
      return true
    } catch (error) {
      if (String(error).includes('locked')) return false
      throw error
    }
  }
  return {
    empty: async () => {
      await until('nobody writes to the file', begin)
      // again, since triggers write to tables when rows of others go
      for (let rows = written.all(); rows.length > 0; rows = written.all())
        for (const { name } of rows) deletes.get(name)?.run()
      connection.exec('commit')
    },
    close: () => connection.close(),
  }
}
