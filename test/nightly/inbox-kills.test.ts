import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Life } from '../crash/life.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freePort } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const KILLS = Number(process.env.KILLS ?? 3)
/** So many mails are answered 250 by the end, and so many drafts are sent, some of each before every kill. */
const MAILS = 1_000
const DRAFTS = 200
const CONNECTIONS = 10
const LONG = 120_000

const STORES = [
  { name: 'SQLite', store: async () => ({}) },
  {
    name: 'PostgreSQL',
    store: async () => ({ store: { use: 'postgres', options: { url: await freshDatabase() } } }),
  },
]

/*
 * Mail that comes in is filed by a task of its own, a draft becomes a mail in one commit, and a reader's marks are rows beside
 * the thread: only kills in the middle of all three show that none is lost and nothing is done twice.
 */
describe.each(STORES)('inboxes on $name, of a process that is killed again and again', ({ store }) => {
  it('have each mail in one thread, send each draft once, and remember what was read and labelled', async () => {
    const sink = await startSmtpSink()
    const dns = await startDnsServer({})
    onTestFinished(async () => {
      await sink.close()
      await dns.close()
    })
    const port = await freePort()
    const life = new Life(freshFolder(), {
      ...(await store()),
      projects: [{ name: 'Crash', secretKey: SECRET, trustedDomains: ['ours.example'] }],
      inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, hostname: 'mx.ours.example' } }],
      transports: [
        { use: 'smtp', options: { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } } },
      ],
      dns: { use: 'node', options: { servers: [dns.address] } },
      limits: { requestsPerMinute: 1_000_000 },
      log: { level: 'warn' },
    })
    onTestFinished(() => life.end())
    await life.begin()
    const { status, body: inbox } = await life.ask('POST', '/inboxes', {
      ...{ name: 'Help', address: 'help@ours.example', labels: [{ name: 'seen', colour: '#2b6cb0' }] },
    })

    expect(status).toBe(201)

    const answered = new Set<string>()
    const sent = new Set<string>()
    const marked = new Set<string>()
    let [next, draft, isOver] = [0, 0, false]
    /** An answer of the server; undefined when it died meanwhile. */
    const attempt = (method: string, path: string, body?: object) =>
      life.ask(method, path, body).catch(async () => {
        await pause(50)
        return undefined
      })
    const sender = async () => {
      while (answered.size < MAILS && !isOver) {
        const number = next++
        const messageId = `<m${number}@friend.example>`
        // every third one answers one that came before, when that was taken
        const first = `<m${number - 20}@friend.example>`
        const isAnswer = number % 3 === 0 && answered.has(first)
        const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
        const mail = {
          from: `p${number % 50}@friend.example`,
          to: 'help@ours.example',
          subject: `n${number}`,
          text: 'x',
        }
        await transport
          .sendMail({ ...mail, messageId, ...(isAnswer ? { inReplyTo: first, references: first } : {}) })
          .then(
            () => answered.add(messageId),
            () => pause(50),
          )
        transport.close()
      }
    }
    const writer = async () => {
      while (draft < DRAFTS && !isOver) {
        const subject = `d${draft++}`
        const body = { kind: 'new', to: [{ email: `${subject}@other.example` }], subject, body: '<p>Hello</p>' }
        let made: string | undefined
        while (made === undefined && !isOver) {
          const answer = await attempt('POST', `/inboxes/${inbox.id}/drafts`, body)
          if (answer?.status === 201) made = answer.body.id
        }
        // until it is said to be sent; two clicks at once, and once more after each answer that was lost
        while (!sent.has(subject) && !isOver) {
          const send = () => attempt('POST', `/drafts/${made}/send`, {})
          for (const answer of await Promise.all([send(), send()])) {
            if (answer && answer.status !== 409 && answer.status >= 300) throw new Error(JSON.stringify(answer))
            if (answer) sent.add(subject)
          }
        }
      }
    }
    const reader = async () => {
      while (!isOver) {
        const page = await attempt('GET', `/inboxes/${inbox.id}/threads?unread=true&limit=20`)
        for (const { id } of page?.body.data ?? []) {
          const changed = await attempt('PATCH', `/threads/${id}`, { read: true, labels: ['seen'] })
          if (changed?.status === 200) marked.add(id)
        }
        await pause(50)
      }
    }
    const work = [...Array.from({ length: CONNECTIONS }, sender), writer(), writer(), reader()]
    for (let kill = 1; kill <= KILLS; kill++) {
      const goal = Math.floor((MAILS * kill) / (KILLS + 1))
      await until(`${goal} mails were taken`, () => answered.size >= goal, LONG)
      await life.end()
      await life.begin()
    }
    // the reader ends last, so all of them together end before only when one fails
    await Promise.race([
      Promise.all(work),
      until('the rest was done', () => answered.size >= MAILS && sent.size >= DRAFTS, LONG),
    ])
    isOver = true
    await Promise.all(work)

    const all = async (path: string) => {
      // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
      const rows: any[] = []
      for (let cursor: string | undefined, isMore = true; isMore; ) {
        const { body } = await life.ask(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor ? `&cursor=${cursor}` : ''}`,
        )
        rows.push(...body.data)
        cursor = body.cursor
        isMore = body.hasMore
      }
      return rows
    }
    /** The threads of each mail, by Message-ID. */
    const filed = async () => {
      const places = new Map<string, string[]>()
      for (const folder of ['all', 'sent']) {
        for (const { id } of await all(`/inboxes/${inbox.id}/threads?folder=${folder}`)) {
          for (const { messageId } of await all(`/threads/${id}/messages`)) {
            places.set(messageId, [...new Set([...(places.get(messageId) ?? []), id])])
          }
        }
      }
      return places
    }
    const places = await until(
      'all mails are in threads',
      async () => {
        const found = await filed()
        return [...answered].every((id) => found.has(id)) ? found : undefined
      },
      LONG,
    )
    expect([...places].filter(([, threads]) => threads.length > 1)).toEqual([])
    await until('all drafts have left', () => new Set(sink.messages.map(({ to }) => to[0])).size >= DRAFTS, LONG)
    // the mail of a draft may come a second time after a kill, as any mail, and is then the same mail
    const ids = new Map<string, Set<string>>()
    for (const { to, raw } of sink.messages) {
      const [, id = ''] = /^Message-ID: (\S+)/im.exec(raw.toString()) ?? []
      ids.set(to[0] ?? '', (ids.get(to[0] ?? '') ?? new Set()).add(id))
    }
    expect([...ids].filter(([, each]) => each.size !== 1)).toEqual([])
    expect(ids.size).toBe(DRAFTS)
    expect(sink.messages.length - DRAFTS).toBeLessThanOrEqual(KILLS * CONNECTIONS)

    expect(marked.size).toBeGreaterThan(100)
    const forgotten: string[] = []
    for (const id of marked) {
      const { body } = await life.ask('GET', `/threads/${id}`)
      if (!body.labels.includes('seen')) forgotten.push(id)
    }
    expect(forgotten).toEqual([])
  }, 600_000)
})
