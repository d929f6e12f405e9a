import type { SqliteClient } from './sqlite-client.ts'
import { openReadOnly } from './sqlite-driver.ts'

/**
 * Reads the schema and the first and last row of every table from the file. It uses a new connection, because an open
 * one has in memory what it read before. Throws SQLite's error when they cannot be read. Takes a few milliseconds.
 */
export function readPages(path: string): void {
  const client = openReadOnly(path, 0)
  try {
    for (const { table, key, last } of tablesOf(client)) {
      for (const direction of ['asc', 'desc']) {
        // the type of a value shows that its row is there, without reading a file of megabytes in it
        client.prepare(`select typeof("${last}") from "${table}" order by "${key}" ${direction} limit 1`).all([])
      }
    }
  } finally {
    client.close()
  }
}

/**
 * Every table with its key's first column, whose index leads to both ends, and its last column, which is in no index.
 */
function tablesOf(client: SqliteClient): readonly Record<string, unknown>[] {
  const sql = `select t."name" as "table", k."name" as "key", l."name" as "last" from pragma_table_list as t
    join pragma_table_info(t."name") as k on k."pk" = 1
    join pragma_table_info(t."name") as l on l."cid" = t."ncol" - 1
    where t."schema" = 'main' and t."type" = 'table' and t."name" not like 'sqlite%'`
  return client.prepare(sql).all([])
}
