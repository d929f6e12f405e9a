import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everyPage } from '../support/every-page.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { MAIN } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { type Abandoned, abandonedIn } from './abandoned.ts'
import { Life, SECRET } from './life.ts'

const CONNECTIONS = 5
const CONTACTS = 1_500
/** One while the audience is written down and no server takes mail yet, one while it is mailed. */
const KILLS = 2
const UNSUBSCRIBED = 40
const SUPPRESSED = 30

const CAMPAIGN = {
  ...{ name: 'News', subject: 'News for {{ email }}', from: 'news@example.com', audienceType: 'ALL' },
  body: '<p>Hi {{ n }}, <a href="https://example.net/{{ n }}">read on</a></p>',
}
/** A worker that died holds its mails no longer than this: a shared database cannot know that it is dead. */
const DELIVERY = { sendTimeout: 5, threads: 1 }

const person = (i: number) => `user${i}@example.org`
const isUnsubscribed = (i: number) => i < UNSUBSCRIBED
const isSuppressed = (i: number) => i >= UNSUBSCRIBED && i < UNSUBSCRIBED + SUPPRESSED
const everybody = Array.from({ length: CONTACTS + UNSUBSCRIBED + SUPPRESSED }, (_, i) => i)
const audience = everybody.filter((i) => !isUnsubscribed(i) && !isSuppressed(i)).map(person)

// At the same time: much of it is waiting for the leases of the dead.
it.for([
  ['SQLite', async () => ({ use: 'sqlite', options: { file: 'mail.db' } })],
  ['PostgreSQL', async () => ({ use: 'postgres', options: { url: await freshDatabase() } })],
] as const)(
  'a campaign on %s whose process is killed with SIGKILL again and again reaches everybody, and its figures are right',
  { concurrent: true, timeout: 180_000 },
  async ([_name, makeStore], { onTestFailed, onTestFinished }) => {
    // connections are greeted after the first kill
    const held: (() => void)[] = []
    let isHeld = true
    const onConnect = (_session: unknown, greet: () => void) => void (isHeld ? held.push(greet) : greet())
    const sink = await startSmtpSink({ server: { onConnect } })
    onTestFinished(() => sink.close())
    const folder = mkdtempSync(join(tmpdir(), 'mailwright-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = await makeStore()
    const life = new Life(folder, configFor(store, sink.port))
    onTestFinished(() => life.end())
    onTestFailed(() => console.error(`What the processes printed:\n${life.output.join('\n')}`))

    await life.begin()
    await importContacts(life)
    const { body: made } = await life.ask('POST', '/campaigns', CAMPAIGN)
    const campaign = `/campaigns/${made.data.id}`
    expect((await life.ask('POST', `${campaign}/send`)).status).toBe(200)

    const kills: Abandoned[] = []
    while (kills.length < KILLS) {
      await (isHeld ? someAreInWork(life, campaign) : someAreSent(sink))
      await life.end()
      kills.push(await abandonedIn(store, folder))
      if (isHeld) expect(sink.messages).toEqual([])
      isHeld = false
      await life.begin()
    }
    const sent = await until('it is SENT', async () => isSent((await life.ask('GET', campaign)).body), 90_000)

    // else nothing was at stake
    expect(kills.some(({ isWritten, rows }) => !isWritten && rows > 0 && rows < CONTACTS)).toBe(true)
    expect(kills[0]?.inWork.length).toBeGreaterThan(0)

    const mails = expectMails(sink, kills)
    const skipped = { unsubscribed: UNSUBSCRIBED, suppressed: SUPPRESSED, contactRemoved: 0, cancelled: 0 }
    const figures = { totalRecipients: CONTACTS, sent: CONTACTS, delivered: CONTACTS, queued: 0, failed: 0, bounced: 0 }
    expect(sent).toMatchObject(figures)
    expect((await life.ask('GET', `${campaign}/stats`)).body).toMatchObject({ ...figures, skipped, deliveryRate: 100 })
    const get = async (path: string) => (await life.ask('GET', path)).body
    const recipients = await everyPage(get, `${campaign}/recipients`)
    expect(recipients.map(({ email }) => email).toSorted()).toEqual(audience.toSorted())
    expect(recipients.filter(({ status }) => status !== 'DELIVERED')).toEqual([])
    expect(recipients.filter(({ id, email }) => mails.get(email)?.messageId !== `<${id}@example.com>`)).toEqual([])
    for (const name of ['email.sent', 'email.delivery']) {
      expect((await get('/events/stats')).find((stat: { name: string }) => stat.name === name)).toMatchObject({
        count: CONTACTS,
      })
    }
    await life.end()
    expect(await recounted(folder)).toEqual([0, 'All figures match the rows.\n'])
  },
)

/** The exit code and the output of `mailwright rebuild-stats --check`. */
async function recounted(folder: string): Promise<readonly [unknown, string]> {
  const args = [MAIN, 'rebuild-stats', '--check']
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  return [code, printed]
}

function configFor(store: object, port: number): object {
  const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } }
  return {
    store,
    projects: [{ name: 'Crash', secretKey: SECRET, trustedDomains: ['example.com'] }],
    limits: { requestsPerMinute: 1_000_000 },
    delivery: DELIVERY,
    transports: [{ use: 'smtp', options }],
    log: { level: 'warn', format: 'json' },
  }
}

async function importContacts(life: Life): Promise<void> {
  const upload = async (path: string, rows: readonly string[]) => {
    const form = new FormData()
    form.append('file', new Blob([rows.join('\n')]), 'rows.csv')
    return (await life.ask('POST', path, form)).body
  }
  const suppressed = everybody.filter(isSuppressed).map(person)
  expect(await upload('/suppressions/import', ['email', ...suppressed])).toMatchObject({ createdCount: SUPPRESSED })
  const rows = everybody.map((i) => `${person(i)},${!isUnsubscribed(i)},${i}`)
  const { jobId } = await upload('/contacts/import', ['email,subscribed,n', ...rows])
  await until(
    'the contacts are there',
    async () => (await life.ask('GET', `/contacts/import/${jobId}`)).body.state === 'completed',
    60_000,
  )
}

/** Waits until some of the campaign's mails are claimed, or written as claimed; more of its audience follows. */
async function someAreInWork(life: Life, campaign: string): Promise<void> {
  const list = `${campaign}/recipients?status=SENDING&limit=1`
  await until('some are in work', async () => (await life.ask('GET', list)).body.data.length > 0, 60_000, 2)
}

/** Waits until the sink has a random number of mails more than now. */
async function someAreSent(sink: SmtpSink): Promise<void> {
  await sink.waitFor(sink.messages.length + randomInt(1, CONTACTS / 3), 90)
}

function isSent(record: { readonly status: string }) {
  expect(['SENDING', 'SENT']).toContain(record.status)
  return record.status === 'SENT' ? record : undefined
}

/** Everybody has the mail; more than once, as the same one, only who was in flight at a kill. */
function expectMails(sink: SmtpSink, kills: readonly Abandoned[]): ReadonlyMap<string, { messageId: string }> {
  const mails = new Map<string, { messageId: string; copies: number }>()
  const withOtherIds: string[] = []
  for (const { to, raw } of sink.messages) {
    const messageId = /^Message-ID: (.*)$/im.exec(raw.toString('latin1'))?.[1] ?? ''
    const known = mails.get(to.join())
    if (known && known.messageId !== messageId) withOtherIds.push(to.join())
    mails.set(to.join(), { messageId, copies: (known?.copies ?? 0) + 1 })
  }
  expect([...mails.keys()].toSorted()).toEqual(audience.toSorted())
  expect(withOtherIds).toEqual([])
  const repeated = [...mails].filter(([, { copies }]) => copies > 1).map(([address]) => address)
  const wereInWork = new Set(kills.flatMap(({ inWork }) => inWork))
  expect(repeated.filter((address) => !wereInWork.has(address))).toEqual([])
  expect(sink.messages.length - CONTACTS).toBeLessThanOrEqual(KILLS * CONNECTIONS)
  return mails
}
