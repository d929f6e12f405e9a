import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { backUpData, restoreData } from '../../config/backup-data.ts'
import { createEngine, type Engine, silentLog } from '../../config/library.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshFolder } from '../support/fresh-folder.ts'

const IMAGE = readFileSync(new URL('../samples/images/still.png', import.meta.url))
const MAIL = { from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }

/** The content of a backup, and what it refuses; `test/crash/backup.test.ts` makes one of a server under load. */
describe('a backup', () => {
  let folder: string
  let backup: string

  beforeEach(() => {
    folder = freshFolder()
    backup = join(folder, 'mail.backup')
  })

  it('brings mails, settings and uploaded files back, over what was there, which is kept aside', async () => {
    const from = place('a')
    const { project, image } = await from.use(async (engine, project) => {
      const { url } = await engine.uploads.add(project, { file: IMAGE })
      await engine.sending.send(project, { ...MAIL, to: 'ada@example.org' })
      return { project, image: url.split('/').at(-1) ?? '' }
    })
    const made = await backUpData(backup, { config: from.config, force: false })
    expect(made).toMatchObject({ mails: 1, waiting: 1, files: 1, missing: 0 })
    const to = place('b')
    await to.use((engine, project) => engine.sending.send(project, { ...MAIL, to: 'bob@example.org' }))
    await expect(restoreData(backup, { config: to.config, force: false, resume: false })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('--force'),
    })
    // the mode and the owner are those of a database of this folder, not of the backup
    chmodSync(backup, 0o644)
    if (process.getuid?.() === 0) chownSync(to.folder, 65_534, 65_534)
    const { replaced, ...restored } = await restoreData(backup, { config: to.config, force: true, resume: false })
    expect(restored).toEqual({ ...made, held: 0 })
    const { mode, uid } = statSync(to.file)
    expect([mode & 0o777, uid]).toEqual([0o600, statSync(to.folder).uid])
    await to.use(async (engine) => {
      const [found, ...others] = await engine.projects.list()
      expect([found?.id, others]).toEqual([project.id, []])
      expect((await engine.mails.list(project, { limit: 10 })).items.map(({ to }) => to)).toEqual(['ada@example.org'])
      const upload = await engine.uploads.find(project.id, image)
      const stream = upload && (await engine.uploads.bytes(upload))
      expect(Buffer.from(await new Response(stream?.bytes).arrayBuffer()).equals(IMAGE)).toBe(true)
    })
    expect(mailsOf(replaced ?? '')).toEqual(['bob@example.org'])
    // nothing of a backup is left in the database, and no draft beside it
    expect(tablesOf(to.file).filter((name) => name.startsWith('backup_'))).toEqual([])
    expect(readdirSync(to.folder).filter((name) => /part|restored/.test(name))).toEqual([])
  })

  it('holds campaigns that would send again what was sent since, unless they are to go on', async () => {
    const from = place('a')
    const fields = { subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }
    const names = ['now', 'past', 'future', 'draft'] as const
    await from.use(async ({ campaigns, contacts }, project) => {
      await contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
      for (const name of names) {
        const { campaign } = await campaigns.create(project, { ...fields, name, audienceType: 'ALL' })
        if (name === 'draft') {
          const series = { name: 's', campaignId: campaign.id, rhythm: { every: 'day' } } as const
          await campaigns.series.create(project, series)
          continue
        }
        const later = new Date(Date.now() + 3_600_000).toISOString()
        await campaigns.send(project, campaign.id, name === 'now' ? {} : { scheduledFor: later })
      }
    })
    const change = new DatabaseSync(from.file)
    change.exec(`update "campaigns" set "scheduled_at" = 1000 where "name" = 'past'`)
    change.exec(`update "campaign_series" set "next_at" = 1000`)
    change.close()
    await backUpData(backup, { config: from.config, force: false })
    const restored = async (name: string, resume: boolean) => {
      const to = place(name)
      const { held } = await restoreData(backup, { config: to.config, force: false, resume })
      const found = await to.use(({ campaigns }, project) => campaigns.list(project, { limit: 10 }))
      const [series] = (await to.use(({ campaigns }, project) => campaigns.series.list(project))).items
      return {
        held,
        series: series?.nextAt?.getTime(),
        ...Object.fromEntries(found.items.map(({ campaign: { name, status } }) => [name, status])),
      }
    }
    const untouched = { future: 'SCHEDULED', draft: 'DRAFT' }
    expect(await restored('b', false)).toEqual({ held: 3, now: 'PAUSED', past: 'DRAFT', ...untouched })
    expect(await restored('c', true)).toEqual({
      held: 0,
      series: 1000,
      now: 'SENDING',
      past: 'SCHEDULED',
      ...untouched,
    })
  })

  it('is neither made over a file nor of a database that is not there, nor of one that is none of SQLite', async () => {
    const from = place('a')
    const ask = (force: boolean, config = from.config) => backUpData(backup, { config, force })
    await expect(ask(false)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('no data'),
    })
    expect(existsSync(join(from.folder, 'uploads'))).toBe(false)
    await from.use(async () => {})
    writeFileSync(backup, 'mine')
    await expect(ask(false)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('--force') })
    expect(readFileSync(backup, 'utf8')).toBe('mine')
    expect(await ask(true)).toMatchObject({ mails: 0 })
    await expect(backUpData(join(folder, 'none', 'x'), { config: from.config, force: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('cannot be made: ENOENT'),
    })
    const elsewhere = join(folder, 'postgres.json')
    const store = { use: 'postgres', options: { url: 'postgres://mail:secret@127.0.0.1:1/mail' } }
    writeFileSync(elsewhere, JSON.stringify({ store }))
    for (const work of [
      () => ask(true, elsewhere),
      () => restoreData(backup, { config: elsewhere, force: true, resume: false }),
    ]) {
      const refusal = await work().catch((error: Error) => error.message)
      expect(refusal).toMatch(/pg_(dump|restore) --/)
      expect(refusal).not.toContain('secret')
    }
  })

  it('of another kind, of a newer version, cut short or damaged is refused, and changes nothing', async () => {
    const from = place('a')
    await from.use((engine, project) => engine.sending.send(project, { ...MAIL, to: 'ada@example.org' }))
    await backUpData(backup, { config: from.config, force: false })
    const to = place('b')
    const variant = (change: (file: string) => void) => {
      const file = join(folder, 'variant')
      copyFileSync(backup, file)
      change(file)
      return restoreData(file, { config: to.config, force: true, resume: false })
    }
    const newer = (file: string) => {
      const database = new DatabaseSync(file)
      database.exec(`insert into "mailwright_migrations" ("name") values ('Migration9999')`)
      database.close()
    }
    await expect(variant(newer)).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('9999'),
    })
    await expect(variant((file) => truncateSync(file, 200_000))).rejects.toThrow('is damaged or not whole')
    await expect(variant((file) => writeFileSync(file, 'no database'.repeat(1000)))).rejects.toThrow('is not a backup')
    await expect(variant((file) => copyFileSync(from.file, file))).rejects.toThrow('is not a backup')
    for (const none of [join(folder, 'none'), folder])
      await expect(restoreData(none, { config: to.config, force: true, resume: false })).rejects.toThrow(
        'There is no file',
      )
    expect(existsSync(to.file)).toBe(false)
  })

  /** An installation with one project, in a folder of its own. */
  function place(name: string) {
    const own = join(folder, name)
    const [file, uploads, config] = [join(own, 'mail.db'), join(own, 'uploads'), join(folder, `${name}.json`)]
    const projects = [{ name, trustedDomains: ['example.com'] }]
    const store = { use: 'sqlite', options: { file } }
    writeFileSync(config, JSON.stringify({ store, blobs: { use: 'disk', options: { directory: uploads } }, projects }))
    return {
      folder: own,
      file,
      config,
      async use<T>(
        work: (engine: Engine, project: Awaited<ReturnType<Engine['projects']['list']>>[number]) => Promise<T>,
      ) {
        const engine = await createEngine({
          store: sqlite({ file }),
          blobs: disk({ directory: uploads }),
          projects: existsSync(file) ? [] : projects,
          log: silentLog,
        })
        try {
          const [project] = await engine.projects.list()
          if (project === undefined) throw new Error('there is no project')
          return await work(engine, project)
        } finally {
          await engine.stop()
        }
      },
    }
  }
})

function tablesOf(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const tables = database.prepare('select "name" from sqlite_master').all()
  database.close()
  return tables.map(({ name }) => String(name))
}

function mailsOf(file: string): readonly string[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare('select "to" from "emails"').all()
  database.close()
  return rows.map(({ to }) => String(to))
}
