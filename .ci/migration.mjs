// Writes a migration for each database, from what the entities have and the migrations do not make yet:
//   npm run migration topic-notes "Topics have a note for the team."
// Triggers, functions and changes of rows are written into it by hand.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM as Postgres } from '@mikro-orm/postgresql'
import { MikroORM as Sqlite } from '@mikro-orm/sqlite'
import { migrationSettings } from '../plugins/kit/sql/engine/migrate.ts'
import { entities, UNMAPPED_TABLES } from '../plugins/kit/sql/engine/tables.ts'
import { migrations } from '../plugins/store-postgres/migrations/all.ts'
import { sortByBytes } from '../plugins/store-postgres/open-database.ts'
import { schemaByMigrations, withOrm } from '../plugins/store-sqlite/migrate-file.ts'
import { startPostgres } from '../test/support/postgres.ts'

const [name = '', sentence] = process.argv.slice(2)
if (!/^[a-z]+(-[a-z0-9]+)*$/.test(name) || !sentence) {
  console.error('Usage: npm run migration <name-in-lower-case> "<What changes, and why.>"')
  process.exit(2)
}

const folderOf = (store) => `plugins/store-${store}/migrations`
const className = name.replaceAll(/(?:^|-)(\w)/g, (_whole, letter) => letter.toUpperCase())
const number = numberAfter(Object.values({ sqlite: 'sqlite', postgres: 'postgres' }).map(folderOf))
const missing = { sqlite: await missingOnSqlite(), postgres: await missingOnPostgres() }
if (Object.values(missing).every((statements) => statements.length === 0)) {
  console.error('The migrations make all that the entities have: there is nothing to write.')
  process.exit(1)
}
for (const [store, statements] of Object.entries(missing)) write(store, statements)
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'main', 'test/plugins/whole-schema.test.ts', '-u']
execFileSync(process.execPath, vitest, { stdio: 'inherit' })

function numberAfter(folders) {
  const numbers = folders.flatMap((folder) => readdirSync(folder)).map((file) => Number.parseInt(file, 10))
  return String(Math.max(...numbers.filter(Number.isInteger)) + 1).padStart(4, '0')
}

async function missingOnSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-migration-'))
  const dbName = join(folder, 'file.db')
  await withOrm(dbName, schemaByMigrations)
  const orm = new Sqlite({ dbName, entities, schemaGenerator: { skipTables: [...UNMAPPED_TABLES] } })
  const statements = await statementsOf(orm)
  await orm.close()
  rmSync(folder, { recursive: true })
  return statements
}

async function missingOnPostgres() {
  const server = await startPostgres()
  const orm = new Postgres({
    clientUrl: await server.database(),
    entities,
    extensions: [Migrator],
    discovery: { afterDiscovered: sortByBytes },
    schemaGenerator: { skipTables: [...UNMAPPED_TABLES] },
    migrations: migrationSettings(migrations),
  })
  await orm.migrator.up()
  const statements = await statementsOf(orm)
  await orm.close()
  await server.stop()
  return statements
}

/** Entities know nothing of triggers and functions, nor of the table of the migrations. */
async function statementsOf(orm) {
  const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false })
  const all = sql.split('\n').map((line) => line.trim().replace(/;$/, ''))
  return all.filter((line) => line !== '' && !/^drop (?:trigger|function)|mailwright_migrations/.test(line))
}

function write(store, statements) {
  const isPostgres = store === 'postgres'
  const lines = statements.map((sql) => `    this.addSql(\`${sql.replaceAll('`', '"')}\`)\n`)
  const code = `import { Migration } from '@mikro-orm/migrations'
${isPostgres ? "import { NO_TIMEOUT } from './no-timeout.ts'\n" : ''}
/** ${sentence} */
export class ${className} extends Migration {
  override up(): void {
${isPostgres ? '    this.addSql(NO_TIMEOUT)\n' : ''}${lines.join('')}  }
}
`
  const folder = folderOf(store)
  writeFileSync(`${folder}/${number}-${name}.ts`, code)
  const list = readFileSync(`${folder}/all.ts`, 'utf8')
    .replace(/(import [^\n]*\n)(?!import )/, `$1import { ${className} } from './${number}-${name}.ts'\n`)
    .replace(/\n\]/, `\n  { name: '${number}-${name}', class: ${className} },\n]`)
  writeFileSync(`${folder}/all.ts`, list)
  console.log(`${folder}/${number}-${name}.ts`)
}
