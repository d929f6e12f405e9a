import { Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { migrate, migrationSettings } from '../../plugins/kit/sql/engine/migrate.ts'
import { progressIn } from '../../plugins/store-postgres/open-database.ts'
import { bareDatabase } from '../support/fresh-database.ts'

it('tells how far an index is while a migration makes it', async () => {
  const url = await bareDatabase()
  const first = [{ name: '0001-rows', class: Rows }]
  const all = [...first, { name: '0002-index', class: Index }]
  for (const list of [first, all]) {
    const orm = new MikroORM({
      clientUrl: url,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: migrationSettings(list, 'public'),
    })
    onTestFinished(() => orm.close(true))
    const lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[] = []
    const info = (message: string, fields?: Readonly<Record<string, unknown>>) => void lines.push({ message, fields })
    await migrate(orm, list, { log: { ...silentLog, info }, progress: () => progressIn(orm), stillMs: 10 })
    if (list === first) continue
    const still = lines.flatMap(({ message, fields }) => (message.endsWith('still runs') ? [fields] : []))
    expect(still).toContainEqual({
      migration: '0002-index',
      seconds: expect.any(Number),
      table: 'large',
      phase: expect.stringMatching(/^building index/),
      done: expect.stringMatching(/^\d+ %$/),
    })
    // nothing is said of it once it has run
    expect(lines.at(-1)?.message).toBe('a migration of the database has run')
  }
})

class Rows extends Migration {
  override up(): void {
    this.addSql(`create table "large" as select i, md5(i::text) as "text" from generate_series(1, 400000) as n(i)`)
  }
}

class Index extends Migration {
  override up(): void {
    this.addSql('create index "large_by_text" on "large" ("text", "i")')
  }
}
