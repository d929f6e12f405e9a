import { Pool, type PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownPool } from '../../plugins/store-postgres/lender.ts'
import { PostgresDatabase } from '../../plugins/store-postgres/postgres-database.ts'
import { postgresDialect } from '../../plugins/store-postgres/postgres-dialect.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const INSERT = 'insert into "engine_secrets" ("name", "value", "created_at") values (?, ?, now())'
const CHANGE = 'update "engine_secrets" set "value" = ? where "name" = ?'

// nothing else sees how often a write waits for the network
describe('a write of one statement, on PostgreSQL', () => {
  it('is sent alone, and in a transaction where the settings come with each', async () => {
    const { database, sent } = await open()
    await database.writeOnce((session) => session.run(INSERT, ['one', 'a']))
    expect(sent.splice(0)).toEqual([expect.stringMatching(/^insert into "engine_secrets"/)])
    await database.write((session) => session.run(CHANGE, ['b', 'one']))
    expect(sent).toHaveLength(3)
    const pooled = await open('set local search_path to mailwright')
    await pooled.database.writeOnce((session) => session.run(INSERT, ['two', 'a']))
    expect(pooled.sent).toHaveLength(3)
  })

  it('refuses a second statement, which would be a transaction of its own', async () => {
    const { database } = await open()
    const twice = database.writeOnce(async (session) => {
      await session.run(INSERT, ['one', 'a'])
      await session.run(INSERT, ['two', 'a'])
    })
    await expect(twice).rejects.toThrow('writeOnce() runs one statement')
    const several = database.writeOnce((session) =>
      session.runEach(INSERT, [
        ['three', 'a'],
        ['four', 'a'],
      ]),
    )
    await expect(several).rejects.toThrow('writeOnce() runs one statement')
    const [row] = await database.read((session) => session.all('select count(*) as "count" from "engine_secrets"', []))
    expect(row).toEqual({ count: '1' })
  })

  it('runs again when PostgreSQL ended it so that another could go on', async () => {
    const { database } = await open()
    for (const name of ['one', 'two']) await database.writeOnce((session) => session.run(INSERT, [name, 'a']))
    // it waits for "two", which waits for "one", which it holds: one of them is undone
    const both =
      'with "first" as (update "engine_secrets" set "value" = ? where "name" = \'one\' returning pg_sleep(0.3))'
    const onward = `${both} update "engine_secrets" set "value" = (select count(*) from "first") || ? where "name" = 'two'`
    const backward = database.write(async (session) => {
      await session.run(CHANGE, ['other', 'two'])
      await session.all('select pg_sleep(0.3)', [])
      await session.run(CHANGE, ['other', 'one'])
    })
    const forward = database.writeOnce((session) => session.run(onward, ['x', 'y']))
    await expect(Promise.all([backward, forward])).resolves.toEqual([undefined, 1])
  })
})

async function open(settings?: string): Promise<{ database: PostgresDatabase; sent: string[] }> {
  const pool = new Pool({ connectionString: await freshDatabase(), max: 4 })
  onTestFinished(() => pool.end())
  const sent: string[] = []
  const lender = ownPool(pool, settings)
  const watched = {
    ...lender,
    async connect() {
      const client: PoolClient = await lender.connect()
      const { query } = client
      const note = (statement: string | { readonly text: string }) =>
        void sent.push(typeof statement === 'string' ? statement : statement.text)
      Object.assign(client, {
        query: (...given: Parameters<typeof query>) => {
          note(given[0] as unknown as string)
          return Reflect.apply(query, client, given)
        },
      })
      return client
    },
    giveBack(client: PoolClient, failed: boolean) {
      Reflect.deleteProperty(client, 'query')
      lender.giveBack(client, failed)
    },
  }
  const limits = { maxConnections: 4, statementTimeoutSeconds: 30, readTimeoutSeconds: 30 }
  const found = { name: '', schema: 'mailwright', isThere: true, isPooled: false, lower: '' }
  return { database: new PostgresDatabase(watched, postgresDialect(''), limits, found), sent }
}
