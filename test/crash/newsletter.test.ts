import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everyPage } from '../support/every-page.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { Life, SECRET } from './life.ts'

const CONNECTIONS = 5
const PEOPLE = Number(process.env.PEOPLE ?? 2_000)
const UNSUBSCRIBED = 50
const SUPPRESSED = 30
const WITHOUT_TOPIC = 40
const LONG = 240_000
const PROJECT = '01900000-0000-7000-8000-000000000000'

const person = (i: number) => `user${i}@example.org`
const isUnsubscribed = (i: number) => i < 50
const isSuppressed = (i: number) => i >= 50 && i < 80
const hasLeft = (i: number) => i >= 80 && i < 120
const everybody = Array.from({ length: PEOPLE }, (_, i) => i)
/** Those after the first 120, by turns. */
const ZONES = ['Asia/Tokyo', 'America/Los_Angeles'] as const
const zoneOf = (i: number) => ZONES[i % ZONES.length]!

const MAIL = { from: 'news@example.com', audienceType: 'ALL', body: '<p>Hi {{ n }}</p>', topicId: 'offers' }
const TEST = { share: 30, holdOut: 10, metric: 'clicks', winner: 'manual' }

// At the same time: much of it is waiting for the leases of the dead.
it.for([
  ['SQLite', async () => ({ use: 'sqlite', options: { file: 'mail.db' } })],
  ['PostgreSQL', async () => ({ use: 'postgres', options: { url: await freshDatabase() } })],
] as const)(
  'an A/B test with a topic, and a campaign by zones with a cap after it, on %s, through three kills: each person has one mail or a counted reason',
  { concurrent: true, timeout: 2 * LONG },
  async ([_name, makeStore], { onTestFailed, onTestFinished }) => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    const folder = mkdtempSync(join(tmpdir(), 'mailwright-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const life = new Life(folder, configFor(await makeStore(), sink.port))
    onTestFinished(() => life.end())
    onTestFailed(() => console.error(`What the processes printed:\n${life.output.join('\n')}`))
    const get = async (path: string) => (await life.ask('GET', path)).body
    const kill = async () => {
      await life.end()
      await life.begin()
    }

    await life.begin()
    await importContacts(life)

    // the A/B test: kills while it is sent, at the decision, and while the rest is sent
    const variants = [{ subject: 'B for {{ email }}' }, { subject: 'C for {{ email }}' }]
    const made = await life.ask('POST', '/campaigns', {
      ...MAIL,
      ...{ name: 'Test', subject: 'A for {{ email }}', variants, test: TEST },
    })
    expect(made.status).toBe(201)
    const tested = `/campaigns/${made.body.data.id}`
    expect((await life.ask('POST', `${tested}/send`)).status).toBe(200)
    await sink.waitFor(randomInt(1, PEOPLE / 20), 60)
    await kill()
    await until('it waits for a decision', async () => (await get(tested)).testing?.phase === 'waiting', LONG)
    const [chosen] = await Promise.allSettled([
      life.ask('POST', `${tested}/winner`, { variant: 'B' }),
      pauseAndEnd(life),
    ])
    await life.begin()
    if (chosen.status === 'rejected' || (await get(tested)).testing?.winner === undefined) {
      expect((await life.ask('POST', `${tested}/winner`, { variant: 'B' })).status).toBe(200)
    }
    await sink.waitFor(sink.messages.length + randomInt(1, PEOPLE / 4), 60)
    await kill()
    await until('it is SENT', async () => (await get(tested)).status === 'SENT', LONG)

    const subjects = expectOnce(sink)
    const figures = await get(`${tested}/stats`)
    expect(figures.skipped).toMatchObject({ unsubscribed: UNSUBSCRIBED, suppressed: SUPPRESSED, topic: WITHOUT_TOPIC })
    const { variants: parts, rest, heldOut } = await get(`${tested}/variants`)
    const list = async (path: string) => (await everyPage(get, path)).map(({ email }) => email as string)
    const seen: string[] = []
    for (const { variant, recipients } of parts) {
      const people = await list(`${tested}/recipients?variant=${variant}`)
      expect({ variant, count: people.length }).toEqual({ variant, count: recipients })
      expect(people.filter((address) => subjects.get(address) !== `${variant} for ${address}`)).toEqual([])
      seen.push(...people)
    }
    const others = await list(`${tested}/recipients?variant=rest`)
    expect(others.filter((address) => subjects.get(address) !== `B for ${address}`)).toEqual([])
    expect(others).toHaveLength(rest.recipients)
    expect(new Set([...seen, ...others])).toEqual(new Set(subjects.keys()))
    expect(seen.length + others.length).toBe(subjects.size)
    const left = UNSUBSCRIBED + SUPPRESSED + WITHOUT_TOPIC
    expect(subjects.size + heldOut.recipients + left).toBe(PEOPLE)

    // by zones, for those whom the cap lets through: they got nothing before
    expect((await life.ask('PATCH', `/projects/${PROJECT}`, { frequencyCap: { mails: 1, days: 30 } })).status).toBe(200)
    sink.clear()
    const plan = { timeZone: 'recipient', ...openIn(ZONES[0]) }
    const later = await life.ask('POST', '/campaigns', { ...MAIL, name: 'Zones', subject: 'Z for {{ email }}', plan })
    expect(later.status).toBe(201)
    const zoned = `/campaigns/${later.body.data.id}`
    expect((await life.ask('POST', `${zoned}/send`)).status).toBe(200)
    await sink.waitFor(1, 60)
    await kill()
    const open = everybody.filter((i) => i >= 120 && zoneOf(i) === ZONES[0] && !subjects.has(person(i))).map(person)
    await until(
      'all in the open zone have it',
      async () => new Set(sink.messages.map(({ to }) => to.join())).size >= open.length,
      LONG,
    )
    expect([...expectOnce(sink).keys()].toSorted()).toEqual(open.toSorted())
    const zones = await get(`${zoned}/stats`)
    expect(zones.skipped).toMatchObject({
      unsubscribed: UNSUBSCRIBED,
      suppressed: SUPPRESSED,
      topic: WITHOUT_TOPIC,
      capped: subjects.size,
    })
    const waiting = await list(`${zoned}/recipients?status=QUEUED`)
    expect(waiting.length + open.length + subjects.size + left).toBe(PEOPLE)
    expect((await get(zoned)).waiting).toMatchObject({ reason: 'plan' })
  },
)

/** Ends the process at some moment of the next milliseconds. */
async function pauseAndEnd(life: Life): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, randomInt(1, 20)))
  await life.end()
}

/**
 * The subjects by recipient. A recipient who has a mail more than once was in flight at a kill, and has the same one.
 */
function expectOnce(sink: SmtpSink): ReadonlyMap<string, string> {
  const mails = new Map<string, { readonly id: string; readonly subject: string }>()
  let copies = 0
  for (const { to, raw } of sink.messages) {
    const text = raw.toString('latin1')
    const [, id = ''] = /^Message-ID: (.*)$/im.exec(text) ?? []
    const [, subject = ''] = /^Subject: (.*)$/im.exec(text) ?? []
    const known = mails.get(to.join())
    if (known) copies++
    expect(known?.id ?? id).toBe(id)
    mails.set(to.join(), { id, subject: subject.trim() })
  }
  expect(copies).toBeLessThanOrEqual(3 * CONNECTIONS)
  return new Map([...mails].map(([to, { subject }]) => [to, subject]))
}

/** Hours that are open now by the clocks of this zone, and closed by those of the other, eight hours away or more. */
function openIn(timeZone: string): { readonly from: string; readonly until: string } {
  const at = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toLocaleTimeString('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
    })
  return { from: at(-2), until: at(3) }
}

function configFor(store: object, port: number): object {
  const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } }
  return {
    store,
    projects: [{ id: PROJECT, name: 'Crash', secretKey: SECRET, trustedDomains: ['example.com'] }],
    limits: { requestsPerMinute: 1_000_000 },
    delivery: { sendTimeout: 5, threads: 1 },
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
  const topic = await life.ask('POST', '/topics', { name: 'Offers', standing: 'in' })
  expect(topic.body).toMatchObject({ slug: 'offers' })
  expect(await upload('/suppressions/import', ['email', ...everybody.filter(isSuppressed).map(person)])).toMatchObject({
    createdCount: SUPPRESSED,
  })
  const rows = everybody.map((i) => `${person(i)},${!isUnsubscribed(i)},${i},${zoneOf(i)}`)
  const { jobId } = await upload('/contacts/import', ['email,subscribed,n,timezone', ...rows])
  await until(
    'the contacts are there',
    async () => (await life.ask('GET', `/contacts/import/${jobId}`)).body.state === 'completed',
    60_000,
  )
  const choice = { topics: [{ topic: 'offers', subscribed: false }] }
  const chosen = await Promise.all(
    everybody.filter(hasLeft).map((i) => life.ask('PUT', `/contacts/${person(i)}/topics`, choice)),
  )
  expect(chosen.map(({ status }) => status)).toEqual(Array(WITHOUT_TOPIC).fill(200))
}
