import type { SqliteClient } from './sqlite-client.ts'
import { openReadOnly } from './sqlite-driver.ts'

/**
 * Reads the schema and the first and last row of every table from the file: over a new connection, because one that is open has
 * what it read before in memory. Throws SQLite's error when they cannot be read. Takes a few milliseconds.
 */
export function readPages(path: string): void {
  const client = openReadOnly(path, 0)
  try {
    for (const { table, key } of tablesOf(client)) {
      for (const direction of ['asc', 'desc']) {
        client.prepare(`select * from "${table}" order by "${key}" ${direction} limit 1`).all([])
      }
    }
  } finally {
    client.close()
  }
}

/** Every table with the first column of its key, whose index leads to both ends. */
function tablesOf(client: SqliteClient): readonly { readonly table: string; readonly key: string }[] {
  const sql = `select t."name" as "table", c."name" as "key" from pragma_table_list as t
    join pragma_table_info(t."name") as c on c."pk" = 1
    where t."schema" = 'main' and t."type" = 'table' and t."name" not like 'sqlite%'`
  return client
    .prepare(sql)
    .all([])
    .map(({ table, key }) => ({ table: String(table), key: String(key) }))
}
