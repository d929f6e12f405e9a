import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { type Entry, openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { loadConfig } from '../../config/index.ts'
import { createEngine } from '../../config/library.ts'
import { exportProject } from '../../config/moving/export-project.ts'
import { type ImportWish, importProject } from '../../config/moving/import-project.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { isJsonObject } from '../../core/values/json.ts'
import { uploadKey } from '../../core/values/upload-key.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { PLAN, partsOf } from '../../plugins/kit/sql/moving/plan.ts'
import { sqliteSide } from '../../plugins/store-sqlite/copy-side.ts'
import { liveThrough } from '../../server/demo/history.ts'
import { createApp } from '../../server/index.ts'
import { withProject } from '../../server/process/with-engine.ts'
import {
  at,
  contact,
  content,
  email,
  event,
  NOON,
  newId,
  project,
  put,
  putContact,
  step,
  suppression,
  template,
  workflow,
} from '../contracts/store/records.ts'
import { fillWithEverything } from '../support/everything.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { dump, within } from '../support/stored-rows.ts'

/** The configuration of a server whose database is there. */
interface Place {
  readonly place: string
  readonly folder: string
  readonly config: string
}

async function sqlitePlace(): Promise<Place> {
  const folder = freshFolder()
  return placeOf(join(folder, 'mailwright.db'), folder, {
    use: 'sqlite',
    options: { file: join(folder, 'mailwright.db') },
  })
}

async function postgresPlace(): Promise<Place> {
  const url = await freshDatabase()
  return placeOf(url, freshFolder(), { use: 'postgres', options: { url } })
}

function placeOf(place: string, folder: string, store: object): Place {
  const config = join(folder, 'mailwright.config.json')
  const blobs = { use: 'disk', options: { directory: join(folder, 'uploads') } }
  writeFileSync(
    config,
    JSON.stringify({ store, blobs, secret: 'a secret of sixty-four letters, which nobody will ever guess at all' }),
  )
  return { place, folder, config }
}

async function exported({ config, folder }: Place, named?: string, name = 'project.zip'): Promise<string> {
  const target = join(folder, name)
  const options = { force: false, signal: new AbortController().signal }
  await exportProject(
    target,
    await loadConfig({ path: config }),
    (work) => withProject(config, named, work, 'kept'),
    options,
  )
  return target
}

async function imported({ config }: Place, file: string, wish: Partial<ImportWish> = {}) {
  return importProject(file, await loadConfig({ path: config }), { resume: false, onProgress: () => {}, ...wish })
}

/** The rows of the tables that go along, as they arrive: claims have run out, and domains wait for new keys. */
function carried(dumped: ReadonlyMap<string, object[]>): Record<string, object[]> {
  const rows: Record<string, object[]> = {}
  for (const [table, records] of dumped) {
    if (LEFT.has(table) || table === 'domains') continue
    rows[table] = records.map((row) => ('leaseUntil' in row ? { ...row, leaseUntil: new Date(0) } : row))
  }
  return rows
}

/** The tables that stay, by hand, so that a new one is thought about. */
const LEFT = new Set([
  'api_keys',
  'idempotency_answers',
  'engine_secrets',
  'installation_settings',
  'project_mail_servers',
  'seed_mailboxes',
  'webhook_secrets',
  'begun_work',
  'retention_positions',
  'users',
  'user_identities',
  'recovery_codes',
  'project_members',
  'user_tokens',
  'user_sessions',
  'open_tabs',
  'attempts',
])

describe('a whole project', () => {
  it('goes from SQLite to PostgreSQL and back with every row, and leaves secrets behind', async () => {
    const [source, middle, back] = [await sqlitePlace(), await postgresPlace(), await sqlitePlace()]
    const { made } = await within(source.place, everything)
    const before = await dump(source.place)
    const image = Buffer.from('an image')
    await within(source.place, async (store) => {
      const hash = createHash('sha256').update(image).digest('hex')
      const about = {
        hash,
        name: 'a',
        contentType: 'image/png',
        width: 1,
        height: 1,
        size: image.length,
        createdAt: NOON,
      }
      await store.uploads.insert({ id: newId(), projectId: made.id, ...about })
      const { blobs } = await disk({ directory: join(source.folder, 'uploads') }).open({
        log: silentLog,
        clock: systemClock,
      })
      await blobs.put(uploadKey(made.id, hash), image)
    })
    const all = await dump(source.place)
    for (const [table, rows] of all) expect(rows.length, table).toBeGreaterThan(0)
    const file = await exported(source)
    expect(carried(await dump(source.place))).toEqual(carried(all))
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const arrived = await imported(middle, file, { resume: true })
    const there = await dump(middle.place)
    expect(carried(there)).toEqual(carried(all))
    expect(arrived.files.map(({ added }) => added)).toEqual(arrived.files.map(({ lines }) => lines))
    expect(arrived.uploads).toBe(1)
    const again = await imported(back, await exported(middle), { resume: true })
    expect(carried(await dump(back.place))).toEqual(carried(all))
    expect(again.uploads).toBe(1)
    for (const { folder } of [middle, back]) expect(filesIn(join(folder, 'uploads'))).toEqual([image.toString()])

    for (const table of LEFT) expect([table, there.get(table)]).toEqual([table, []])
    expect(there.get('domains')).toHaveLength(all.get('domains')?.length ?? 0)
    for (const domain of there.get('domains') ?? [])
      expect(domain).toMatchObject({ status: 'PENDING', keys: [], findings: {} })
    const archive = await unzipped(file)
    const secrets = [...(before.get('api_keys') ?? []), ...(before.get('webhook_secrets') ?? [])].flatMap(Object.values)
    expect([...archive.values()].join('\n')).not.toContain('whsec_')
    expect([...archive.values()].join('\n')).not.toContain('"sealed"')
    expect(secrets.length).toBeGreaterThan(0)
  })

  it('answers the same by the API, and its counters are those of the rows', async () => {
    const lived = await liveThrough({
      ...{ name: 'Lived', contacts: 30, seed: 7, publicUrl: 'https://x.example' },
      onDay: () => {},
      signal: new AbortController().signal,
    })
    try {
      const [source, target] = [
        placeOf(lived.file, freshFolder(), { use: 'sqlite', options: { file: lived.file } }),
        await postgresPlace(),
      ]
      const file = await exported(source)
      await imported(target, file, { resume: true })
      const answers = await Promise.all([answersOf(source.config), answersOf(target.config)])
      expect(answers[0].size).toBeGreaterThan(20)
      for (const [path, answer] of answers[0]) expect([path, answers[1].get(path)]).toEqual([path, answer])
      const csv = (await unzipped(file)).get('campaigns.csv')?.split('\n') ?? []
      expect(csv[0]).toContain('openRate')
      expect(csv.length).toBeGreaterThan(5)
    } finally {
      await lived.remove()
    }
  }, 240_000)

  it('holds what waits unless it is to go on, and the project is disabled', async () => {
    const [source, target, going] = [await sqlitePlace(), await postgresPlace(), await sqlitePlace()]
    await within(source.place, everything)
    const file = await exported(source)
    await imported(going, file, { resume: true })
    const { files } = await imported(target, file)
    const rows = await dump(target.place)
    expect(rows.get('projects')).toMatchObject([{ disabled: true }])
    const statuses = (table: string) => new Set(rows.get(table)?.map((row) => ('status' in row ? row.status : '')))
    for (const status of ['QUEUED', 'SENDING']) expect(statuses('emails')).not.toContain(status)
    for (const status of ['SCHEDULED', 'SENDING']) expect(statuses('campaigns')).not.toContain(status)
    expect(statuses('webhook_deliveries')).not.toContain('PENDING')
    expect(statuses('send_requests')).not.toContain('WAITING')
    expect(files.filter(({ held }) => held > 0).map((row) => row.file)).toEqual([
      'emails.ndjson',
      'contact_jobs.ndjson',
      'campaigns.ndjson',
      'campaign_series.ndjson',
      'webhook_deliveries.ndjson',
      'send_requests.ndjson',
    ])
    // run again, it changes nothing
    const second = await imported(target, file)
    expect(second.files.filter(({ added, held }) => added + held > 0)).toEqual([])
    expect(carried(await dump(target.place))).toEqual(carried(rows))
    await withProject(target.config, undefined, async (engine, found) => {
      await expect(engine.projects.keys.create(found, KEY)).rejects.toMatchObject({ code: 'PROJECT_DISABLED' })
      const enabled = await engine.projects.setDisabled(found, false)
      expect(await engine.projects.list()).toMatchObject([{ ...found, disabled: false, updatedAt: enabled.updatedAt }])
      await engine.projects.keys.create(enabled, KEY)
    })
  })

  it.each(['sqlite', 'postgres'])('joins a project that has other things, which stay (%s)', async (kind) => {
    const [source, target] = [await sqlitePlace(), kind === 'sqlite' ? await sqlitePlace() : await postgresPlace()]
    const theirs = await within(source.place, async (store) => {
      const made = project({ name: 'Theirs' })
      await store.projects.save(made)
      const [ada, bob] = [
        contact(made.id, { email: 'ada@example.com', data: { from: 'there' } }),
        contact(made.id, { email: 'bob@example.com' }),
      ]
      const letter = template(made.id, { slug: 'hello', body: 'there' })
      await store.templates.insert(letter)
      const words = content(made.id)
      const mail = email(made.id, {
        contactId: ada.id,
        to: ada.email,
        templateId: letter.id,
        contentId: words.id,
        status: 'SENT',
      })
      await put(store, made.id, {
        contacts: [ada, bob],
        contents: [words],
        emails: [mail],
        events: [event(made.id, ada.id, { name: 'bought' })],
      })
      await store.suppressions.put(suppression(made.id, 'gone@example.com'))
      return { made, ada, bob, letter, mail }
    })
    const file = await exported(source)
    const ours = await within(target.place, async (store) => {
      const made = project({ name: 'Ours', disabled: true })
      await store.projects.save(made)
      const ada = contact(made.id, { email: 'ada@example.com', data: { from: 'here' } })
      const letter = template(made.id, { slug: 'hello', body: 'here' })
      await store.templates.insert(letter)
      await put(store, made.id, { contacts: [ada] })
      // an event that comes along must not start it
      const drawn = workflow(made.id, { eventName: 'bought', enabled: true })
      await store.workflows.insert({ workflow: drawn, steps: [step(drawn, { type: 'TRIGGER' })], transitions: [] })
      const other = project({ name: 'Other' })
      await store.projects.save(other)
      await putContact(store, other.id)
      return { made, other, ada, letter }
    })
    for (let times = 0; times < 2; times++) {
      await imported(target, file, { project: 'Ours' })
      await within(target.place, async (store) => {
        const { id } = ours.made
        expect(await store.contacts.find(id, ours.ada.id)).toEqual(ours.ada)
        expect(await store.contacts.find(id, theirs.bob.id)).toEqual({ ...theirs.bob, projectId: id })
        expect(await store.contacts.count(id, {})).toBe(2)
        expect(await store.contacts.count(ours.other.id, {})).toBe(1)
        expect(await store.templates.find(id, ours.letter.id)).toMatchObject({ body: 'here' })
        const mail = await store.emails.find(id, theirs.mail.id)
        expect(mail).toMatchObject({ contactId: ours.ada.id, templateId: ours.letter.id, projectId: id })
        expect(await store.outbox.pending(9)).toEqual([])
        expect((await store.projects.list()).map(({ name }) => name).sort()).toEqual(['Other', 'Ours'])
      })
    }
    // once in a database
    await expect(imported(target, file)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^[a-z_]+\.ndjson, line [12]: the id .* is taken by another project/),
    })
    await expect(imported(target, file, { project: 'Nobody' })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' })
    await within(target.place, (store) => store.projects.save({ ...ours.made, disabled: false }))
    await expect(imported(target, file, { project: 'Ours' })).rejects.toThrow('disable it first, or add --resume')
  })

  it('refuses a name that is taken, and takes another', async () => {
    const [source, target] = [await sqlitePlace(), await sqlitePlace()]
    await within(source.place, (store) => filled(store, 'Acme'))
    await within(target.place, (store) => filled(store, 'Acme'))
    const file = await exported(source)
    await expect(imported(target, file)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('choose another --name'),
    })
    await imported(target, file, { name: 'Acme 2' })
    await within(target.place, async (store) =>
      expect((await store.projects.list()).map(({ name }) => name).sort()).toEqual(['Acme', 'Acme 2']),
    )
    await expect(exported(source)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('--force'),
    })
  })

  it('names file and line of what is wrong, and changes nothing', async () => {
    const [source, target] = [await sqlitePlace(), await postgresPlace()]
    await within(source.place, (store) => filled(store, 'Acme'))
    const files = await unzipped(await exported(source))
    const lines = (files.get('contacts.ndjson') ?? '').split('\n')
    const second = JSON.parse(lines[1] ?? '')
    const contacts = (change: object) => [lines[0], JSON.stringify({ ...second, ...change }), lines[2], ''].join('\n')
    const manifest = JSON.parse(files.get('manifest.json') ?? '')
    const about = (change: object) => JSON.stringify({ ...manifest, ...change })
    const wrong: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
      [
        'cut',
        { 'contacts.ndjson': (files.get('contacts.ndjson') ?? '').slice(0, -40) },
        'contacts.ndjson, line 3: it is no JSON',
      ],
      ['short', { 'contacts.ndjson': `${lines[0]}\n` }, 'contacts.ndjson has 1 lines; the manifest says 3'],
      ['blank', { 'contacts.ndjson': `${lines[0]}\n\n${lines[1]}\n` }, 'contacts.ndjson, line 2: it is no JSON'],
      ['list', { 'contacts.ndjson': '[]\n' }, 'contacts.ndjson, line 1: it is no JSON object'],
      ['field', { 'contacts.ndjson': contacts({ shoe: 42 }) }, 'contacts.ndjson, line 2: it has the field shoe'],
      ['missing', { 'contacts.ndjson': contacts({ email: undefined }) }, 'contacts.ndjson, line 2: it has no email'],
      [
        'type',
        { 'contacts.ndjson': contacts({ subscribed: 'yes' }) },
        'contacts.ndjson, line 2: it has a wrong subscribed: it must be true or false',
      ],
      [
        'date',
        { 'contacts.ndjson': contacts({ createdAt: '2026-13-45T00:00:00Z' }) },
        'line 2: it has a wrong createdAt',
      ],
      ['id', { 'contacts.ndjson': contacts({ id: '1' }) }, 'line 2: it has a wrong id: it must be an id'],
      ['nul', { 'contacts.ndjson': contacts({ email: 'a\0@example.com' }) }, 'line 2: it has a wrong email'],
      ['deep nul', { 'contacts.ndjson': contacts({ data: { a: 'a\0' } }) }, 'contacts.ndjson, line'],
      [
        'owner',
        { 'contacts.ndjson': contacts({ projectId: newId() }) },
        'contacts.ndjson, line 2: it belongs to another project',
      ],
      [
        'lane',
        { 'emails.ndjson': (files.get('emails.ndjson') ?? '').replace('"transactional"', '"express"') },
        'emails.ndjson, line 1: it has a wrong lane',
      ],
      [
        'base64',
        {
          'mail_attachments.ndjson': (files.get('mail_attachments.ndjson') ?? '').replace(
            /"bytes":"[^"]*"/,
            '"bytes":"?"',
          ),
        },
        'mail_attachments.ndjson, line 1: it has a wrong bytes',
      ],
      ['no manifest', { 'manifest.json': undefined }, 'it has no manifest.json'],
      ['manifest', { 'manifest.json': '{' }, 'manifest.json: it is no JSON'],
      ['format', { 'manifest.json': about({ format: 'zip' }) }, 'manifest.json: format'],
      [
        'version',
        { 'manifest.json': about({ version: 2 }) },
        'manifest.json: version: this version of Mailwright reads version 1',
      ],
      [
        'newer',
        { 'manifest.json': about({ schema: '9999-later' }) },
        'a newer version of Mailwright wrote it (9999-later)',
      ],
      [
        'name',
        { 'manifest.json': about({ project: { id: manifest.project.id, name: '' } }) },
        'project.name: it must not be empty',
      ],
      ['gone', { 'segments.ndjson': undefined }, 'segments.ndjson is missing'],
      ['strange', { 'notes.txt': 'hello' }, 'notes.txt is no file of an export'],
      [
        'strange file',
        { 'manifest.json': about({ files: { ...manifest.files, 'users.ndjson': 1 } }), 'users.ndjson': '{}\n' },
        'files: users.ndjson is no file of an export',
      ],
      ['image', { [`uploads/${'0'.repeat(64)}`]: 'other bytes' }, 'has other bytes than its name says'],
    ]
    const empty = await dump(target.place)
    for (const [name, change, message] of wrong) {
      const path = join(target.folder, 'wrong.zip')
      const changed = new Map([...files, ...Object.entries(change)])
      await zipped(path, new Map([...changed].filter((file): file is [string, string] => file[1] !== undefined)))
      await expect(imported(target, path), name).rejects.toMatchObject({
        code: expect.stringMatching(/^(CONFIG_INVALID|STORE_NEWER)$/),
        message: expect.stringContaining(message),
      })
    }
    expect(await dump(target.place)).toEqual(empty)
  }, 60_000)

  it('refuses hostile zips before it reads them', async () => {
    const [source, target] = [await sqlitePlace(), await sqlitePlace()]
    await within(source.place, (store) => filled(store, 'Acme'))
    const good = await exported(source)
    const path = join(target.folder, 'hostile.zip')
    const bytes = readFileSync(good)

    writeFileSync(path, bytes.subarray(0, bytes.length / 2))
    await expect(imported(target, path)).rejects.toThrow(/is no whole zip file/)
    writeFileSync(path, 'no zip at all')
    await expect(imported(target, path)).rejects.toThrow(/is no whole zip file/)
    writeFileSync(path, '')
    await expect(imported(target, path)).rejects.toThrow(/is no whole zip file/)
    await expect(imported(target, join(target.folder, 'missing.zip'))).rejects.toThrow('There is no file')

    // the same length, so that the directory stays right
    await zipped(
      path,
      new Map([
        ['manifest.json', '{}'],
        ['aa/evil.txt', 'x'],
      ]),
    )
    writeFileSync(
      path,
      Buffer.from(readFileSync(path).toString('latin1').replaceAll('aa/evil.txt', '../evil.txt'), 'latin1'),
    )
    await expect(imported(target, path)).rejects.toThrow(/is no whole zip file: .*\.\.\/evil\.txt/)
    await zipped(
      path,
      new Map([
        ['manifest.json', '{}'],
        ['manifest.jsom', '{}'],
      ]),
    )
    writeFileSync(
      path,
      Buffer.from(readFileSync(path).toString('latin1').replaceAll('manifest.jsom', 'manifest.json'), 'latin1'),
    )
    await expect(imported(target, path)).rejects.toThrow('it has manifest.json twice')

    // 101 MB of zeros in 100 kB
    await zipped(
      path,
      new Map<string, string | Buffer>([
        ['manifest.json', readManifestOf(await unzipped(good))],
        ['contacts.ndjson', Buffer.alloc(101 * 1024 * 1024)],
      ]),
    )
    expect(statSync(path).size).toBeLessThan(1_000_000)
    await expect(imported(target, path)).rejects.toThrow('would unpack to 10')
    expect(readdirSync(target.folder).sort()).toEqual(['hostile.zip', 'mailwright.config.json'])

    // one byte of a packed file is another: its checksum tells
    const packed = Buffer.from(bytes)
    const where = packed.indexOf('contacts.ndjson') + 60
    packed[where] = (packed[where] ?? 0) ^ 0xff
    writeFileSync(path, packed)
    await expect(imported(target, path)).rejects.toThrow(/contacts\.ndjson/)
    expect(existsSync(target.place) ? (await dump(target.place)).get('projects') : []).toEqual([])
  })

  /** `npx vitest run test/plugins/moving.test.ts -u` writes the table. */
  it('has a file for each table that goes along and a reason for each that stays, as the documentation lists them', async () => {
    const side = await sqliteSide(freshFile(join(freshFolder(), 'empty.db')), 'from')
    try {
      const files = partsOf(side.named).map(({ file, about, table }) => {
        const fields = table.columns.map(({ property }) => `\`${property}\``)
        return `| \`${file}\` | ${about} | ${fields.join(', ')} |`
      })
      const stay = Object.entries<object>(PLAN).flatMap(([name, plan]) => {
        const table = side.named[name as keyof typeof PLAN].name.replaceAll('"', '')
        return 'left' in plan ? [`| \`${table}\` | ${plan.left} |`] : []
      })
      expect(stay).toHaveLength(LEFT.size)
      const tables = [
        ...['| File | What a line is | Fields |', '|---|---|---|', ...files],
        ...['', '| Stays behind | Since |', '|---|---|', ...stay, ''],
      ]
      const page = readFileSync(PAGE, 'utf8')
      const [before = ''] = page.split(BEGINNING)
      await expect(`${before}${BEGINNING}\n\n${tables.join('\n')}`).toMatchFileSnapshot(PAGE)
    } finally {
      await side.close()
    }
  })
})

const KEY = { name: 'test', kind: 'secret', scopes: ['full'] } as const
const PAGE = join(import.meta.dirname, '../../docs/leaving.md')
const BEGINNING = '## Every file, and every field'

/** All that has broken stores before, with mail servers that an engine can start with. */
async function everything(store: Store) {
  const records = await fillWithEverything(store)
  const servers = { value: { servers: [] }, version: 2, updatedAt: NOON }
  await store.installation.put({ name: 'mail-servers', ...servers })
  await store.projectServers.put({ projectId: records.made.id, ...servers })
  return records
}

/** A project with three contacts and a mail with a file. */
async function filled(store: Store, name: string): Promise<void> {
  const made = project({ name })
  await store.projects.save(made)
  const contacts: Contact[] = [contact(made.id), contact(made.id), contact(made.id)]
  const attachments = [
    { filename: 'a', contentType: 'x/y', disposition: 'attachment', bytes: Uint8Array.of(1, 2, 3) },
  ] as const
  const words = content(made.id, { attachments })
  const mail = email(made.id, {
    contactId: contacts[0]!.id,
    to: contacts[0]!.email,
    contentId: words.id,
    status: 'SENT',
    sentAt: at(3),
  })
  await put(store, made.id, { contacts, contents: [words], emails: [mail] })
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
}

async function unzipped(path: string): Promise<Map<string, string>> {
  const zip = await openPromise(path)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    files.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  return files
}

async function zipped(path: string, files: ReadonlyMap<string, string | Buffer>): Promise<void> {
  const zip = new ZipFile()
  for (const [name, text] of files) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

function readManifestOf(files: ReadonlyMap<string, string>): string {
  return files.get('manifest.json') ?? ''
}

/** The answers of the API about the only project here, by their paths. */
async function answersOf(config: string): Promise<Map<string, unknown>> {
  const { engine: settings } = await loadConfig({ path: config })
  const engine = await createEngine(settings)
  try {
    const [made] = await engine.projects.list()
    const { key } = await engine.projects.keys.create(made!, KEY)
    const app = createApp(engine)
    const ask = async (path: string) => {
      const response = await app.fetch(
        new Request(`http://x.example${path}`, { headers: { authorization: `Bearer ${key}` } }),
      )
      const body = await response.text()
      expect([path, response.status, response.status === 200 ? '' : body]).toEqual([path, 200, ''])
      return isJson(response) ? JSON.parse(body) : body
    }
    const answers = new Map<string, unknown>()
    for (const path of PATHS) answers.set(path, await ask(path))
    for (const [list, under] of DEEPER) {
      for (const { id } of listIn(answers.get(list)))
        for (const path of under) answers.set(`${list}/${id}${path}`, await ask(`${list.split('?')[0]}/${id}${path}`))
    }
    return answers
  } finally {
    await engine.stop()
  }
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('json') === true
}

function listIn(answer: unknown): readonly { readonly id: string }[] {
  if (Array.isArray(answer)) return answer
  return isJsonObject(answer) ? ((Object.values(answer).find(Array.isArray) ?? []) as { id: string }[]) : []
}

const PATHS = [
  '/contacts?limit=100',
  '/contacts/export',
  '/segments',
  '/templates',
  '/layouts',
  '/snippets',
  '/topics',
  '/forms',
  '/campaigns',
  '/workflows',
  '/emails?limit=100',
  '/events/names',
  '/suppressions',
  '/campaign-series',
  '/webhooks',
  '/uploads',
  '/activity?limit=100',
  '/analytics/timeseries',
  '/inboxes',
  '/contacts/fields',
]
const DEEPER: readonly (readonly [string, readonly string[]])[] = [
  ['/campaigns', ['', '/stats', '/timeseries', '/recipients', '/links']],
  ['/workflows', ['', '/stats', '/executions']],
  ['/segments', ['', '/contacts']],
  ['/templates', ['']],
]
