import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { Checkpoints } from '../../plugins/store-sqlite/checkpoints.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { openDatabase } from '../../plugins/store-sqlite/open-database.ts'
import { holdFile } from '../../plugins/store-sqlite/open-file.ts'
import { openReadOnly } from '../../plugins/store-sqlite/sqlite-driver.ts'
import { WalFile, WalSync } from '../../plugins/store-sqlite/wal-sync.ts'
import { contact, NOON, project } from '../contracts/store/records.ts'
import { SettableClock } from '../support/store.ts'

describe('the sync of the write-ahead log', () => {
  it('begins after the commit that waits for it, and is shared by all who wait', async () => {
    let begun = 0
    const ends: (() => void)[] = []
    const sync = new WalSync(() => {
      begun++
      return new Promise((resolve) => ends.push(resolve))
    })
    const first = sync.durable()
    const later = [sync.durable(), sync.durable(), sync.durable()]
    expect(begun).toBe(1)
    ends.shift()?.()
    await first
    await Promise.resolve()
    expect(begun).toBe(2)
    ends.shift()?.()
    await Promise.all(later)
    expect(begun).toBe(2)
  })

  it('comes before the first claim, although nothing was written: the process before may have crashed', async () => {
    let syncs = 0
    const sync = new WalSync(async () => void syncs++)
    await sync.durableUpTo(sync.commits)
    await sync.durableUpTo(sync.commits)
    expect(syncs).toBe(1)
  })

  it('tells everyone who waited when the disk fails, and is tried anew for the next', async () => {
    let works = false
    const sync = new WalSync(async () => {
      if (!works) throw new Error('EIO')
    })
    const unavailable = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })
    const both = [sync.durable(), sync.durable()]
    for (const one of both) await expect(one).rejects.toEqual(unavailable)
    works = true
    await expect(sync.durable()).resolves.toBeUndefined()
    await sync.settled()
  })

  describe('of a real file', () => {
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mailwright-wal-'))
    })
    afterEach(() => rm(folder, { recursive: true, force: true }))

    it('is what a write waits for, while reads and the next write go on', async () => {
      const held = await holdFile(join(folder, 'mail.db'))
      const { database, migrate, close } = await openDatabase(held)
      await migrate()
      const ends: (() => void)[] = []
      database.syncBy(new WalSync(() => new Promise((resolve) => ends.push(resolve))))
      const done: string[] = []
      const write = (name: string) =>
        database
          .write((session) => session.run(`insert into "engine_secrets" values (?, '', 0)`, [name]))
          .then(() => done.push(name))
      const [first, second] = [write('first'), write('second')]
      const seen = await database.read((session) => session.all('select "name" from "engine_secrets"', []))
      expect(seen).toHaveLength(2)
      expect(done).toEqual([])
      ends.shift()?.()
      await first
      expect(done).toEqual(['first'])
      ends.shift()?.()
      await second
      await close()
      await held.release()
    })

    it('works as long as the database is open', async () => {
      const path = join(folder, 'mail.db')
      const opened = await sqlite({ file: path }).open({ log: silentLog, clock: new SettableClock() })
      for (let i = 0; i < 5; i++) await opened.store.projects.save(project())
      const wal = new WalFile(path)
      await expect(wal.sync()).resolves.toBeUndefined()
      await wal.close()
      await opened.close?.()
      await expect(new WalFile(path).sync()).rejects.toThrow('ENOENT')
    })

    it('is moved into the file beside the writers, begins anew, and loses nothing', async () => {
      const path = join(folder, 'mail.db')
      const held = await holdFile(path)
      const { client, database, migrate, tune, close } = await openDatabase(held)
      await migrate()
      tune('FULL')
      let written = 0
      const insert = `insert into "engine_secrets" values (?, ?, 0)`
      const write = () => database.write((session) => session.run(insert, [`${written++}`, LARGE]))
      // one transaction that is larger than the log should be, and many that are not
      await database.write(async (session) => {
        for (; written < 70; written++) await session.run(insert, [`${written}`, LARGE])
      })
      while (written < 90) await write()
      const pages = async () => {
        await write()
        return Number(client.prepare('pragma wal_checkpoint(noop)').all([])[0]?.log)
      }
      await expect.poll(pages).toBeLessThan(1000)
      expect((await stat(path)).size).toBeGreaterThan(90 * LARGE.length)
      await close()
      await held.release()
      const again = await openDatabase(await holdFile(path))
      const count = `select count(*) as "n" from "engine_secrets"`
      expect(await again.database.read((session) => session.all(count, []))).toEqual([{ n: written }])
      await again.close()
    })

    it('is moved and brought to the disk before the writers have to wait, also what they write meanwhile', async () => {
      const path = join(folder, 'mail.db')
      const { client, migrate, close } = await openDatabase(await holdFile(path))
      await migrate()
      client.pragma('journal_mode = wal')
      const insert = client.prepare(`insert into "engine_secrets" values (?, ?, 0)`)
      const log = () => client.prepare('pragma wal_checkpoint(noop)').all([])[0]
      const left = () => Number(log()?.log) - Number(log()?.checkpointed)
      const leftForTurn: number[] = []
      const turn = async (work: () => Promise<void>) => {
        leftForTurn.push(left())
        await work()
      }
      const checkpoints = new Checkpoints({ client, path, turn })
      for (let i = 0; i < 65; i++) insert.run([`${i}`, LARGE])
      const post = vi.spyOn(Worker.prototype, 'postMessage')
      post.mockImplementationOnce(function (this: Worker, question: unknown) {
        this.postMessage(question)
        const until = performance.now() + 5000
        for (let i = 0; Number(log()?.checkpointed) === 0 && performance.now() < until; i++) insert.run([`m${i}`, 'x'])
        insert.run(['last', LARGE])
      })
      await checkpoints.afterCommit()
      post.mockRestore()
      expect(leftForTurn).toEqual([0])
      await checkpoints.close()
      await close()
    })

    it('has nothing of an erased person any more, and neither has the file, even if a long read held it up', async () => {
      const path = join(folder, 'mail.db')
      const opened = await sqlite({ file: path }).open({ log: silentLog, clock: new SettableClock() })
      const { store } = opened
      const acme = project()
      await store.projects.save(acme)
      const person = contact(acme.id, { email: 'erased@private.example', data: { name: 'Erased Person' } })
      await store.contacts.save([person])
      const traces = () =>
        ['', '-wal'].filter((end) => /erased@private|Erased Person/.test(readFileSync(path + end, 'latin1')))
      expect(traces()).toContain('-wal')
      // another program reads from the log meanwhile, as a backup does
      const reader = openReadOnly(path, 0)
      reader.exec('begin')
      reader.prepare('select count(*) as "n" from "contacts"').all([])
      expect(await store.contacts.remove(acme.id, person.id, NOON)).toBe(true)
      await store.retention.erased([person.id])
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(traces()).toContain('-wal')
      reader.exec('commit')
      reader.close()
      await expect.poll(traces, { timeout: 3000 }).toEqual([])
      // writing goes on
      await store.contacts.save([contact(acme.id)])
      expect(await store.contacts.count(acme.id, {})).toBe(1)
      await opened.close?.()
    })

    it('is moved on the main thread where the other one does not start', async () => {
      const held = await holdFile(join(folder, 'mail.db'))
      const { client, migrate, close } = await openDatabase(held)
      await migrate()
      client.pragma('journal_mode = wal')
      const turns: string[] = []
      const turn = async (work: () => Promise<void>) => {
        turns.push('turn')
        await work()
      }
      const checkpoints = new Checkpoints({ client, path: join(folder, 'is not there', 'mail.db'), turn })
      const insert = client.prepare(`insert into "engine_secrets" values (?, ?, 0)`)
      for (let i = 0; i < 65; i++) insert.run([`${i}`, LARGE])
      await expect(checkpoints.afterCommit()).rejects.toThrow('has ended')
      const [log] = client.prepare('pragma wal_checkpoint(noop)').all([])
      expect(log?.checkpointed).toBe(log?.log)
      expect(turns).toEqual(['turn'])
      await checkpoints.close()
      await close()
      await held.release()
    })
  })
})

const LARGE = 'x'.repeat(1024 * 1024)
