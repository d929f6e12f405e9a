import { chmod, copyFile, mkdir, open as openFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { sqlStore } from '../../plugins/kit/sql/sql-store.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { openDatabase } from '../../plugins/store-sqlite/open-database.ts'
import { holdFile } from '../../plugins/store-sqlite/open-file.ts'
import { contact, newProjectId, project, put } from '../contracts/store/records.ts'
import { freshFolder } from '../support/fresh-folder.ts'

/** A store whose file fails says so, and answers for nothing that would be lost. */
describe('a store on a file that fails', () => {
  let folder: string
  let file: string

  beforeEach(() => {
    folder = freshFolder()
    file = join(folder, 'mail.db')
  })

  const unavailable = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfter: expect.any(Number) })

  /** Every way to write: a statement of the ORM, the write batch, and a transaction. */
  async function expectRefused(store: Store): Promise<void> {
    const projectId = newProjectId()
    await expect(store.projects.save(project())).rejects.toEqual(unavailable)
    await expect(put(store, projectId, { contacts: [contact(projectId)] })).rejects.toEqual(unavailable)
    await expect(store.transaction((tx) => tx.contacts.save([contact(projectId)]))).rejects.toEqual(unavailable)
  }

  it.each(['FULL', 'NORMAL'] as const)('is down and takes nothing once the file is deleted, with %s', async (mode) => {
    const { store, errors } = await open(file, mode)
    await store.projects.save(project())
    await store.check()
    for (const end of ['', '-wal', '-shm']) await rm(file + end)
    await expectRefused(store)
    await expect(store.check()).rejects.toEqual(unavailable)
    expect(errors).toEqual(['writes are refused from now on'])
  })

  it('goes on when SQLite has already rolled back what failed, as it does on a full disk', async () => {
    const { store, client } = await openWithClient(file)
    const failing = store.transaction(async (tx) => {
      await tx.contacts.save([contact(newProjectId())])
      client.exec('rollback')
      throw new Error('database or disk is full')
    })
    await expect(failing).rejects.toThrow('database or disk is full')
    const saved = project()
    await store.transaction((tx) => tx.projects.save(saved))
    expect((await store.projects.list()).map(({ id }) => id)).toEqual([saved.id])
  })

  it('is down while its file is elsewhere, and works when it is back', async () => {
    const { store } = await open(file)
    await rename(file, `${file}.away`)
    await expectRefused(store)
    await expect(store.check()).rejects.toThrow('is gone')
    await rename(`${file}.away`, file)
    await store.check()
    await store.projects.save(project())
  })

  it('is down once another file stands in its place', async () => {
    const { store } = await open(file)
    await copyFile(file, `${file}.copy`)
    await rename(`${file}.copy`, file)
    await expect(store.check()).rejects.toThrow('is not the file any more')
    await expectRefused(store)
  })

  it('is down once its log is gone, which holds what was answered last', async () => {
    const { store } = await open(file)
    await store.projects.save(project())
    await rm(`${file}-wal`)
    await expectRefused(store)
    await expect(store.check()).rejects.toEqual(unavailable)
  })

  it('is down while the disk is full, however little a check needs', async () => {
    const { store, client } = await openWithClient(file)
    const [{ page_count: pages } = { page_count: 0 }] = client.pragma('page_count') as { page_count: number }[]
    client.pragma(`max_page_count = ${pages + 20}`)
    await store.check()
    const projectId = newProjectId()
    const many = () => Array.from({ length: 500 }, () => contact(projectId))
    await expect(put(store, projectId, { contacts: many() })).rejects.toEqual(unavailable)
    // a row still fits
    await store.projects.save(project())
    await expect(store.check()).rejects.toEqual(unavailable)
    await expect(store.check()).rejects.toEqual(unavailable)
    client.pragma('max_page_count = 1000000')
    await store.check()
    await put(store, projectId, { contacts: many() })
    expect(await secretsOf(client)).toEqual([])
  })

  it('is down once the file is damaged, before anybody else finds out', async () => {
    const first = await open(file)
    const projectId = newProjectId()
    await first.store.contacts.save(Array.from({ length: 300 }, () => contact(projectId)))
    await first.close()
    const { store, errors } = await open(file)
    await store.check()
    const { size } = await stat(file)
    const handle = await openFile(file, 'r+')
    await handle.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
    await handle.close()
    await expect(store.check()).rejects.toEqual(unavailable)
    await expectRefused(store)
    expect(errors).toEqual(['writes are refused from now on'])
  })

  it('keeps nothing more once the disk has failed to sync, since the next sync would hide what was lost', async () => {
    const { store, close } = await open(file)
    const [kept, lost, later] = [project(), project(), project()]
    await store.projects.save(kept)
    const handle = await openFile(`${file}-wal`, 'r')
    const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync')
    onTestFinished(() => datasync.mockRestore())
    await handle.close()
    datasync.mockRejectedValueOnce(new Error('EIO: i/o error, fdatasync'))
    await expect(store.projects.save(lost)).rejects.toEqual(unavailable)
    await expect(store.projects.save(later)).rejects.toEqual(unavailable)
    await expect(store.check()).rejects.toThrow('EIO')
    await expectRefused(store)
    await close()
    const again = await open(file)
    await again.store.check()
    const there = (await again.store.projects.list()).map(({ id }) => id)
    expect(there).toContain(kept.id)
    expect(there).not.toContain(later.id)
  })

  it('answers claims before the disk has them, and takes no other write once it has failed them', async () => {
    const { store, database } = await openWithClient(file)
    await store.projects.save(project())
    const handle = await openFile(`${file}-wal`, 'r')
    const disk = Promise.withResolvers<void>()
    const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync').mockReturnValue(disk.promise)
    onTestFinished(() => {
      datasync.mockRestore()
      disk.resolve()
    })
    await handle.close()
    const claim = () => database.claim((session) => session.run(`update "projects" set "name" = 'claimed'`, []))
    expect(await claim()).toBe(1)
    await expect.poll(() => datasync.mock.calls).toHaveLength(1)
    disk.reject(new Error('EIO: i/o error, fdatasync'))
    await expect.poll(() => claim().catch((error: unknown) => error)).toEqual(unavailable)
    await expectRefused(store)
  })

  it('answers no claim before the disk has all that was written before it', async () => {
    const { store, database } = await openWithClient(file)
    await store.projects.save(project())
    const handle = await openFile(`${file}-wal`, 'r')
    const syncs: (() => void)[] = []
    const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync')
    datasync.mockImplementation(() => new Promise<void>((resolve) => syncs.push(resolve)))
    onTestFinished(() => {
      datasync.mockRestore()
      for (const end of syncs) end()
    })
    await handle.close()
    const answered: string[] = []
    const write = (name: string) => database.write((session) => session.run(`update "projects" set "name" = ?`, [name]))
    const claim = (name: string) => database.claim((session) => session.run(`update "projects" set "name" = ?`, [name]))
    const [accepted, early] = [write('accepted'), claim('early')]
    const [later, late] = [write('later'), claim('late')]
    accepted.then(() => answered.push('accepted'))
    early.then(() => answered.push('early claim'))
    late.then(() => answered.push('late claim'))
    later.then(() => answered.push('later'))
    await expect.poll(() => syncs).toHaveLength(1)
    expect(answered).toEqual([])
    syncs[0]?.()
    await early
    expect(answered.toSorted()).toEqual(['accepted', 'early claim'])
    await expect.poll(() => syncs).toHaveLength(2)
    syncs[1]?.()
    await Promise.all([later, late])
  })

  it('is looked at once for all who ask at the same time', async () => {
    const { store, database } = await openWithClient(file)
    const looks = vi.spyOn(database, 'check')
    await Promise.all(Array.from({ length: 50 }, () => store.check()))
    expect(looks).toHaveBeenCalledTimes(1)
    await store.check()
    expect(looks).toHaveBeenCalledTimes(2)
  })

  it('is told of in the log when it was made just now', async () => {
    const first = await open(file)
    expect(first.infos).toEqual(['a new database was made'])
    await first.close()
    expect((await open(file)).infos).toEqual([])
  })
})

describe('what the engine stores in files', () => {
  it('is made for its own user alone, and told of when others can read it', async () => {
    const folder = join(freshFolder(), 'data')
    const file = join(folder, 'mail.db')
    const first = await open(file)
    await first.store.projects.save(project())
    const modes = async () => {
      const paths = [folder, ...['', '-wal', '-shm', '.lock'].map((end) => file + end)]
      return Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))
    }
    expect(await modes()).toEqual(['700', '600', '600', '600', '600'])
    expect(first.warnings).toEqual([])
    await first.close()
    await chmod(file, 0o644)
    const second = await open(file)
    expect(second.warnings).toEqual([expect.stringContaining(`chmod 600 ${file}`)])
    await second.close()
  })

  it('is not to be closed together with what is not the engine’s', async () => {
    const folder = freshFolder()
    await mkdir(join(folder, 'photos'))
    await chmod(folder, 0o755)
    const file = join(folder, 'mail.db')
    await writeFile(file, '', { mode: 0o644 })
    const { warnings } = await open(file)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^chmod 600 /)
    expect(warnings[0]).toContain(file)
    expect(warnings[0]).not.toContain('700')
  })
})

async function open(path: string, synchronous: 'FULL' | 'NORMAL' = 'FULL') {
  const [infos, warnings, errors]: [string[], string[], string[]] = [[], [], []]
  const log = {
    ...silentLog,
    info: (message: string) => void infos.push(message),
    warn: (_message: string, fields?: Readonly<Record<string, unknown>>) => void warnings.push(String(fields?.mend)),
    error: (message: string) => void errors.push(message),
  }
  const opened = await sqlite({ file: path, synchronous }).open({ log, clock: systemClock })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= (opened.close?.() ?? Promise.resolve()).catch(() => {})
    return closed
  }
  onTestFinished(close)
  return { store: opened.store, infos, warnings, errors, close }
}

/** The store with the connection it writes over. */
async function openWithClient(path: string) {
  const held = await holdFile(path)
  const { orm, client, database, migrate, tune, close } = await openDatabase(held)
  onTestFinished(() => close().finally(() => held.release()))
  await migrate()
  tune('FULL')
  return { store: sqlStore(database, orm), client, database }
}

async function secretsOf(client: Awaited<ReturnType<typeof openWithClient>>['client']) {
  return client.prepare('select "name" from "engine_secrets"').all([])
}
