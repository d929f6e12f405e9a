import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Audience } from '../../core/ports/store/audiences.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { Row, Session } from '../../plugins/kit/sql/engine/session.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { openReadOnly } from '../../plugins/store-sqlite/sqlite-driver.ts'
import { SqliteReader } from '../../plugins/store-sqlite/sqlite-reader.ts'
import { contact, newProjectId } from '../contracts/store/records.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

describe('the thread that reads the file of the SQLite store', () => {
  let file: string

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailwright-reader-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    file = freshFile(join(folder, 'mail.db'))
  })

  it('starts with the first scan and not before, and is one as long as one is enough', async () => {
    const threads = threadsStarted()
    const { store } = await open(file)
    const projectId = newProjectId()
    await store.contacts.save([contact(projectId)])
    await store.contacts.pageAndCount(projectId, {}, { sort: 'createdAt', dir: 'asc' }, { limit: 9 })
    expect(threads).toHaveLength(0)
    for (let n = 0; n < 3; n++) await store.contacts.count(projectId, { search: 'example' })
    expect(threads).toHaveLength(1)
  })

  it('has others beside it, of which one project never has all', async () => {
    const threads = threadsStarted()
    const { store, close } = await open(file)
    const [busy, other] = [newProjectId(), newProjectId()]
    await store.contacts.save([...Array.from({ length: 1000 }, () => contact(busy, { data: LARGE })), contact(other)])
    let ended = 0
    const long = Array.from({ length: 6 }, () => store.contacts.count(busy, { audience: HEAVY }).finally(() => ended++))
    const settled = Promise.allSettled(long)
    await pause(100)
    expect(await store.contacts.count(other, { search: 'example' })).toBe(1)
    expect(ended).toBe(0)
    expect(threads.length).toBeLessThanOrEqual(3)
    await close()
    await settled
  })

  it('ends a scan that takes too long, whatever it looks at, and goes on with the next', async () => {
    const threads = threadsStarted()
    const { store } = await open(file, 0.3)
    const projectId = newProjectId()
    await store.contacts.save(Array.from({ length: 1500 }, () => contact(projectId, { data: LARGE })))
    const begun = performance.now()
    await expect(store.contacts.count(projectId, { audience: HEAVY })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: expect.any(Number),
      suggestion: expect.stringContaining('fewer or simpler conditions'),
    })
    expect(performance.now() - begun).toBeLessThan(4000)
    const [first, ...others] = threads
    expect(others).toEqual([])
    expect(first?.threadId).toBeGreaterThan(0)
    expect(await store.contacts.count(projectId, { search: 'nobody' })).toBe(0)
    expect(threads).toHaveLength(1)
  })

  it('looks rows up as the other connection does', async () => {
    const { store } = await open(file)
    await store.check()
    const [reader, own] = [readerOf(file), openReadOnly(file, 0)]
    onTestFinished(() => own.close())
    for (const sql of [
      'select count(*) from "contacts" as c where c."project_id" = ? and instr(c."email", \'x\') > 0',
      'select c.* from "contacts" as c where c."project_id" = ? and not c."subscribed" order by c."id" desc limit 20',
      'select count(distinct "contact_id") from "events" where "project_id" = ? and "name" = \'a\'',
      `select c."id" from "contacts" as c where c."project_id" = ? and exists (select 1 from "segment_stays" as s
        where s."segment_id" = 'a' and s."contact_id" = c."id" and s."left_at" is null limit 1) order by c."id" limit 9`,
    ]) {
      const [watched, plain] = [
        await reader.all(`explain query plan ${sql}`, ['p']),
        own.prepare(`explain query plan ${sql}`).all(['p']),
      ]
      const steps = (rows: readonly Row[]) => rows.map(({ detail }) => String(detail).replaceAll('main.', ''))
      // what is read by its alias is told by its name
      expect(steps(watched).map((step) => step.replace(/^(SCAN|SEARCH) \w+/, '$1'))).toEqual(
        steps(plain).map((step) => step.replace(/^(SCAN|SEARCH) \w+/, '$1')),
      )
    }
  })

  it('sees what was committed before it was asked, and nothing that was not', async () => {
    const { store } = await open(file)
    const projectId = newProjectId()
    for (let n = 1; n <= 20; n++) {
      await store.contacts.save([contact(projectId)])
      expect(await store.contacts.count(projectId, { search: 'example' })).toBe(n)
    }
    const [begun, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = store.transaction(async (tx) => {
      await tx.contacts.save([contact(projectId)])
      expect(await tx.contacts.count(projectId, { search: 'example' })).toBe(21)
      begun.resolve()
      await asked.promise
    })
    await begun.promise
    expect(await store.contacts.count(projectId, { search: 'example' })).toBe(20)
    asked.resolve()
    await transaction
    expect(await store.contacts.count(projectId, { search: 'example' })).toBe(21)
  })

  it('lets others read and write while it scans', async () => {
    const { store } = await open(file)
    await store.check()
    const reader = readerOf(file)
    let done = false
    const scan = reader.all(LONG, []).finally(() => {
      done = true
    })
    const projectId = newProjectId()
    await store.contacts.save([contact(projectId)])
    expect(await store.contacts.count(projectId, {})).toBe(1)
    expect(done).toBe(false)
    expect(await scan).toEqual([{ n: 3_000_000 }])
  })

  it('tells what went wrong with the code of SQLite, and goes on', async () => {
    await open(file)
    const reader = readerOf(file)
    await expect(reader.all('select * from nowhere', [])).rejects.toMatchObject({
      code: 'SQLITE_ERROR',
      message: 'no such table: nowhere',
    })
    const insert = `insert into main.engine_secrets values ('a', 'b', 1) returning name`
    await expect(reader.all(insert, [])).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
    await expect(reader.run(insert, [])).rejects.toThrow('writes nothing')
    expect(await reader.all(`select lower_text('ÄÖ') as "text", ? as "bytes"`, [new Uint8Array([1])])).toMatchObject([
      { text: 'äö', bytes: new Uint8Array([1]) },
    ])
  })

  it('fails the scans it had when it dies, and another one takes its place', async () => {
    const threads = threadsStarted()
    await open(file)
    const reader = readerOf(file)
    const scans = [reader.all(LONG, []), reader.all('select 1 as "one"', [])]
    const failed = Promise.allSettled(scans)
    // the process tells of a new thread in its next turn
    await turn()
    await threads[0]?.terminate()
    const unavailable = { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } }
    expect(await failed).toMatchObject([unavailable, unavailable])
    expect(await reader.all('select 1 as "one"', [])).toEqual([{ one: 1 }])
    expect(threads).toHaveLength(2)
  })

  it('ends when the store is closed, and with it what is under way', async () => {
    const threads = threadsStarted()
    const { store, close } = await open(file)
    const projectId = newProjectId()
    await store.contacts.save(Array.from({ length: 1500 }, () => contact(projectId, { data: LARGE })))
    const unavailable = { code: 'SERVICE_UNAVAILABLE' }
    const refused = Array.from({ length: 5 }, () => store.contacts.count(projectId, { audience: HEAVY })).map(
      async (scan) => await expect(scan).rejects.toMatchObject(unavailable),
    )
    await pause(200)
    const begun = performance.now()
    await close()
    await Promise.all(refused)
    // to the end each of them would take many times as long
    expect(performance.now() - begun).toBeLessThan(10_000)
    for (const thread of threads) expect(thread.threadId).toBe(-1)
    await expect(store.contacts.count(projectId, { search: 'x' })).rejects.toMatchObject(unavailable)
  })
})

/**
 * A filter and contacts that take long: some milliseconds a contact, more for what is asked than for what is stored.
 */
const LARGE = { text: 'lorem ipsum '.repeat(800) }
const HEAVY: Audience = {
  kind: 'any',
  of: Array.from({ length: 200 }, (_, n) => ({
    kind: 'data',
    path: ['text'],
    test: { is: 'text', how: 'contains', text: `dolor${n}` },
  })),
}

/** A scan that takes a while. */
const LONG = `with recursive t(n) as (select 1 union all select n + 1 from t where n < 3000000) select max(n) as "n" from t`

function readerOf(path: string, seconds = 60): Session {
  const reader = new SqliteReader({ path, timeout: 1000 })
  onTestFinished(() => reader.close())
  return reader.session(seconds)
}

/** The threads this process starts from now on. */
function threadsStarted(): readonly Worker[] {
  const threads: Worker[] = []
  const add = (thread: Worker) => threads.push(thread)
  process.on('worker', add)
  onTestFinished(() => void process.off('worker', add))
  return threads
}

async function open(path: string, readTimeoutSeconds = 60): Promise<{ store: Store; close(): Promise<void> }> {
  const opened = await sqlite({ file: path, synchronous: 'NORMAL', readTimeoutSeconds }).open({
    log: silentLog,
    clock: systemClock,
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= opened.close?.() ?? Promise.resolve()
    return closed
  }
  onTestFinished(close)
  return { store: opened.store, close }
}
