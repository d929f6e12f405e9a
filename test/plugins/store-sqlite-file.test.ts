import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/sqlite'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { DiskBlobStore } from '../../plugins/blobs-disk/disk-blob-store.ts'
import { copyMark } from '../../plugins/kit/sql/engine/copy-mark.ts'
import { migrate, migrationSettings } from '../../plugins/kit/sql/engine/migrate.ts'
import { entities, UNMAPPED_TABLES } from '../../plugins/kit/sql/engine/tables.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { migrations } from '../../plugins/store-sqlite/migrations/all.ts'
import { contact, content, email, event, NOON, newId, newProjectId, project, put } from '../contracts/store/records.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

describe('the file of the SQLite store', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailwright-store-'))
    onTestFinished(() => rm(folder, { recursive: true }))
  })

  it('is made with the folders above it, and keeps what was written', async () => {
    const file = join(folder, 'new', 'deep', 'mail.db')
    const acme = project()
    const first = await open(file)
    await first.store.projects.save(acme)
    await first.close()
    const second = await open(file)
    expect(await second.store.projects.list()).toEqual([acme])
  })

  it('is complete by itself after the store was closed', async () => {
    const file = join(folder, 'mail.db')
    const acme = project()
    const first = await open(file)
    await first.store.projects.save(acme)
    await first.close()
    for (const left of ['-wal', '-shm']) await expect(stat(file + left)).rejects.toMatchObject({ code: 'ENOENT' })
    const copy = join(folder, 'copy.db')
    await writeFile(copy, await readFile(file))
    expect(await (await open(copy)).store.projects.list()).toEqual([acme])
  })

  it.each(['FULL', 'NORMAL'] as const)('is written ahead, with synchronous=%s', async (synchronous) => {
    const file = freshFile(join(folder, 'mail.db'))
    const opened = await open(file, synchronous)
    await opened.store.projects.save(project())
    const reader = await openOrm(file)
    expect(await reader.em.execute('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
  })

  it('has options whose problems are told before anything is opened', () => {
    const file = join(folder, 'mail.db')
    const guess: { file: string } = { file, ...{ synchronous: 'OFF' } }
    expect(sqlite(guess).problems()).toMatchObject([{ field: 'synchronous' }])
    expect(sqlite({ file: '' }).problems()).toMatchObject([{ field: 'file' }])
    expect(sqlite({ file, synchronous: 'NORMAL' }).problems()).toEqual([])
    expect(sqlite().problems()).toEqual([])
  })

  it('can be read by another program while it is open', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    const opened = await open(file)
    await opened.store.projects.save(project({ name: 'Seen' }))
    const reader = await openOrm(file)
    const rows = await reader.em.execute('select name from projects')
    expect(rows).toEqual([{ name: 'Seen' }])
  })

  it('is refused to a second engine of the same process, under every name it has', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    const first = await open(file)
    await symlink(file, join(folder, 'link.db'))
    for (const name of [file, join(folder, 'x', '..', 'mail.db'), join(folder, 'link.db')]) {
      const error = await open(name).catch((refusal: unknown) => refusal)
      expect(error).toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining(file) })
    }
    await first.store.check()
    await first.close()
    await (await open(file)).store.check()
  })

  it('is refused to a second process, and free again when the first is killed', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    const acme = project()
    const holder = await openInProcess(file, JSON.stringify(acme))
    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining(file) })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const opened = await open(file)
    expect(await opened.store.projects.list()).toEqual([acme])
    const refused = await openInProcess(file, JSON.stringify(acme)).catch((error: Error) => error.message)
    expect(refused).toContain('STORE_LOCKED')
    expect(refused).toContain(file)
  })

  it('lets others have their turn while many large contacts are written and removed', async () => {
    const { store } = await open(freshFile(join(folder, 'mail.db')))
    const projectId = newProjectId()
    const data = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]))
    const contacts = Array.from({ length: 300 }, () => contact(projectId, { data }))
    // how often the work itself lets the event loop go on; waiting for the disk is not counted
    const spy = vi.spyOn(globalThis, 'setImmediate')
    onTestFinished(() => spy.mockRestore())
    const restsDuring = async (work: () => Promise<unknown>) => {
      spy.mockClear()
      await work()
      return spy.mock.calls.length
    }
    const [first, ...others] = contacts
    const save = (some: readonly Contact[]) => restsDuring(() => store.contacts.save(some))
    const remove = (some: readonly Contact[]) => {
      const ids = some.map(({ id }) => id)
      return restsDuring(() => store.contacts.removeAll(projectId, ids, new Date()))
    }
    // every row of the 150,000 keys is counted by a trigger; in one go that takes half a second and more
    expect(await save(others)).toBeGreaterThan(await save([first!]))
    // they go in three statements, with a rest before the second and the third
    expect(await remove(others)).toBeGreaterThan((await remove([first!])) + 1)
    expect(await store.contactFields.list(projectId)).toEqual({ contacts: 0, keys: 0, fields: [] })
  })

  it('may be two files in one process, which never meet', async () => {
    const [a, b] = [await open(join(folder, 'a.db')), await open(join(folder, 'b.db'))]
    await a.store.projects.save(project())
    expect(await b.store.projects.list()).toEqual([])
    await a.close()
    await b.store.check()
  })

  it('has the schema the entities describe, and has it from the migrations', async () => {
    const orm = await openOrm(join(folder, 'mail.db'))
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('create table `emails`')
    await migrate(orm, migrations)
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    await orm.em.execute('drop index "emails_due"')
    expect(await orm.schema.getUpdateSchemaSQL()).toContain('emails_due')
  })

  it('holds no byte any more of what was erased', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    const { store, close } = await open(file)
    const { id: projectId } = project()
    const person = contact(projectId, { email: 'ada.lovelace@example.org', data: { name: 'Lovelace' } })
    const words = content(projectId, { html: '<p>Dear Ms Lovelace</p>' })
    const mail = email(projectId, { contactId: person.id, contentId: words.id, to: person.email, toName: 'A Lovelace' })
    await put(store, projectId, { contacts: [person], contents: [words], emails: [mail] })
    await store.events.record([event(projectId, person.id, { data: { name: 'Lovelace' } })])
    await store.contacts.remove(projectId, person.id, NOON)
    const left = content(projectId, { subject: '', html: '', linksOnly: true })
    const change = { id: mail.id, contentId: words.id, newContentId: left.id }
    await store.retention.eraseMails(projectId, [change], [left], NOON)
    await store.retention.eraseHistory(projectId, [person.id], 9, NOON)
    await close()
    expect((await readFile(file)).includes(mail.id)).toBe(true)
    expect(/lovelace/i.exec((await readFile(file)).toString('latin1'))).toBeNull()
  })

  it('of an older version loses what contacts had left behind that were removed then', async () => {
    const file = join(folder, 'mail.db')
    const orm = await openOrm(file, 7)
    const { id: projectId } = project()
    const [removed, waiting, test, theirs, campaignId, contactId] = Array.from({ length: 6 }, newId)
    const add = (id = '', more: Record<string, string | number>) => {
      const row = {
        ...{
          id,
          project_id: projectId,
          content_id: id,
          to: 'ada@example.org',
          status: 'SENT',
          lane: 0,
          source_type: 'CAMPAIGN',
        },
        ...{ variables: '{"name":"Ada"}', tags: '{}', accepted: '[]', attempts: 0, opens: 1, clicks: 0 },
        ...{ created_at: 1, due_at: 1, updated_at: 1, ...more },
      }
      const marks = Object.keys(row)
        .map(() => '?')
        .join(', ')
      const names = Object.keys(row).map((name) => `"${name}"`)
      return orm.em.execute(`insert into "emails" (${names.join(', ')}) values (${marks})`, Object.values(row))
    }
    await add(removed, { campaign_id: campaignId ?? '' })
    await add(waiting, { source_type: 'TRANSACTIONAL', status: 'QUEUED' })
    await add(test, {})
    await add(theirs, { source_type: 'TRANSACTIONAL', contact_id: contactId ?? '' })
    await orm.close(true)

    const { emails, campaignMails } = (await open(file)).store
    const found = await Promise.all([removed, waiting, test, theirs].map((id = '') => emails.find(projectId, id)))
    expect(found.map((mail) => [mail?.to, mail?.status, mail?.variables.name, mail?.opens])).toEqual([
      ['deleted', 'SENT', undefined, 1],
      ['deleted', 'SKIPPED', undefined, 1],
      ['ada@example.org', 'SENT', 'Ada', 1],
      ['ada@example.org', 'SENT', 'Ada', 1],
    ])
    expect(await campaignMails.counters(projectId, campaignId ?? '')).toMatchObject({ recipients: 1 })
  })

  it('of an older version is brought up, and each migration is logged with how long it took', async () => {
    const file = join(folder, 'mail.db')
    const [last, second] = migrations.toReversed().map(({ name }) => name)
    await (await openOrm(file, Number.parseInt(second ?? '', 10))).close(true)
    const lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[] = []
    const info = (message: string, fields?: Readonly<Record<string, unknown>>) => void lines.push({ message, fields })
    const { close } = await sqlite({ file }).open({ log: { ...silentLog, info }, clock: systemClock })
    await close?.()
    const begun = lines.filter(({ message }) => message === 'a migration of the database runs')
    expect(begun.map(({ fields }) => fields)).toEqual([
      { migration: second, step: '1 of 2' },
      { migration: last, step: '2 of 2' },
    ])
    const ran = lines.filter(({ message }) => message === 'a migration of the database has run')
    expect(ran.map(({ fields }) => fields)).toEqual(
      [second, last].map((migration) => ({ migration, seconds: expect.any(Number) })),
    )
  })

  it('with many mails says, before it is brought up to date, how long an index of them may take', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    const opened = await open(file)
    await put(opened.store, newProjectId(), { emails: [email(newProjectId())] })
    await opened.close()
    const foretold = async (mails: number) => {
      const orm = await openOrm(file)
      await orm.em.execute('update emails set rowid = ?', [mails])
      await orm.em.execute('delete from mailwright_migrations where name = ?', [migrations.at(-1)?.name])
      await orm.close(true)
      const lines: unknown[] = []
      const info = (message: string, fields?: object) => void lines.push({ message, ...fields })
      const { message } = await sqlite({ file })
        .open({ log: { ...silentLog, info }, clock: systemClock })
        .then(({ close }) => close?.().then(() => ({ message: '' })) ?? { message: '' })
        .catch((error: Error) => error)
      // what the last migration made is there already, so it fails, or does nothing new
      expect(message).toMatch(/^$|could not be brought up to date/)
      return lines
    }
    const message = 'the database has many mails; a migration that makes an index of them may take this long'
    expect(await foretold(20_000_000)).toContainEqual({ message, mails: 20_000_000, secondsForAnIndex: 100 })
    expect(JSON.stringify(await foretold(999_999))).not.toContain(message)
  })

  it('of a newer version is refused and stays as it is', async () => {
    const file = freshFile(join(folder, 'mail.db'))
    await (await open(file)).close()
    const orm = await openOrm(file)
    await orm.em.execute(`insert into mailwright_migrations ("name") values ('9999-from-the-future')`)
    await orm.close(true)
    const before = await readFile(file)
    const error = await open(file).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({ code: 'STORE_NEWER', message: expect.stringContaining('9999-from-the-future') })
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it('tells which migrations it has and which wait, without being changed, also while an engine has it open', async () => {
    const file = join(folder, 'mail.db')
    const look = async () => sqlite({ file }).schemaState?.()
    await expect(look()).rejects.toMatchObject(refusal(file, 'cannot be opened'))
    const names = migrations.map(({ name }) => name)
    const orm = await openOrm(file, 13)
    await orm.close(true)
    const before = await readFile(file)
    const older = await look()
    expect(older?.applied.map(({ name }) => name)).toEqual(names.filter((name) => name < '0013'))
    expect(older?.applied[0]?.at.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(older).toMatchObject({ pending: names.filter((name) => name > '0013'), unknown: [], isBeingCopied: false })
    expect((await readFile(file)).equals(before)).toBe(true)
    await open(file)
    expect(await look()).toMatchObject({ pending: [], unknown: [] })
    const rows = ['9999-from-the-future', copyMark('x')].map((name) => `('${name}')`)
    await (await openOrm(file)).em.execute(`insert into mailwright_migrations ("name") values ${rows.join(', ')}`)
    expect(await look()).toMatchObject({ pending: [], unknown: ['9999-from-the-future'], isBeingCopied: true })
  })

  it('that is no database is refused with one clear line, and can be replaced then', async () => {
    const file = join(folder, 'mail.db')
    await writeFile(file, 'this is not a database, it is a letter to my grandmother'.repeat(100))
    await expect(open(file)).rejects.toMatchObject(refusal(file, 'is not an SQLite database'))
    await rm(file)
    await (await open(file)).store.check()
  })

  it.skipIf(process.getuid?.() !== 0)("is the folder owner's, with what is beside it, when root makes it", async () => {
    await chown(folder, 65_534, 65_534)
    await (await open(join(folder, 'data', 'mail.db'))).store.check()
    const blobs = await DiskBlobStore.open(join(folder, 'data', 'uploads'))
    await blobs.put('a/b', Buffer.from('x'))
    const made = await readdir(folder, { recursive: true })
    expect(made.length).toBeGreaterThan(5)
    const owners = await Promise.all(made.map(async (name) => (await stat(join(folder, name))).uid))
    expect(owners).toEqual(made.map(() => 65_534))
  })

  it('that is a folder is refused', async () => {
    const file = join(folder, 'mail.db')
    await mkdir(file)
    await expect(open(file)).rejects.toMatchObject(refusal(file, 'cannot be opened'))
  })

  it('below something that is no folder is refused', async () => {
    await writeFile(join(folder, 'letter'), '')
    const file = join(folder, 'letter', 'mail.db')
    await expect(open(file)).rejects.toMatchObject(refusal(file, 'cannot be used'))
  })
})

const kit = { log: silentLog, clock: systemClock }

/** Opens the file; it is closed when the test ends, unless the test did. */
async function open(
  file: string,
  synchronous: 'FULL' | 'NORMAL' = 'FULL',
): Promise<{ store: Store; close(): Promise<void> }> {
  const opened = await sqlite({ file, synchronous }).open(kit)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= opened.close?.() ?? Promise.resolve()
    return closed
  }
  onTestFinished(close)
  return { store: opened.store, close }
}

/** With `before` brought up to what was there before the migration of that number. */
async function openOrm(file: string, before?: number): Promise<MikroORM> {
  const list = migrations.filter(({ name }) => before === undefined || Number.parseInt(name, 10) < before)
  const settings = migrationSettings(list)
  const orm = new MikroORM({
    dbName: file,
    entities,
    extensions: [Migrator],
    migrations: settings,
    schemaGenerator: { skipTables: [...UNMAPPED_TABLES], ignoreTriggers: true },
  })
  onTestFinished(() => orm.close(true))
  if (before !== undefined) await migrate(orm, list)
  return orm
}

/** Opens the file in a process of its own, which saves the project and then holds the file. Rejects with what it printed when it ends. */
async function openInProcess(file: string, record: string): Promise<ChildProcess> {
  const module = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../..', path)).href)
  const script = `
    import { sqlite } from ${module('plugins/store-sqlite/index.ts')}
    import { silentLog } from ${module('core/ports/log.ts')}
    import { systemClock } from ${module('core/ports/clock.ts')}
    try {
      const { store } = await sqlite({ file: ${JSON.stringify(file)} }).open({ log: silentLog, clock: systemClock })
      const { createdAt, updatedAt, ...project } = ${record}
      await store.projects.save({ ...project, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) })
      console.log('open')
      setInterval(() => store.check(), 1000)
    } catch (error) {
      console.log(error.code, error.message)
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (String(said).trim() !== 'open') throw new Error(String(said))
  return child
}

function refusal(file: string, reason: string) {
  const fields = [{ field: 'store.options.file', message: expect.stringContaining(reason) }]
  return {
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(new RegExp(`^store-sqlite: file: ${file} .*${reason}.*$`)),
    fields,
  }
}
