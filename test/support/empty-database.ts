import { Client } from 'pg'

/** Deletes all rows of the store's tables in this database whenever asked, over its own connection. */
export async function emptier(url: string): Promise<{ empty(): Promise<void>; close(): Promise<void> }> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident("tablename") as "name" from "pg_tables"
      where "schemaname" = 'mailwright' and "tablename" <> 'mailwright_migrations'`,
  )
  // most are empty, and to see that takes less than to delete from them
  const deletes = rows.map(({ name }) => `if exists (select from ${name}) then delete from ${name}; end if;`)
  // a function of this connection alone, which plans each statement once: that takes longer than to find a table empty
  await client.query(
    `create function pg_temp.empty_all() returns void language plpgsql as $$
      begin ${deletes.join(' ')} delete from tallies; end $$`,
  )
  return {
    empty: async () => {
      await client.query('select pg_temp.empty_all()')
    },
    close: () => client.end(),
  }
}
