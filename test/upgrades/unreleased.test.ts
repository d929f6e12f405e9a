import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM as Postgres } from '@mikro-orm/postgresql'
import { MikroORM as Sqlite } from '@mikro-orm/sqlite'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { type Plugin, silentLog, systemClock } from '../../config/library.ts'
import type { KnownMigration } from '../../plugins/kit/sql/engine/known-names.ts'
import { MIGRATIONS, migrate, migrationSettings } from '../../plugins/kit/sql/engine/migrate.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { migrations as ofPostgres } from '../../plugins/store-postgres/migrations/all.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { migrations as ofSqlite } from '../../plugins/store-sqlite/migrations/all.ts'
import { bareDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'

/** A database with the tables of unreleased versions, and the names by which they had made them. */
interface Unreleased {
  readonly store: Plugin<'store'>
  readonly known: readonly KnownMigration[]
  run(sql: string): Promise<readonly object[]>
}

const NAME = '0031-version-0.2'
const upTo = (known: readonly KnownMigration[]) => known.filter(({ name }) => name <= NAME)
const joinsOf = (known: readonly KnownMigration[]) => known.find(({ name }) => name === NAME)?.joins ?? expect.fail()
const withoutEntities = { entities: [], discovery: { warnWhenNoEntities: false }, extensions: [Migrator] }

const KINDS: Readonly<Record<'sqlite' | 'postgres', () => Promise<Unreleased>>> = {
  sqlite: async () => {
    const dbName = join(freshFolder(), 'mail.db')
    const orm = new Sqlite({ dbName, ...withoutEntities, migrations: migrationSettings(upTo(ofSqlite)) })
    await migrate(orm, upTo(ofSqlite))
    await orm.close(true)
    const run = async (sql: string) => {
      const database = new DatabaseSync(dbName)
      const rows = database.prepare(sql).all()
      database.close()
      return rows
    }
    return { store: sqlite({ file: dbName }), known: ofSqlite, run }
  },
  postgres: async () => {
    const url = await bareDatabase()
    const orm = new Postgres({ clientUrl: url, ...withoutEntities, migrations: migrationSettings(upTo(ofPostgres)) })
    await migrate(orm, upTo(ofPostgres))
    await orm.close(true)
    const run = async (sql: string) => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(sql)
      await client.end()
      return rows
    }
    return { store: postgres({ url }), known: ofPostgres, run }
  },
}

describe.each(['sqlite', 'postgres'] as const)('a database of an unreleased version on %s', (kind) => {
  it('goes on under the one migration that joins those it has had', async () => {
    const { store, known, run } = await KINDS[kind]()
    await noting(run, joinsOf(known))
    const id = '01990000-0000-7000-8000-000000000001'
    await run(`insert into merged_contacts (contact_id, project_id, into_id) values ('${id}', '${id}', '${id}')`)
    const later = known.map(({ name }) => name).filter((name) => name > NAME)
    expect(await store.schemaState?.()).toMatchObject({ pending: later, unknown: [], isBeingCopied: false })
    for (const _start of ['first', 'second']) {
      const opened = await store.open({ log: silentLog, clock: systemClock })
      await opened.store.check()
      await opened.close?.()
      expect(await namesIn(run)).toEqual(known.map(({ name }) => name))
    }
    expect(await run('select contact_id from merged_contacts')).toEqual([{ contact_id: id }])
  })

  it('that stops in the middle is refused with what to do, and stays as it is', async () => {
    const { store, known, run } = await KINDS[kind]()
    const joins = joinsOf(known)
    await noting(run, joins.slice(0, -2))
    const before = await namesIn(run)
    const says = `unreleased version.* up to ${joins.at(-3)}; the 2 that came after .*Start commit 56129ea8 .*Nothing was changed`
    const refusal = { code: 'STORE_NEWER', message: expect.stringMatching(new RegExp(says)) }
    await expect(store.open({ log: silentLog, clock: systemClock })).rejects.toMatchObject(refusal)
    await expect(store.schemaState?.()).rejects.toMatchObject(refusal)
    expect(await namesIn(run)).toEqual(before)
  })

  it('that a newer version has written besides is refused, with the names it has', async () => {
    const { store, known, run } = await KINDS[kind]()
    await noting(run, [...joinsOf(known), '9999-later'])
    const before = await namesIn(run)
    await expect(store.open({ log: silentLog, clock: systemClock })).rejects.toThrow('it has the migration 9999-later')
    expect(await namesIn(run)).toEqual(before)
  })
})

/** Writes these names in the place of the one migration. */
async function noting(run: Unreleased['run'], names: readonly string[]): Promise<void> {
  await run(`delete from ${MIGRATIONS} where name = '${NAME}'`)
  await run(`insert into ${MIGRATIONS} (name) values ${names.map((name) => `('${name}')`).join(', ')}`)
}

async function namesIn(run: Unreleased['run']): Promise<readonly unknown[]> {
  const rows = await run(`select name from ${MIGRATIONS} order by id`)
  return rows.map((row) => 'name' in row && row.name)
}
