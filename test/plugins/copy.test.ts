import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { Client } from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CopyOptions, type CopyProgress, copyData } from '../../config/copy-data.ts'
import { readDatabaseUrl } from '../../config/database-url.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { ledgerEventId } from '../../core/values/event-names.ts'
import {
  at,
  claimMails,
  contact,
  content,
  email,
  event,
  HOSTILE,
  NOON,
  project,
  put,
  putContact,
  result,
} from '../contracts/store/records.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { fillWithEverything, HOSTILE_TEXT } from '../support/everything.ts'
import { bareDatabase, freshDatabase } from '../support/fresh-database.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { dump, within } from '../support/stored-rows.ts'

let folder: string
let source: string
/** A file with a project, 2,500 contacts and 10 e-mails, made once and copied for each test. */
let filled: string

beforeAll(async () => {
  const place = mkdtempSync(join(tmpdir(), 'mailwright-copy-'))
  atEndOfFile(() => rmSync(place, { recursive: true }))
  filled = freshFile(join(place, 'filled.db'))
  await within(filled, fillWithMany)
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-copy-'))
  source = join(folder, 'source.db')
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('copying a store', () => {
  it('brings every row of every table to PostgreSQL and back as it was; mails in the middle of being sent wait again', async () => {
    const records = await within(source, fillWithEverything)
    const [url, back] = [await bareDatabase(), join(folder, 'new', 'back.db')]
    const before = await dump(source)
    for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThan(0)

    const report = await run(source, url)
    expect(report).toMatchObject({ outcome: 'copied', requeued: 1 })
    expect(report.outcome === 'copied' && report.tables.map(({ target }) => target)).toEqual(
      [...before.values()].map((rows) => rows.length),
    )
    const waiting = { status: 'QUEUED', leaseToken: undefined, leaseUntil: undefined, interrupted: 1 }
    const expected = new Map(before)
    expected.set(
      'emails',
      rowsOf(before, 'emails').map((row) =>
        'status' in row && row.status === 'SENDING' ? { ...row, ...waiting } : row,
      ),
    )
    expect(await dump(url)).toEqual(expected)
    expect(await dump(source)).toEqual(before)

    expect(await run(url, back)).toMatchObject({ outcome: 'copied', requeued: 0 })
    expect(await dump(back)).toEqual(expected)
    await within(url, (store) => expectRecords(store, records))
    await within(back, (store) => expectRecords(store, records))
  })

  it('leaves the counters to the target, which counts what arrives, also when it is interrupted', async () => {
    copyFileSync(filled, source)
    const projectId = await within(source, async (store) => {
      const { id } = (await store.projects.list())[0]!
      const [ada] = await store.contacts.page(id, {}, { sort: 'createdAt', dir: 'asc' }, { limit: 1 })
      await store.contacts.save([{ ...ada!, subscribed: false, data: HOSTILE }])
      await store.events.record([event(id, ada!.id, { name: 'a' }), event(id, ada!.id, { name: 'b' })])
      await store.events.removeNamed(id, 'b', 10)
      // the row of this mail stands for its events
      const mail = email(id, { contactId: ada!.id, to: ada!.email })
      await put(store, id, { emails: [mail] })
      await claimMails(store, [mail], NOON, { token: 'lease', until: at(300) })
      const sent = event(id, ada!.id, { id: ledgerEventId('email.sent', mail.id, at(10)), name: 'email.sent' })
      await store.emails.record([result(mail, 'lease', { status: 'SENT', ledgerEvents: [sent] })])
      return id
    })
    const [url, back] = [await bareDatabase(), join(folder, 'back.db')]
    await run(source, url, new Progress(3))
    await run(source, url)
    expect(await run(url, back)).toMatchObject({ outcome: 'copied' })
    const counters = (store: Store) =>
      Promise.all([
        store.contactFields.list(projectId),
        store.contacts.count(projectId, { subscribed: false }),
        store.events.names(projectId),
        store.analytics.recount(projectId, false),
      ])
    const expected = await within(source, counters)
    expect(expected).toMatchObject([{ contacts: 2500 }, 1, [{ count: 1 }, { count: 1 }], []])
    for (const place of [url, back]) expect(await within(place, counters)).toEqual(expected)
  })

  it('goes on where it was interrupted, and no engine opens what is unfinished meanwhile', async () => {
    copyFileSync(filled, source)
    const url = await bareDatabase()
    const [first, second] = [new Progress(2), new Progress()]
    expect(await run(source, url, first)).toEqual({ outcome: 'interrupted' })
    const copied = first.reports.at(-1)?.copied ?? 0
    expect(copied).toBeGreaterThan(1000)
    await expect(within(url, async () => {})).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('unfinished copy'),
    })

    expect(await run(source, url, second)).toMatchObject({ outcome: 'copied' })
    const [next] = second.reports
    expect(next?.copied).toBeGreaterThan(copied)
    expect(second.reports.at(-1)?.copied).toBe(next?.total)
    expect(await print(url)).toEqual(await print(source))
    await within(url, async (store) => expect(await store.projects.list()).toHaveLength(1))
  })

  it('goes on with neither a source that was changed nor another one', async () => {
    copyFileSync(filled, source)
    const target = join(folder, 'target.db')
    expect(await run(source, target, new Progress(1))).toEqual({ outcome: 'interrupted' })
    const before = await print(target)
    await within(source, async (store) => {
      const [known] = await store.projects.list()
      if (known) await store.projects.save({ ...known, name: 'Renamed', updatedAt: at(60) })
    })
    await expect(run(source, target)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await print(target)).toEqual(before)
  })

  it('tells at the end that a PostgreSQL source was written meanwhile, and the copy stays unfinished', async () => {
    const [url, target] = [await freshDatabase(), join(folder, 'target.db')]
    await within(url, fillWithMany)
    const progress = new Progress()
    const { onProgress } = progress
    progress.onProgress = (report) => {
      // another process writes, and the copy waits for it
      if (progress.reports.length === 0) {
        const program = `import { Client } from 'pg'
          const client = new Client(${JSON.stringify(url)})
          await client.connect()
          await client.query("update contacts set subscribed = false, updated_at = now()")
          await client.end()`
        execFileSync(process.execPath, ['--input-type=module', '--eval', program])
      }
      onProgress.call(progress, report)
    }
    await expect(run(url, target, progress)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('was written while it was copied'),
    })
    await expect(within(target, async () => {})).rejects.toMatchObject({ code: 'STORE_LOCKED' })
  })

  it('names the table of which rows are missing at the end, and the copy stays unfinished', async () => {
    copyFileSync(filled, source)
    const url = await bareDatabase()
    await run(source, url, new Progress(2))
    await query(url, 'delete from contacts where id = (select id from contacts order by id limit 1)')
    const report = await run(source, url)
    expect(report).toMatchObject({ outcome: 'different' })
    const wrong = report.outcome === 'different' ? report.tables.filter((row) => row.source !== row.target) : []
    expect(wrong).toEqual([{ table: 'contacts', source: 2500, target: 2499 }])
    await expect(within(url, async () => {})).rejects.toMatchObject({ code: 'STORE_LOCKED' })
  })

  it('refuses a target that holds other data, and changes nothing', async () => {
    copyFileSync(filled, source)
    const [file, url] = [join(folder, 'other.db'), await freshDatabase()]
    for (const target of [file, url]) {
      await within(target, (store) => store.projects.save(project()))
      const before = await print(target)
      await expect(run(source, target)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await print(target)).toEqual(before)
    }
  })

  it('carries attachments that are larger together than a batch', async () => {
    await within(source, async (store) => {
      const made = project()
      await store.projects.save(made)
      for (let i = 0; i < 2; i++) {
        const bytes = new Uint8Array(randomBytes(5 * 1024 * 1024))
        const attachments = [{ filename: `${i}.bin`, contentType: 'x/y', disposition: 'attachment', bytes } as const]
        await put(store, made.id, { contents: [content(made.id, { attachments })] })
      }
    })
    const [url, progress] = [await bareDatabase(), new Progress()]
    await run(source, url, progress)
    expect(progress.reports.filter(({ table }) => table === 'mail_attachments').length).toBe(2)
    expect(sizesOf(await dump(url))).toEqual(sizesOf(await dump(source)))
  })

  it('refuses what is no source, in one line, and makes neither file', async () => {
    const target = join(folder, 'target.db')
    const missing = join(folder, 'nowhere', 'missing.db')
    await expect(run(missing, target)).rejects.toThrow(`--from: ${missing} does not exist`)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(source, 'this is no database, however long one looks at it')
    await expect(run(source, target)).rejects.toThrow(/^--from: .*is not an SQLite database$/)
    writeFileSync(source, '')
    await expect(run(source, target)).rejects.toThrow('--from: This is not a database of Mailwright.')
    await expect(run(await bareDatabase(), target)).rejects.toThrow('--from: This is not a database of Mailwright.')
    await expect(run(source, join(folder, '.', 'source.db'))).rejects.toThrow('the same database')
    expect(existsSync(target)).toBe(false)
  })

  it('refuses a database of a newer program on either side, and one an engine has', async () => {
    const [url, target] = [await freshDatabase(), join(folder, 'target.db')]
    await within(url, async (store) => store.projects.save(project()))
    await query(url, `insert into mailwright_migrations (name) values ('9999-later')`)
    copyFileSync(filled, source)
    const before = await print(source)
    await expect(run(url, target)).rejects.toThrow(/^--from: .*newer version.*9999-later/)
    await expect(run(source, url)).rejects.toThrow(/^--to: .*newer version.*9999-later/)
    expect(await print(source)).toEqual(before)
    await within(source, async () => {
      await expect(run(source, target)).rejects.toThrow(/^--from: .*in use by another running engine/)
    })
    expect(existsSync(target)).toBe(false)
  })
})

class Progress implements CopyOptions {
  readonly reports: CopyProgress[] = []
  readonly #stop = new AbortController()
  readonly #after: number

  /** Interrupts the copy behind the first batch of so many tables. */
  constructor(tables = Number.POSITIVE_INFINITY) {
    this.#after = tables
  }

  get signal() {
    return this.#stop.signal
  }

  onProgress(progress: CopyProgress) {
    this.reports.push(progress)
    if (new Set(this.reports.map(({ table }) => table)).size >= this.#after) this.#stop.abort()
  }
}

function run(from: string, to: string, progress = new Progress()) {
  const [source, target] = [readDatabaseUrl(from), readDatabaseUrl(to)]
  if ('problem' in source || 'problem' in target) throw new Error('not a database')
  return copyData(source, target, { signal: progress.signal, onProgress: (report) => progress.onProgress(report) })
}

/** How many rows each table has and what is in them, where there are too many to compare one by one. */
async function print(place: string): Promise<object> {
  const tables = [...(await dump(place))].map(([name, rows]) => {
    const digest = createHash('sha256').update(serialize(rows)).digest('hex')
    return [name, `${rows.length} rows, ${digest}`] as const
  })
  return Object.fromEntries(tables)
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

function rowsOf(dumped: ReadonlyMap<string, object[]>, table: string): object[] {
  return dumped.get(table) ?? []
}

function sizesOf(dumped: ReadonlyMap<string, object[]>) {
  return rowsOf(dumped, 'mail_attachments').map((row) => {
    const { filename, bytes } = row as { filename: string; bytes: Uint8Array }
    return [filename, Buffer.from(bytes).toString('base64').length, Buffer.from(bytes.subarray(0, 99)).toString('hex')]
  })
}

async function expectRecords(store: Store, records: Awaited<ReturnType<typeof fillWithEverything>>) {
  const { hash, person, words, letter, happened, news, way } = records
  const made = { ...records.made, verifiedDomains: ['bücher.example'] }
  expect(await store.projects.list()).toEqual([made])
  expect((await store.projects.findKey(hash))?.project).toEqual(made)
  expect(await store.contacts.find(made.id, person.id)).toEqual(person)
  expect(await store.templates.find(made.id, letter.id)).toEqual(letter)
  expect(await store.emails.contents([words.id])).toEqual([words])
  expect(await store.events.page(made.id, { name: happened.name }, { limit: 5 })).toMatchObject([happened])
  expect(await store.writeBatch.remembered(made.id, HOSTILE_TEXT, NOON)).toEqual({
    fingerprint: 'print',
    answer: HOSTILE,
  })
  expect(await store.campaignMails.waiting()).toMatchObject([{ id: news.id }])
  expect([...(await store.campaignMails.testCounters(made.id, news.id)).keys()]).toEqual(['B'])
  expect(await store.campaignMails.counters(made.id, news.id)).toMatchObject({
    recipients: 1,
    sent: 0,
    opened: 0,
    anonymousOpened: 1,
  })
  expect(await store.outbox.pending(9)).toMatchObject([{ contactId: person.id, name: HOSTILE_TEXT }])
  const awaited = { contactId: person.id, eventName: HOSTILE_TEXT }
  expect(await store.executions.waitingFor(made.id, [awaited])).toEqual([way])
  expect(await store.executions.claimDue(at(61), 9, { token: 't', until: at(99) })).toEqual([{ ...way, token: 't' }])
  expect(await store.secrets.keep('links', 'another', NOON)).toBe(HOSTILE_TEXT)
  expect(await store.installation.all()).toMatchObject([{ name: 'mail-servers', value: HOSTILE, version: 1 }])
  expect(await store.projectServers.among([made.id])).toMatchObject([{ value: HOSTILE, version: 1 }])
  expect(await store.suppressions.among(made.id, ['gone@example.com'], NOON)).toEqual(new Set(['gone@example.com']))
}

/** A project with 2,500 contacts and 10 e-mails. */
async function fillWithMany(store: Store) {
  const made = project()
  await store.projects.save(made)
  const contacts = Array.from({ length: 2499 }, () => contact(made.id))
  const words = content(made.id)
  const emails = contacts
    .slice(0, 10)
    .map(({ id, email: to }) => email(made.id, { contactId: id, to, contentId: words.id }))
  await put(store, made.id, { contacts, emails, contents: [words] })
  await putContact(store, made.id)
  return made.id
}
