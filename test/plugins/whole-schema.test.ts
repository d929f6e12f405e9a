import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { migrateFile, schemaByMigrations, withOrm } from '../../plugins/store-sqlite/migrate-file.ts'
import { migrations } from '../../plugins/store-sqlite/migrations/all.ts'
import { WHOLE_SCHEMA } from '../../plugins/store-sqlite/migrations/whole-schema.ts'
import { MEMORY } from '../../plugins/store-sqlite/open-file.ts'
import type { SqliteClient } from '../../plugins/store-sqlite/sqlite-client.ts'
import { openPlain } from '../../plugins/store-sqlite/sqlite-driver.ts'

/**
 * The schema that a new file gets in one go. After a new migration, `npx vitest run test/plugins/whole-schema.test.ts
 * -u` writes it.
 */
it('is in the repository as the migrations make it', async () => {
  const sql = await withOrm(MEMORY, schemaByMigrations)
  // packed, since the package has it twice; another zlib may pack the same text in another way
  const isSame = inflateRawSync(Buffer.from(WHOLE_SCHEMA.packed, 'base64')).toString() === sql
  const packed = isSame ? WHOLE_SCHEMA.packed : deflateRawSync(sql, { level: 9 }).toString('base64')
  const text = `/* Written by: npx vitest run test/plugins/whole-schema.test.ts -u */

/** The statements that the migrations make of an empty database. */
export const WHOLE_SCHEMA = {
  last: '${migrations.at(-1)?.name}',
  packed: '${packed}',
}
`
  await expect(text).toMatchFileSnapshot('../../plugins/store-sqlite/migrations/whole-schema.ts')
})

it('makes the same database as the migrations one by one: tables, indexes, triggers, rows, and what is set', async () => {
  const whole = openPlain(MEMORY)
  onTestFinished(() => void whole.close())
  expect(await migrateFile(whole, MEMORY)).toBe(true)
  const expected = await withOrm(MEMORY, async (orm) => {
    await schemaByMigrations(orm)
    return contents(await orm.em.getDriver().getConnection().getNativeClient())
  })
  expect(Object.keys(expected).length).toBeGreaterThan(250)
  expect(contents(whole)).toEqual(expected)
  const names = whole.prepare('select "name" from "mailwright_migrations" order by "id"').all([])
  expect(names).toEqual(migrations.map(({ name }) => ({ name })))
  // and is whole already for a start that comes after it
  expect(await migrateFile(whole, MEMORY)).toBe(false)
})

/**
 * The objects under each name, each table's rows with them, and the settings of the file. Quotes and times may differ.
 */
function contents(client: SqliteClient): Readonly<Record<string, unknown>> {
  const alike = (text: unknown) => String(text).replaceAll('`', '"')
  const objects = client.prepare('select "type", "name", "tbl_name", "sql" from "sqlite_schema"').all([])
  const found: Record<string, unknown> = {}
  for (const pragma of ['page_size', 'encoding', 'auto_vacuum', 'user_version', 'application_id']) {
    found[pragma] = client.pragma(pragma)
  }
  for (const { type, name, tbl_name, sql } of objects) {
    const rows = type === 'table' ? client.prepare(`select * from "${name}"`).all([]) : []
    found[`${type} ${name}`] = {
      on: tbl_name,
      sql: alike(sql),
      rows: rows.map(({ executed_at: at, ...row }) => ({ ...row, ...(at === undefined ? {} : { at: typeof at }) })),
    }
  }
  return found
}
