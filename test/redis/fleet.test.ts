import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { allArrive, CONNECTIONS, makeFleet, repeats, SECRET, send, sendMany } from '../faults/fleet.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startRedis } from '../support/redis.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const LONG = 60_000
const CONTACTS = 1_500
const MAILS = 400

/** Processes that share a PostgreSQL database, and ring by a Redis that the test may stop. */
async function makeRinging() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const url = await freshDatabase()
  const fleet = await makeFleet(url, {})
  const queue = { use: 'redis', options: { url: redis.url } }
  return { redis, fleet, start: (role: 'api' | 'worker') => fleet.start(role, url, { queue }) }
}

it('sends mail at once that another process has accepted', async () => {
  const { fleet, start } = await makeRinging()
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const parts = { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok', transports: 'ok' }
  await expect.poll(() => health(worker), { timeout: LONG }).toEqual([200, { status: 'ok', parts }])
  await send(api, 'first@example.org')
  await fleet.sink.waitFor(1, 30)
  const waits: number[] = []
  for (let i = 0; i < 10; i++) {
    // what the worker does by the clock falls elsewhere each time
    await pause(130 + 37 * i)
    const begun = performance.now()
    expect(await send(api, `user${i}@example.org`)).toMatchObject({ status: 200 })
    await fleet.sink.waitFor(i + 2, 30)
    waits.push(performance.now() - begun)
  }
  // looking every second would take half a second on average
  expect(waits.sort((a, b) => a - b)[5]).toBeLessThan(250)
  expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
}, 180_000)

it('a campaign and single mails at once, by an api and two workers of which one is killed, and another that takes its place: each person has one mail, but for one on each connection that broke', async () => {
  const { fleet, start } = await makeRinging()
  const [api, dies, stays] = await Promise.all([start('api'), start('worker'), start('worker')])
  const people = Array.from({ length: CONTACTS }, (_, i) => `person${i}@example.org`)
  await importContacts(api, people)
  const draft = { name: 'News', subject: 'News for {{ email }}', from: 'news@example.com', audienceType: 'ALL' }
  const { data } = await ask(api, 'POST', '/campaigns', { ...draft, body: '<p>Hi</p>' })
  await ask(api, 'POST', `/campaigns/${data.id}/send`)
  const singles = sendMany(api, MAILS)
  await fleet.sink.waitFor(CONTACTS / 4, 60)
  await dies.kill()
  // else it did not die in the middle of it
  expect((await fleet.ledger()).sending).toBeGreaterThan(0)
  await start('worker')
  await allArrive(fleet.sink, [...people, ...(await singles)], LONG)
  await until('it is SENT', async () => (await ask(api, 'GET', `/campaigns/${data.id}`)).status === 'SENT', LONG)
  expect(await singles).toHaveLength(MAILS)
  const repeated = repeats(fleet.sink)
  expect(repeated.withOtherIds).toBe(0)
  expect(repeated.mails).toBeLessThanOrEqual(CONNECTIONS)
  const all = { waiting: 0, sending: 0, sent: CONTACTS + MAILS }
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual(all)
  expect(stays.output()).not.toContain('"level":"error"')
}, 240_000)

it.each([
  'kill',
  'freeze',
] as const)('accepts and sends all mail, each once, while Redis is gone (%s) and after it is back, and says so meanwhile', async (how) => {
  const { redis, fleet, start } = await makeRinging()
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const answers: (number | undefined)[] = []
  const accepted: string[] = []
  let loading = true
  const sender = async (name: number) => {
    for (let i = 0; loading; i++) {
      const to = `user${name}-${i}@example.org`
      const answer = await send(api, to)
      answers.push(answer?.status)
      if (answer?.status === 200) accepted.push(to)
      await pause(25)
    }
  }
  const senders = Array.from({ length: 5 }, (_, i) => sender(i))
  await fleet.sink.waitFor(50, 60)
  await redis[how]()
  for (const server of [api, worker]) {
    await until('it is down', async () => (await health(server))[1].status === 'down', LONG)
    expect(await health(server)).toMatchObject([503, { parts: { store: 'ok', queue: 'down' } }])
  }
  // a mail that is accepted now is found by the regular looks
  const late = 'meanwhile@example.org'
  expect(await send(api, late)).toMatchObject({ status: 200 })
  await allArrive(fleet.sink, [late], 15_000)
  if (how === 'kill') await redis.start()
  else redis.thaw()
  for (const server of [api, worker])
    await until('it is well again', async () => (await health(server))[1].status === 'ok', LONG)
  const back = accepted.length
  await until('more is accepted', () => accepted.length > back + 50, LONG)
  loading = false
  await Promise.all(senders)
  expect(answers.filter((status) => status !== 200)).toEqual([])
  await allArrive(fleet.sink, accepted, LONG)
  expect(repeats(fleet.sink)).toEqual({ mails: 0, withOtherIds: 0 })
  const lines = `${api.output()}${worker.output()}`
  expect(lines.match(/it has lost Redis and tries to reach it again/g)).toHaveLength(2)
  expect(lines.match(/queue: it works again/g)).toHaveLength(2)
  expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
}, 240_000)

it('begins to work without Redis, and rings as soon as it is there', async () => {
  const { redis, fleet, start } = await makeRinging()
  await redis.kill()
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  expect(await send(api, 'early@example.org')).toMatchObject({ status: 200 })
  await allArrive(fleet.sink, ['early@example.org'], 15_000)
  await redis.start()
  for (const server of [api, worker])
    await until('it is well', async () => (await health(server))[1].status === 'ok', LONG)
}, 180_000)

/** Answers within the time that load balancers and people count on. */
async function health({ url }: ServerProcess): Promise<readonly [number, { readonly status: string }]> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(6_000) })
  return [response.status, (await response.json()) as { status: string }]
}

async function ask({ url }: ServerProcess, method: string, path: string, body?: object | FormData) {
  const json = body instanceof FormData ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${SECRET}`, ...json },
    body: body instanceof FormData ? body : JSON.stringify(body ?? {}),
    ...(method === 'GET' ? { body: null } : {}),
  })
  expect(response.status).toBeLessThan(300)
  return readJson(await response.text())
}

async function importContacts(api: ServerProcess, addresses: readonly string[]): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([['email', ...addresses].join('\n')]), 'rows.csv')
  const { jobId } = await ask(api, 'POST', '/contacts/import', form)
  const state = async () => (await ask(api, 'GET', `/contacts/import/${jobId}`)).state
  await until('the contacts are there', async () => (await state()) === 'completed', LONG)
}

/** The JSON of a route's answer, which is empty for some. */
function readJson(text: string) {
  return (text === '' ? {} : JSON.parse(text)) as Record<'jobId' | 'state' | 'status', string> & {
    data: { id: string }
  }
}
