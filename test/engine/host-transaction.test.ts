import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { Client, Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Project, silentLog } from '../../config/library.ts'
import { noMetrics } from '../../core/ports/metrics.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { type HostHandle, openHandle, sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink, type SinkWorld } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { until } from '../support/until.ts'

type Row = Readonly<Record<string, unknown>>

/** The host's own connection to the engine's database. */
interface Host {
  readonly client: object
  run(sql: string): Promise<readonly Row[]>
}

interface Database {
  readonly store: ReturnType<typeof postgres> | ReturnType<typeof sqlite>
  host(): Promise<Host>
  /** Every row of every table, as text. */
  contents(): Promise<string>
}

const DATABASES = [
  { name: 'PostgreSQL', make: onPostgres },
  { name: 'SQLite', make: onSqlite },
] as const

describe.each(DATABASES)('in a transaction of the host on $name', ({ make }) => {
  it('order, mail, event and contact are committed together, and the mail goes out at once', async () => {
    const { engine, project, sink, client, run, counted } = await world(make)
    const heard: string[] = []
    engine.on('*', ({ name }) => void heard.push(name))
    await engine.start()
    await run(BEGIN)
    await run("insert into orders values (1, 'Tea')")
    const { answer } = await engine.sending.send(project, mailTo('ada@example.org'), { client })
    await engine.events.track(project, { email: 'ada@example.org', event: 'ordered' }, { client })
    const { contact, isNew } = await engine.contacts.upsert(
      project,
      { email: 'ada@example.org', data: { plan: 'pro' } },
      { client },
    )
    expect(isNew).toBe(false)
    const id = answer.emails[0]?.email ?? ''
    await expect(engine.mails.get(project, id)).rejects.toMatchObject({ code: 'EMAIL_NOT_FOUND' })
    expect([heard, counted, sink.messages.length]).toEqual([[], [], 0])
    await run('commit')
    await expect.poll(() => sink.messages.length).toBe(1)
    await expect.poll(() => heard).toEqual(expect.arrayContaining(['ordered', 'email.sent']))
    expect(heard.filter((name) => name === 'ordered')).toHaveLength(1)
    expect(counted).toEqual([['transactional', 1]])
    expect(await run('select item from orders')).toEqual([{ item: 'Tea' }])
    const { email } = await engine.mails.get(project, id)
    expect(email).toMatchObject({ to: 'ada@example.org' })
    expect(contact).toMatchObject({ id: answer.emails[0]?.contact.id, data: { plan: 'pro' } })
  })

  it('a mail that answers a conversation joins it once the host has committed, and not without', async () => {
    const { engine, project, client, run } = await world(make)
    await engine.start()
    const { inbox } = await engine.inboxes.create(project, { name: 'Help', address: 'help@example.com' })
    const first = { to: ['ada@example.org'], subject: 'Your visit', body: '<p>On Friday.</p>' }
    const draft = await engine.inboxes.drafts.create(project, inbox.id, first)
    const { threadId = '' } = await engine.inboxes.drafts.send(project, draft.id)
    const [asked] = (await engine.inboxes.threads.messages(project, threadId)).items
    const answer = { ...mailTo('ada@example.org'), headers: { 'In-Reply-To': asked?.messageId ?? '' } }
    const count = async () => (await engine.inboxes.threads.get(project, threadId)).thread.messageCount
    await run(BEGIN)
    await engine.sending.send(project, answer, { client })
    await run('rollback')
    await run(BEGIN)
    await engine.sending.sendBatch(project, { messages: [answer] }, { client })
    expect(await count()).toBe(1)
    await run('commit')
    await expect.poll(count).toBe(2)
  })

  it('a rollback leaves nothing: no row, no count, no event, and keys and quotas are free', async () => {
    const { engine, project, client, run, contents, counted } = await world(make)
    const heard: string[] = []
    engine.on('*', ({ name }) => void heard.push(name))
    const before = await contents()
    for (const keep of [false, true]) {
      await run(BEGIN)
      const options = { client, idempotencyKey: 'order-1' }
      await engine.sending.send(project, mailTo('ada@example.org'), options)
      // the same key again is answered from within the transaction
      expect(await engine.sending.send(project, mailTo('ada@example.org'), options)).toMatchObject({ replayed: true })
      await engine.sending.sendBatch(project, { messages: [mailTo('bob@example.org')] }, { client })
      await expect(engine.sending.send(project, mailTo('eve@example.org'), { client })).rejects.toMatchObject({
        code: 'QUOTA_EXCEEDED',
      })
      await engine.events.track(project, { email: 'new@example.org', event: 'ordered' }, { client })
      await run(keep ? 'commit' : 'rollback')
      if (!keep) {
        expect(await contents()).toBe(before)
        expect([heard, counted]).toEqual([[], []])
      }
    }
    await expect.poll(() => heard).toEqual(['ordered'])
    await expect.poll(() => counted).toHaveLength(2)
  })

  it('a call that is refused leaves the transaction as it was', async () => {
    const { engine, project, client, run, contents } = await world(make)
    const letter = { name: 'Letter', type: 'MARKETING', from: 'hi@example.com', subject: 'News', body: 'News' } as const
    const template = await engine.templates.create(project, letter)
    const before = await contents()
    await run(BEGIN)
    await run("insert into orders values (1, 'Tea')")
    const wrong = { ...mailTo('ada@example.org'), from: 'a@other.example' }
    await expect(engine.sending.send(project, wrong, { client })).rejects.toMatchObject({ code: 'DOMAIN_NOT_VERIFIED' })
    // decided after the first writes: the quota is counted by then
    const unwanted = { to: 'ada@example.org', template: template.id }
    await expect(engine.sending.send(project, unwanted, { client })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    const track = { contactId: '00000000-0000-7000-8000-000000000000', name: 'x' }
    await expect(engine.events.track(project, track, { client, byContactId: true })).rejects.toMatchObject({
      code: 'CONTACT_NOT_FOUND',
    })
    await run('delete from orders')
    await run('commit')
    expect(await contents()).toBe(before)
  })

  it('a rollback to a savepoint of the host takes the mail with it', async () => {
    const { engine, project, sink, client, run, counted } = await world(make)
    await engine.start()
    await run(BEGIN)
    await engine.sending.send(project, mailTo('stays@example.org'), { client })
    await run('savepoint mine')
    await engine.sending.send(project, mailTo('goes@example.org'), { client })
    await run('rollback to savepoint mine')
    await run('commit')
    await expect.poll(() => sink.messages.length).toBe(1)
    expect(sink.messages[0]).toMatchObject({ to: ['stays@example.org'] })
    expect(counted).toEqual([['transactional', 1]])
  })

  it('calls at the same time on one client take turns', async () => {
    const { engine, project, client, run } = await world(make, {})
    await run(BEGIN)
    const sends = Array.from({ length: 5 }, (_, i) =>
      engine.sending.send(project, mailTo(i === 2 ? 'no address' : `${i}@example.org`), { client }),
    )
    const ends = await Promise.allSettled(sends)
    await run('commit')
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await engine.mails.list(project)).items).toHaveLength(4)
  })

  it('a client without a transaction, of another database, or none at all is refused by name', async () => {
    const { engine, project, client } = await world(make)
    const other = await (await make()).host()
    await other.run(BEGIN)
    await other.run(`drop table ${'idempotency_answers'}`)
    for (const wrong of [{}, 'begin' as never, client, ...(await othersThan(other))]) {
      await expect(engine.sending.send(project, mailTo('a@example.org'), { client: wrong })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        fields: [{ field: 'client' }],
      })
    }
    const publicly = { client, callerKind: 'public' } as const
    await expect(engine.events.track(project, { email: 'a@example.org', event: 'x' }, publicly)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await other.run('rollback')
  })
})

describe('transactions of hosts on PostgreSQL', () => {
  it('that write to one contact wait for each other and lose nothing', async () => {
    const { engine, project, database } = await world(onPostgres, {})
    const write = async (i: number) => {
      const { client, run } = await database.host()
      await run('begin')
      await engine.contacts.upsert(project, { email: 'one@example.org', data: { [`k${i}`]: i } }, { client })
      const options = { client, idempotencyKey: 'shared' }
      const { replayed } = await engine.sending.send(project, mailTo('one@example.org'), options)
      await run('commit')
      return replayed
    }
    const replayed = await Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))
    expect(replayed.filter((each) => !each)).toHaveLength(1)
    const { items } = await engine.contacts.list(project)
    expect(items).toHaveLength(1)
    expect(Object.keys(items[0]?.data ?? {})).toHaveLength(8)
    expect((await engine.mails.list(project)).items).toHaveLength(1)
  })

  it('keep their settings, whichever parsers and search path they have', async () => {
    const { engine, project, database, counted } = await world(onPostgres, {})
    const { client, run } = await database.host()
    await run(`create schema mine; create table mine.contacts (id int); set search_path to mine, public;
      set datestyle to 'German'; set timezone to 'Asia/Tokyo'; set bytea_output to 'escape'`)
    await run('begin')
    const plain = plainClient(client as Client)
    await engine.sending.send(project, mailTo('ada@example.org'), { client: plain })
    await engine.contacts.upsert(project, { email: 'ada@example.org', data: { n: 1 } }, { client: plain })
    const { isNew } = await engine.contacts.upsert(project, { email: 'ada@example.org' }, { client })
    const [shown] = await run(`select current_setting('search_path') as path, current_setting('datestyle') as style,
      current_setting('timezone') as zone, current_setting('bytea_output') as bytes`)
    expect(shown).toEqual({ path: 'mine, public', style: 'German, DMY', zone: 'Asia/Tokyo', bytes: 'escape' })
    expect(isNew).toBe(false)
    await run('insert into contacts values (1)')
    await run('commit')
    expect((await engine.mails.list(project)).items).toHaveLength(1)
    // such a client does not show when its transaction ends
    expect(counted).toEqual([])
  })

  it('whose statement failed are aborted, and the failure is the database’s own', async () => {
    const { engine, project, database } = await world(onPostgres, {})
    const { client, run } = await database.host()
    await run('begin')
    await expect(run('select 1 / 0')).rejects.toThrow('division by zero')
    await expect(engine.sending.send(project, mailTo('a@example.org'), { client })).rejects.toMatchObject({
      code: '25P02',
    })
    await run('rollback')
    await run('begin isolation level serializable')
    await run('select 1')
    const busy = database.host()
    await run('set local lock_timeout to 50')
    const other = await busy
    await other.run('begin')
    await engine.contacts.upsert(project, { email: 'a@example.org' }, { client: other.client })
    await expect(engine.contacts.upsert(project, { email: 'a@example.org' }, { client })).rejects.toMatchObject({
      code: '55P03',
    })
    await run('select 1')
    await Promise.all([run('commit'), other.run('rollback')])
  })
})

it('takes a handle of its own copy of SQLite alone, since two in a process lose what the other writes', async () => {
  const { engine, project, client } = await world(onSqlite)
  const [{ file }] = (client as HostHandle).prepare('select file from pragma_database_list').all() as [{ file: string }]
  const send = async (handle: { exec(sql: string): unknown; close(): unknown }) => {
    onTestFinished(() => void handle.close())
    await until('the engine writes nothing', () => isBegun(handle))
    const { answer } = await engine.sending.send(project, mailTo('ada@example.org'), { client: handle })
    handle.exec('commit')
    return answer.emails
  }
  await expect(send(new DatabaseSync(file))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/^client: is of another copy of SQLite, .* openHandle\(file\)/),
  })
  // as test runners load it: the same copy by another class
  const require = createRequire(import.meta.resolve('@mikro-orm/sqlite'))
  for (const [name, module] of Object.entries(require.cache)) {
    if (!/better-sqlite3.lib/.test(name)) continue
    delete require.cache[name]
    onTestFinished(() => {
      require.cache[name] = module
    })
  }
  const Anew = require('better-sqlite3')
  expect(openHandle(':memory:')).not.toBeInstanceOf(Anew)
  expect(await send(new Anew(file, { timeout: 0 }))).toHaveLength(1)
})

const BEGIN = 'begin'

function mailTo(to: string) {
  return { to, from: 'hi@example.com', subject: 'Your order', body: 'Thank you' }
}

async function world(make: () => Promise<Database>, quotas: { readonly daily?: number } = { daily: 2 }) {
  const database = await make()
  const counted: unknown[] = []
  const made: SinkWorld = await engineWithSink({
    store: database.store,
    projects: [{ name: 'Test', trustedDomains: ['example.com'], ...(quotas.daily === undefined ? {} : { quotas }) }],
    metrics: { ...noMetrics, accepted: (...each) => void counted.push(each) },
    publicUrl: 'https://mail.example.com',
    log: silentLog,
  })
  const host = await database.host()
  await host.run('create table orders (id integer, item text)')
  const project: Project = made.project
  return { ...made, project, counted, database, contents: database.contents, client: host.client, run: host.run }
}

async function onPostgres(): Promise<Database> {
  const url = await freshDatabase()
  const host = async (): Promise<Host> => {
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return { client, run: async (sql) => (await client.query(sql)).rows }
  }
  const contents = async () => {
    const { run } = await host()
    const tables = await run(`select schemaname || '."' || tablename || '"' as name from pg_tables
      where schemaname in ('public', 'mailwright') order by 1`)
    const texts = []
    for (const { name } of tables) {
      const [row] = await run(`select string_agg(t::text, ',' order by t::text) as text from ${name} as t`)
      texts.push(`${name}: ${row?.text}`)
    }
    return texts.join('\n')
  }
  return { store: postgres({ url }), host, contents }
}

async function onSqlite(): Promise<Database> {
  const file = freshFile(`${freshFolder()}/test.db`)
  const opened = () => {
    const client = openHandle(file)
    onTestFinished(() => void client.close())
    const rows = (sql: string) =>
      client
        .prepare(sql)
        .all()
        .map((row) => ({ ...(row as Row) }))
    const run = async (sql: string) => {
      if (sql.startsWith('select')) return rows(sql)
      // as docs/embedding.md says, again and again while the engine writes
      if (sql === BEGIN) await until('the engine writes nothing', () => isBegun(client))
      else client.exec(sql)
      return []
    }
    return { client, run, rows }
  }
  const contents = async () => {
    const { rows } = opened()
    const tables = rows("select name from sqlite_schema where type = 'table' order by 1")
    return tables.map(({ name }) => `${name}: ${JSON.stringify(rows(`select * from "${name}"`))}`).join('\n')
  }
  return { store: sqlite({ file, synchronous: 'NORMAL' }), host: async () => opened(), contents }
}

function isBegun(client: Pick<HostHandle, 'exec'>): boolean {
  try {
    client.exec('begin immediate')
    return true
  } catch (error) {
    if (error instanceof Error && error.message === 'database is locked') return false
    throw error
  }
}

/** A client that only has `query(text, values)`, with the parsers of pg. */
function plainClient(client: Client): object {
  return { query: (text: string, values: unknown[]) => client.query(text, values) }
}

async function othersThan(host: Host): Promise<readonly object[]> {
  if (!(host.client instanceof Client)) {
    const closed = openHandle(':memory:')
    closed.close()
    return [host.client, closed]
  }
  await host.run('drop table mailwright_migrations')
  const pool = new Pool({ host: 'nowhere' })
  onTestFinished(() => pool.end())
  // one that was never connected would let the call wait for ever
  return [host.client, pool, new Client({ host: 'nowhere' })]
}
