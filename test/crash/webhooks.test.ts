import { afterEach, expect, it } from 'vitest'
import { freshFolder } from '../support/fresh-folder.ts'
import { startReceiver } from '../support/receiver.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const EVENTS = 60
const WITHIN = 60_000

let server: ServerProcess | undefined

afterEach(async () => {
  await server?.kill()
})

it('a process killed with SIGKILL while it tells of events loses none and repeats only what was under way', async () => {
  const folder = freshFolder()
  const receiver = await startReceiver((_request, response) => void setTimeout(() => response.end('ok'), 20))
  const config = {
    projects: [{ name: 'Crash', secretKey: SECRET }],
    limits: { requestsPerMinute: 1_000_000 },
    egress: { allow: ['127.0.0.1'] },
    log: { level: 'warn' },
  }
  const ask = async (method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const response = await fetch(`${server?.url}${path}`, { method, headers, ...body })
    expect(response.ok).toBe(true)
    return response.json() as Promise<Record<string, unknown>>
  }
  server = await startServerProcess(folder, config)
  await ask('POST', '/webhooks', { url: receiver.url, events: ['seen'] })
  for (let i = 0; i < EVENTS; i++)
    await ask('POST', '/v1/track', { email: 'ada@example.org', event: 'seen', data: { i } })
  for (const share of [0.2, 0.6]) {
    await until('some were told of', () => told().size >= EVENTS * share, WITHIN)
    await server.kill()
    // else nothing was at stake
    expect(told().size).toBeLessThan(EVENTS)
    server = await startServerProcess(folder, config)
  }
  await until('all were told of', () => told().size === EVENTS, WITHIN)
  await until('all are written down', async () => {
    return (await ask('GET', '/webhooks/deliveries?status=SUCCEEDED&limit=1')).total === EVENTS
  })
  const { secret } = await ask('GET', '/webhooks/secret')
  expect(receiver.verify(String(secret)).length).toBe(receiver.requests.length)
  // five at a time go to one host
  expect(receiver.requests.length).toBeLessThanOrEqual(EVENTS + 2 * 5)
  expect((await ask('GET', '/webhooks/deliveries?limit=1')).total).toBe(EVENTS)

  /** The ids there were: one each, however often it came. */
  function told(): ReadonlySet<string> {
    return new Set(receiver.requests.map(({ id }) => id))
  }
}, 180_000)
