import { Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { migrate, migrationSettings } from '../../plugins/kit/sql/engine/migrate.ts'
import { entities, UNMAPPED_TABLES } from '../../plugins/kit/sql/engine/tables.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { migrations } from '../../plugins/store-postgres/migrations/all.ts'
import { NO_TIMEOUT } from '../../plugins/store-postgres/migrations/no-timeout.ts'
import { sortByBytes } from '../../plugins/store-postgres/open-database.ts'
import { at, email, event, newProjectId, project, put, putContact, template } from '../contracts/store/records.ts'
import { bareDatabase, freshDatabase } from '../support/fresh-database.ts'
import { freePort } from '../support/server-process.ts'

describe('the database of the PostgreSQL store', () => {
  it('has the schema the entities describe, and has it from the migrations', async () => {
    const orm = await openOrm(await bareDatabase())
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('create table "emails"')
    await migrate(orm, migrations)
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    await orm.em.execute(
      'drop index "emails_due"; alter table "contacts" alter column "email" type text collate "und-x-icu"',
    )
    const missing = await orm.schema.getUpdateSchemaSQL()
    expect(missing).toContain('emails_due')
    expect(missing).toContain('collate "C"')
  })

  it('is brought up to date by one of several processes that open it at once', async () => {
    const url = await bareDatabase()
    const lines: string[] = []
    const log = { ...silentLog, info: (message: string) => void lines.push(message) }
    const stores = await Promise.all(Array.from({ length: 4 }, () => open({ url }, log)))
    for (const { store } of stores) await store.projects.save(project())
    for (const { store } of stores) expect(await store.projects.list()).toHaveLength(4)
    expect(lines).toContain('another process is opening the database; waiting for it')
    const { rows } = await query(url, 'select name from mailwright_migrations order by id')
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  })

  it('of a newer version is refused and stays as it is', async () => {
    const url = await freshDatabase()
    await (await open({ url })).close()
    await query(url, `insert into mailwright_migrations ("name") values ('9999-from-the-future')`)
    const before = await shapeOf(url)
    const refused = { code: 'STORE_NEWER', message: expect.stringMatching(/^.*9999-from-the-future.*$/) }
    await expect(open({ url })).rejects.toMatchObject(refused)
    expect(await shapeOf(url)).toEqual(before)
  })

  it('tells which migrations it has and which wait, and makes neither a table nor a schema for that', async () => {
    const url = await bareDatabase()
    const look = async (schema?: string) => postgres({ url, ...(schema && { schema }) }).schemaState?.()
    const before = await shapeOf(url)
    const names = migrations.map(({ name }) => name)
    const nothing = { applied: [], pending: names, unknown: [], isBeingCopied: false }
    expect([await look(), await look('mail')]).toEqual([nothing, nothing])
    expect(await shapeOf(url)).toEqual(before)
    expect((await query(url, `select 1 from pg_namespace where nspname = 'mail'`)).rows).toEqual([])
    await open({ url, schema: 'mail' })
    const found = await look('mail')
    expect(found).toMatchObject({ applied: names.map((name) => ({ name })), pending: [] })
    expect(found?.applied[0]?.at.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(await look()).toEqual(nothing)
    const wrong = new URL(url)
    wrong.password = 'wrong-s3cret'
    await expect(postgres({ url: wrong.href }).schemaState?.()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('keeps nothing of migrations one of which fails, and says which in one line', async () => {
    const url = await freshDatabase()
    await (await open({ url })).close()
    const before = await shapeOf(url)
    const orm = await openOrm(url, FAILING, 'mailwright')
    await expect(migrate(orm, FAILING)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(
        /^The database could not .* 0003-broken failed: .*"nowhere" does not exist\. Nothing was changed\.$/,
      ),
    })
    expect(await shapeOf(url)).toEqual(before)
    await (await open({ url })).store.check()
  })

  it('lets every migration take its time', async () => {
    // some read what is there before they write their statements
    const url = await bareDatabase()
    await (await open({ url })).close()
    const orm = await openOrm(url)
    for (const { class: made } of migrations) {
      const steps = Reflect.construct(made, [orm.em.getDriver(), orm.config]) as Migration
      await steps.up()
      expect(steps.getQueries()[0]).toBe(NO_TIMEOUT)
    }
  })

  it('may have its tables in a schema of their own', async () => {
    const url = await bareDatabase()
    const [mine, other] = [await open({ url, schema: 'mail' }), await open({ url, schema: 'other' })]
    await mine.store.projects.save(project())
    await put(mine.store, newProjectId(), { emails: [email(newProjectId())] })
    expect(await other.store.projects.list()).toEqual([])
    const { rows } = await query(
      url,
      `select schemaname, count(*)::int from pg_tables where tablename = 'emails' or
      tablename = 'mailwright_migrations' group by 1 order by 1`,
    )
    expect(rows).toEqual([
      { schemaname: 'mail', count: 2 },
      { schemaname: 'other', count: 2 },
    ])
    await mine.close()
    expect(await (await open({ url, schema: 'mail' })).store.projects.list()).toHaveLength(1)
  })

  it('is let go of when the store is closed', async () => {
    const url = await freshDatabase()
    const { store, close } = await open({ url, maxConnections: 4 })
    await Promise.all(Array.from({ length: 20 }, () => store.projects.list()))
    expect(await sessions(url)).toBeGreaterThan(0)
    expect(await sessions(url)).toBeLessThanOrEqual(4)
    await close()
    await expect.poll(() => sessions(url)).toBe(0)
  })

  it('answers in the order of bytes, whatever language it was made for', async () => {
    const { store } = await open({ url: await freshDatabase() })
    const projectId = newProjectId()
    const words = ['a-b', 'a_b', 'ab', 'A', 'Z', 'a', 'z', 'ä', 'é', 'ñ', '_', '1', '10', '2', '日本', '🙂', '\uffee']
    const ada = await putContact(store, projectId, { email: words[0]! })
    for (const address of words.slice(1)) await putContact(store, projectId, { email: address })
    await store.events.record(words.map((name) => event(projectId, ada.id, { name })))
    const inBytes = words.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const page = await store.contacts.page(projectId, {}, { sort: 'email', dir: 'asc' }, { limit: 50 })
    expect(page.map(({ email: address }) => address)).toEqual(inBytes)
    expect((await store.events.stats(projectId, {})).map(({ name }) => name)).toEqual(inBytes)
  })

  it('finds text of every script without looking at upper and lower case', async () => {
    const { store } = await open({ url: await freshDatabase() })
    const projectId = newProjectId()
    const names = ['ÄRGER im Büro', 'ΟΔΟΣ', 'İstanbul', 'STRASSE', 'Straße', 'ПРИВЕТ', 'ＦＵＬＬ']
    for (const name of names) await store.templates.insert(template(projectId, { name }))
    for (const search of [
      'ärger',
      'ΟΔΌΣ',
      'οδος',
      'İS',
      'strasse',
      'STRASSE',
      'straße',
      'Привет',
      'ｆull',
      'ｆｕｌｌ',
      '%',
    ]) {
      const found = await store.templates.page(projectId, { search }, { limit: 20 })
      const expected = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()))
      expect(found.map(({ name }) => name).sort()).toEqual(expected.sort())
    }
  })

  it('keeps moments far away as they are', async () => {
    const { store } = await open({ url: await freshDatabase() })
    const projectId = newProjectId()
    const far = [
      '1970-01-01T00:00:00.001Z',
      '0099-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
      '+012345-06-07T08:09:10.011Z',
    ]
    for (const text of far) {
      const mail = email(projectId, { dueAt: new Date(text) })
      await put(store, projectId, { emails: [mail] })
      expect((await store.emails.find(projectId, mail.id))?.dueAt).toEqual(new Date(text))
    }
    expect(await store.emails.expireLeases(new Date(8.64e15))).toBe(0)
  })

  it('ends statements that take too long, and tells it as being unavailable', async () => {
    const url = await freshDatabase()
    // of a busy machine more may be late than what is to be
    const { store } = await open({ url })
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    await store.transaction(async (tx) => {
      await tx.contacts.lock(projectId, ada.id)
      const other = await open({ url, statementTimeoutSeconds: 0.3 })
      const late = other.store.contacts.update({ ...ada, updatedAt: at(1) })
      await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: expect.any(Number) })
      await other.store.check()
    })
    expect(await store.contacts.find(projectId, ada.id)).toEqual(ada)
  })

  it('ends a look at many rows that takes too long, and keeps room for other projects meanwhile', async () => {
    const url = await freshDatabase()
    const { store } = await open({ url, maxConnections: 4, readTimeoutSeconds: 1 })
    const [projectId, other] = [newProjectId(), newProjectId()]
    await putContact(store, projectId)
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin; lock table "events" in access exclusive mode')
    const begun = performance.now()
    const late = Array.from({ length: 5 }, () => store.events.countContacts(projectId, 'a'))
    const refused = late.map((read) => expect(read).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }))
    expect(await store.contacts.count(other, { search: 'x' })).toBe(0)
    await store.check()
    expect(performance.now() - begun).toBeLessThan(900)
    await Promise.all(refused)
    await client.query('rollback')
    expect(await store.events.countContacts(projectId, 'a')).toBe(0)
  })

  it('is down while nothing can be written, though everything can be read', async () => {
    const url = await freshDatabase()
    const { store } = await open({ url })
    await store.check()
    const name = new URL(url).pathname.slice(1)
    await query(url, `alter database "${name}" set default_transaction_read_only = on`)
    const kick =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    await query(url, kick)
    await expect.poll(() => store.projects.list().catch(() => undefined)).toEqual([])
    await expect(store.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await query(url, `begin read write; alter database "${name}" reset default_transaction_read_only; commit`)
    await query(url, kick)
    await expect
      .poll(() =>
        store.check().then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('up')
    expect((await query(url, 'select name from engine_secrets')).rows).toEqual([])
  })

  it('has options whose problems are told before anything is opened', () => {
    const url = 'postgres://u:secret@localhost/db'
    for (const wrong of [
      '',
      'mysql://h/db',
      'secret',
      '/var/lib/mail.db',
      'postgres://h:secret/db',
      'postgres:/h/db',
    ]) {
      const [problem, ...more] = postgres({ url: wrong }).problems()
      expect(problem).toMatchObject({ field: 'url', message: expect.stringContaining('postgres://user:password@') })
      expect(problem?.message).not.toContain('secret')
      expect(more).toEqual([])
    }
    expect(postgres({ url, maxConnections: 1 }).problems()).toMatchObject([{ field: 'maxConnections' }])
    expect(postgres({ url, schema: 'a"b' }).problems()).toMatchObject([{ field: 'schema' }])
    expect(postgres({ url, ...{ sycnhronous: true } }).problems()).toMatchObject([{ field: 'sycnhronous' }])
    expect(postgres({ url, ssl: { ca: 'x', rejectUnauthorized: false } }).problems()).toEqual([])
    expect(postgres({ url }).problems()).toEqual([])
  })

  it.each<[string, string, (url: URL) => void, RegExp]>([
    ['a wrong password', 'CONFIG_INVALID', (url) => (url.password = 'wrong-s3cret'), /does not accept this password/],
    ['an unknown user', 'CONFIG_INVALID', (url) => (url.username = 'nobody'), /password, or does not know the user/],
    [
      'a missing database',
      'CONFIG_INVALID',
      (url) => (url.pathname = '/nowhere'),
      /database "nowhere" .* does not exist/,
    ],
    ['a host that is not there', 'CONFIG_INVALID', (url) => (url.hostname = 'nowhere.invalid'), /no such host/],
    [
      'TLS the server does not have',
      'CONFIG_INVALID',
      (url) => (url.search = '?sslmode=verify-full'),
      /does not speak TLS/,
    ],
  ])('is refused for %s in one line that names store.options.url and no password', async (_case, code, change, says) => {
    const url = new URL(await bareDatabase())
    change(url)
    await refuses(url.href, code, says)
  })

  it('that nobody serves is refused in one line', async () => {
    const url = new URL(await bareDatabase())
    url.port = String(await freePort())
    await refuses(url.href, 'SERVICE_UNAVAILABLE', /cannot be reached: .*ECONNREFUSED.*Is PostgreSQL running there\?/)
  })

  it('whose user may make no tables is refused, and stays as it is', async () => {
    const url = new URL(await bareDatabase())
    const [name, database] = [`reader_${url.pathname.slice(-6)}`, url.pathname.slice(1)]
    await query(url.href, `create role ${name} login password 'pw'`)
    onTestFinished(async () => void (await query(url.href, `drop owned by ${name}; drop role ${name}`)))
    const theirs = new URL(url)
    theirs.username = name
    theirs.password = 'pw'
    const before = await shapeOf(url.href)
    const first = await open({ url: theirs.href }).catch(({ message }) => String(message))
    const make = `create schema "mailwright" authorization "${name}"; or: grant create on database "${database}" to "${name}"`
    expect(first).toContain(`does not let this user make the schema "mailwright"; as its owner, run: ${make}`)
    expect(await shapeOf(url.href)).toEqual(before)
    await query(url.href, 'create schema "mailwright"')
    const grant = `grant usage, create on schema "mailwright" to "${name}"`
    await refuses(
      theirs.href,
      'CONFIG_INVALID',
      new RegExp(`make tables in the schema "mailwright"; .* run: ${grant}$`),
    )
    await query(url.href, grant)
    const { close } = await open({ url: theirs.href })
    await close()
    // what is there needs no right to make more
    await query(url.href, `revoke create on schema "mailwright" from "${name}"`)
    await open({ url: theirs.href })
  })

  it('has its tables in the schema mailwright, whichever tables a host has in public', async () => {
    const url = await ordinaryDatabase()
    await query(url, 'create table contacts (name text); create table emails (id int); create type kind as enum ()')
    const { store, close } = await open({ url })
    await store.projects.save(project())
    await close()
    const tables = `select schemaname, count(*)::int from pg_tables where tablename in ('contacts', 'emails', 'projects',
      'mailwright_migrations') group by 1 order by 1`
    expect((await query(url, tables)).rows).toEqual([
      { schemaname: 'mailwright', count: 4 },
      { schemaname: 'public', count: 2 },
    ])
    expect((await query(url, 'select * from contacts')).fields.map(({ name }) => name)).toEqual(['name'])
    expect(await (await open({ url })).store.projects.list()).toHaveLength(1)
    await expect(open({ url, schema: 'public' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/relation "(?:contacts|emails)" already exists/),
      suggestion: expect.stringContaining('store.options.schema'),
    })
  })

  it('that an earlier version has made in public stays there', async () => {
    const url = await ordinaryDatabase()
    const earlier = await open({ url, schema: 'public' })
    await earlier.store.projects.save(project())
    await earlier.close()
    expect(await (await open({ url })).store.projects.list()).toHaveLength(1)
    expect(await postgres({ url }).schemaState?.()).toMatchObject({ pending: [] })
    expect((await query(url, `select 1 from pg_namespace where nspname = 'mailwright'`)).rows).toEqual([])
  })

  it('that is not in UTF-8 is refused', async () => {
    const url = new URL(await bareDatabase())
    const latin = `${url.pathname.slice(1)}_latin1`
    await query(
      url.href,
      `create database ${latin} template template0 encoding 'LATIN1' locale 'C' locale_provider 'libc'`,
    )
    url.pathname = `/${latin}`
    await refuses(url.href, 'CONFIG_INVALID', /has the encoding LATIN1; it must be UTF8/)
  })
})

/** As a host has it: with the search path that PostgreSQL has by itself. */
async function ordinaryDatabase(): Promise<string> {
  const url = await bareDatabase()
  await query(url, `alter database ${new URL(url).pathname.slice(1)} reset search_path`)
  return url
}

type Opened = { readonly store: Store; close(): Promise<void> }

/** Opens the store; it is closed when the test ends, unless the test did. */
async function open(options: Parameters<typeof postgres>[0], log = silentLog): Promise<Opened> {
  const opened = await postgres(options).open({ log, clock: systemClock })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= opened.close?.() ?? Promise.resolve()
    return closed
  }
  onTestFinished(close)
  return { store: opened.store, close }
}

async function openOrm(url: string, list = migrations, schema = 'public'): Promise<MikroORM> {
  const orm = new MikroORM({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    discovery: { afterDiscovered: sortByBytes },
    migrations: migrationSettings(list, schema),
    schemaGenerator: {
      skipTables: ['mailwright_migrations', ...UNMAPPED_TABLES],
      ignoreTriggers: true,
      ignoreRoutines: true,
    },
  })
  onTestFinished(() => orm.close(true))
  return orm
}

async function refuses(url: string, code: string, says: RegExp): Promise<void> {
  const error = await open({ url }).catch((refusal: unknown) => refusal)
  expect(error).toMatchObject({ code, message: expect.stringMatching(says) })
  const { message } = error as Error
  expect(message).toMatch(/^store\.options\.url: [^\n]*$/)
  expect(message).not.toContain(new URL(url).password)
}

async function query(url: string, sql: string) {
  const client = new Client(url)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Every table with its columns, and which migrations it has had. */
async function shapeOf(url: string): Promise<unknown> {
  const columns = await query(
    url,
    `select table_name, column_name, data_type from information_schema.columns
      where table_schema in ('public', 'mailwright') order by 1, 2`,
  )
  const known = columns.rows.some(({ table_name }) => table_name === 'mailwright_migrations')
  return [columns.rows, known && (await query(url, 'select name from mailwright_migrations order by 1')).rows]
}

/** How many connections others have to the database. */
async function sessions(url: string): Promise<number> {
  const { rows } = await query(
    url,
    `select count(*)::int as "count" from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  return rows[0].count
}

class Sound extends Migration {
  override up(): void {
    this.addSql('create table "made_before" ("id" uuid)')
    this.addSql('alter table "contacts" add column "half" text')
  }
}

class Broken extends Migration {
  override up(): void {
    this.addSql('create table "made_by_it" ("id" uuid)')
    this.addSql('insert into "nowhere"\n values (1)')
  }
}

const FAILING = [...migrations, { name: '0002-sound', class: Sound }, { name: '0003-broken', class: Broken }]
