import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, type SunkMail, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'r'.repeat(48)}`
const OPERATOR = 'the-key-of-the-operator'
const CONTACTS = 3_000
const URGENT = 60
const CONNECTIONS = 8
/** How many the second server takes before it dies. */
const LAST_OF_SECOND = 400
const QUOTAS = { first: 500, second: 1_500, third: 2_600 }

/*
 * Quotas that several processes share, a server that dies and a process that ends in the middle: only all of them together show
 * that nothing is lost on the way from one to the next, and that no count is forgotten.
 */
it.each([
  ['stopped', 0],
  // at most one for each connection, with the same Message-ID
  ['killed', 3 * CONNECTIONS],
] as const)(
  'a campaign through three servers with quotas, of which one dies half-way, while one of two processes is %s and started again',
  { timeout: 300_000 },
  async (how, mostRepeated) => {
    const judge = () =>
      second.messages.length < LAST_OF_SECOND ? undefined : { code: 421, message: '4.3.2 shutting down' }
    const [first, second, third] = [await startSmtpSink(), await startSmtpSink({ judge }), await startSmtpSink()]
    const sinks: Readonly<Record<keyof typeof QUOTAS, SmtpSink>> = { first, second, third }
    for (const sink of Object.values(sinks)) onTestFinished(() => sink.close())
    const { begin } = await installation(sinks)
    const api = await begin('all', 'api')
    let worker = await begin('worker', 'worker', api.url)

    const rows = Array.from({ length: CONTACTS }, (_, i) => `p${i}@example.org,true`)
    const form = new FormData()
    form.append('file', new Blob([['email,subscribed', ...rows].join('\n')]), 'rows.csv')
    const { jobId } = await ask(api, 'POST', '/contacts/import', form)
    const isDone = async () => (await ask(api, 'GET', `/contacts/import/${jobId}`)).state === 'completed'
    await until('the contacts are there', isDone, 60_000)
    const { data } = await ask(api, 'POST', '/campaigns', {
      ...{ name: 'News', subject: 'News', body: '<p>News</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    await ask(api, 'POST', `/campaigns/${data.id}/send`)

    await until('some are sent', () => all(sinks).length > 300, 60_000)
    await (how === 'killed' ? worker.kill() : worker.stop())
    const urgent = Array.from({ length: URGENT }, (_, i) => `urgent${i}@example.org`)
    await ask(api, 'POST', '/v1/send', { to: urgent, from: 'a@example.com', subject: 'Now', body: '<p>Now</p>' })
    worker = await begin('worker', 'worker', api.url)
    await until('the second has died', () => second.messages.length === LAST_OF_SECOND, 60_000)
    await second.close()
    await until(
      'the campaign is sent',
      async () => (await ask(api, 'GET', `/campaigns/${data.id}`)).status === 'SENT',
      200_000,
    )
    await until('the rest is sent', () => recipients(sinks).size === CONTACTS + URGENT, 60_000)

    for (const [name, quota] of Object.entries(QUOTAS))
      expect(sinks[name as keyof typeof QUOTAS].messages.length, name).toBeLessThanOrEqual(quota)
    // it was used up, but for the part of transactional mail and the few that a process had taken when it was killed
    expect(first.messages.length).toBeGreaterThan(425)
    const repeated = repeats(all(sinks))
    expect(repeated.length).toBeLessThanOrEqual(mostRepeated)
    for (const mails of repeated) expect(new Set(mails.map(idOf)).size).toBe(1)
    const { quotas } = await ask(api, 'GET', '/operator', undefined, OPERATOR)
    for (const { transport, most, sent } of quotas) {
      expect(sent).toBeLessThanOrEqual(most)
      expect(sent).toBeGreaterThanOrEqual(sinks[transport as keyof typeof QUOTAS].messages.length)
    }
  },
)

/** Begins processes that share a database and send to these servers. */
async function installation(sinks: Readonly<Record<string, SmtpSink>>) {
  const folder = freshFolder()
  const url = await freshDatabase()
  const config = {
    store: { use: 'postgres', options: { url } },
    projects: [{ name: 'Routes', secretKey: SECRET, trustedDomains: ['example.com'] }],
    operator: { key: OPERATOR },
    transports: Object.entries(sinks).map(([name, { port }]) => ({
      ...{ name, use: 'smtp' },
      options: { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } },
    })),
    delivery: {
      // a process that died holds its mails no longer than this
      ...{ sendTimeout: 5, threads: 0, retryDelays: [1, 1, 2, 2, 5, 5, 10, 10, 20, 20] },
      routes: [
        { when: { class: 'campaign' }, to: { first: 1, second: 1 }, fallback: 'third' },
        { when: { class: 'transactional' }, to: 'first', fallback: 'third' },
      ],
      throttle: {
        transports: Object.fromEntries(Object.entries(QUOTAS).map(([name, month]) => [name, { quota: { month } }])),
      },
    },
    limits: { requestsPerMinute: 1_000_000 },
    log: { level: 'warn' },
  }
  const begin = async (role: string, place: string, publicUrl?: string): Promise<ServerProcess> => {
    const own = join(folder, place)
    mkdirSync(own, { recursive: true })
    const server = await startServerProcess(own, config, ['--role', role], publicUrl === undefined ? {} : { publicUrl })
    onTestFinished(() => server.kill())
    onTestFailed(() => console.error(`${place} printed:\n${server.output()}`))
    return server
  }
  return { begin }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
async function ask({ url }: ServerProcess, method: string, path: string, body?: object, key = SECRET): Promise<any> {
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
  const response = await fetch(`${url}${path}`, { method, headers, ...sent })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

function all(sinks: Readonly<Record<string, SmtpSink>>): readonly SunkMail[] {
  return Object.values(sinks).flatMap(({ messages }) => messages)
}

function recipients(sinks: Readonly<Record<string, SmtpSink>>): ReadonlySet<string> {
  return new Set(all(sinks).flatMap(({ to }) => to))
}

/** The mails that came more than once, by recipient. */
function repeats(mails: readonly SunkMail[]): readonly (readonly SunkMail[])[] {
  return [...Map.groupBy(mails, ({ to }) => to.join()).values()].filter(({ length }) => length > 1)
}

function idOf({ raw }: SunkMail): string | undefined {
  return /^Message-ID: (.*)$/im.exec(raw.toString('latin1'))?.[1]?.trim()
}
