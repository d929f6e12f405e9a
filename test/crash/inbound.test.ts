import { createTransport } from 'nodemailer'
import { expect, it, onTestFinished } from 'vitest'
import { startDnsServer } from '../support/dns-server.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { startReceiver } from '../support/receiver.ts'
import { freePort, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const CONNECTIONS = 10
/** So many messages are answered 250 before the kill, and so many in all. */
const KILL_AT = 60
const MESSAGES = 120
const WITHIN = 30_000

/*
 * The 250 of a received message, its reading and what is told of it are three commits: only a kill between them, with
 * the process that takes up what is left, shows that nothing falls through and nothing is done twice. On SQLite alone:
 * on PostgreSQL the same rows are taken up by the next worker, of which `test/faults/worker-dies.test.ts` has the test.
 */
it('a process killed with SIGKILL while mail comes in keeps each message it answered 250, once', async () => {
  const folder = freshFolder()
  const receiver = await startReceiver()
  const dns = await startDnsServer({})
  onTestFinished(() => dns.close())
  const port = await freePort()
  const config = {
    projects: [{ name: 'Crash', secretKey: SECRET, trustedDomains: ['ours.example'] }],
    inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, hostname: 'mx.ours.example' } }],
    dns: { use: 'node', options: { servers: [dns.address] } },
    limits: { requestsPerMinute: 1_000_000 },
    egress: { allow: ['127.0.0.1'] },
    log: { level: 'warn' },
  }
  let server = await start()
  onTestFinished(() => server.kill())
  await ask('POST', '/webhooks', { url: receiver.url, events: ['email.received'] })

  const answered = new Set<string>()
  let next = 0
  let atStake = 0
  for (const goal of [KILL_AT, MESSAGES]) {
    const transport = createTransport({
      ...{ host: '127.0.0.1', port, ignoreTLS: true, pool: true },
      ...{ maxConnections: CONNECTIONS, maxMessages: MESSAGES },
    })
    const senders = Array.from({ length: CONNECTIONS }, async () => {
      while (answered.size < goal) {
        const subject = `n${next++}`
        const envelope = { from: `p${next % 3}@friend.example`, to: ['help@ours.example'] }
        const raw = `From: ${envelope.from}\r\nSubject: ${subject}\r\n\r\nx\r\n`
        // only an answer counts; who gets none would come again
        await transport.sendMail({ envelope, raw }).then(
          () => answered.add(subject),
          () => {},
        )
      }
    })
    await until('enough was answered', () => answered.size >= goal, WITHIN)
    if (goal !== MESSAGES) {
      await server.kill()
      atStake += answered.size - told().size
    }
    await Promise.all(senders)
    transport.close()
    if (goal !== MESSAGES) server = await start()
  }
  // else nothing was at stake
  expect(atStake).toBeGreaterThan(0)

  await until(
    'all is told of',
    () => {
      const subjects = told()
      return [...answered].every((subject) => subjects.has(subject))
    },
    WITHIN,
  )
  const subjects = await received()
  expect(new Set(subjects).size).toBe(subjects.length)
  expect([...answered].filter((subject) => !subjects.includes(subject))).toEqual([])
  // one event each, also of those whose answer was lost
  await until('each is one event', async () => (await deliveries()) === subjects.length, WITHIN)
  expect((await ask('GET', '/contacts?search=friend.example')).total).toBe(3)

  async function start(): Promise<ServerProcess> {
    const started = await startServerProcess(folder, config)
    await until('it receives', async () => (await fetch(`${started.url}/health`)).ok, WITHIN)
    return started
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  async function ask(method: string, path: string, json?: object): Promise<any> {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const response = await fetch(`${server.url}${path}`, { method, headers, ...body })
    expect(response.ok).toBe(true)
    return response.json()
  }
  function told(): ReadonlySet<string> {
    return new Set(receiver.requests.map(({ body }) => JSON.parse(body).data.event.subject))
  }
  async function deliveries(): Promise<number> {
    return (await ask('GET', '/webhooks/deliveries?limit=1')).total
  }
  /** The subjects of all records. */
  async function received(): Promise<readonly string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await ask('GET', `/emails?status=RECEIVED&limit=100${cursor ? `&cursor=${cursor}` : ''}`)
      ids.push(...page.data.map(({ id }: { id: string }) => id))
      cursor = page.cursor
      more = page.hasMore
    }
    return Promise.all(ids.map(async (id) => (await ask('GET', `/emails/${id}`)).subject))
  }
}, 90_000)
