import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { SqliteReader } from '../../plugins/store-sqlite/sqlite-reader.ts'
import { contact, newProjectId } from '../contracts/store-records.ts'

describe('the thread that reads the file of the SQLite store', () => {
  let file: string

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailwright-reader-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    file = join(folder, 'mail.db')
  })

  it('starts with the first scan and not before', async () => {
    const threads = threadsStarted()
    const { store } = await open(file)
    const projectId = newProjectId()
    await store.contacts.save([contact(projectId)])
    await store.contacts.pageAndCount(projectId, {}, { sort: 'createdAt', dir: 'asc' }, { limit: 9 })
    expect(threads).toHaveLength(0)
    await Promise.all([1, 2, 3].map(() => store.contacts.count(projectId, { search: 'example' })))
    expect(threads).toHaveLength(1)
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
    const insert = `insert into engine_secrets values ('a', 'b', 1) returning name`
    await expect(reader.all(insert, [])).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
    await expect(reader.run()).rejects.toThrow('writes nothing')
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

  it('ends when the store is closed, behind the scans that are under way', async () => {
    const threads = threadsStarted()
    const { store, close } = await open(file)
    const projectId = newProjectId()
    await store.contacts.save([contact(projectId)])
    const scan = store.contacts.count(projectId, { search: 'example' })
    await close()
    expect(await scan).toBe(1)
    expect(threads[0]?.threadId).toBe(-1)
    await expect(store.contacts.count(projectId, { search: 'x' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })
})

/** A scan that takes a while. */
const LONG = `with recursive t(n) as (select 1 union all select n + 1 from t where n < 3000000) select max(n) as "n" from t`

function readerOf(path: string): SqliteReader {
  const reader = new SqliteReader({ path, timeout: 1000 })
  onTestFinished(() => reader.close())
  return reader
}

/** The threads this process starts from now on. */
function threadsStarted(): readonly Worker[] {
  const threads: Worker[] = []
  const add = (thread: Worker) => threads.push(thread)
  process.on('worker', add)
  onTestFinished(() => void process.off('worker', add))
  return threads
}

async function open(path: string): Promise<{ store: Store; close(): Promise<void> }> {
  const opened = await sqlite({ file: path }).open({ log: silentLog, clock: systemClock })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= opened.close?.() ?? Promise.resolve()
    return closed
  }
  onTestFinished(close)
  return { store: opened.store, close }
}
