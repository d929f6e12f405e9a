import { Client } from 'pg'

/** Deletes all rows of the store's tables in this database whenever asked, over its own connection. */
export async function emptier(url: string): Promise<{ empty(): Promise<void>; close(): Promise<void> }> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident("tablename") as "name" from "pg_tables"
      where "schemaname" = 'mailwright' and "tablename" <> 'mailwright_migrations'`,
  )
  const deletes = rows.map(({ name }) => `delete from ${name}`)
  const sql = [...deletes, 'delete from tallies'].join('; ')
  return {
    empty: async () => {
      await client.query(sql)
    },
    close: () => client.end(),
  }
}
