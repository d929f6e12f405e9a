import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { followEvents, type StreamClient, type StreamedEvent } from '../support/event-stream.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { ANY, isSwapped, STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent }
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

let addresses = 0

/** A server, and what tests ask it for. */
class Desk {
  constructor(
    readonly test: TestApp,
    readonly http: HttpServer,
  ) {}

  static async open(test: TestApp): Promise<Desk> {
    await test.engine.start()
    const http = await listen(test.app, { host: '127.0.0.1', port: 0 }, silent)
    atEndOfFile(() => {
      test.engine.inboxes.events.end()
      return http.close(1_000)
    })
    return new Desk(test, http)
  }

  async ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: object, key = SECRET) {
    const { status, text, body } = await this.test.ask(method, path, { key, ...(json === undefined ? {} : { json }) })
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }

  inbox(more: object = {}) {
    const labels = [{ name: 'a', colour: '#112233' }]
    return this.ask('POST', '/inboxes', { name: 'Help', address: `events${++addresses}@example.com`, labels, ...more })
  }

  async agent(inboxIds: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
    const grant = { inboxIds, rights: ['draft', 'send'], approval: 'never' }
    const json = { name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: grant }
    const { projectId } = await this.ask('GET', '/keys/@me')
    return this.ask('POST', `/projects/${projectId}/keys`, json)
  }

  /** Sends a mail from the inbox; answers its thread. */
  async send(inboxId: string): Promise<string> {
    const draft = await this.ask('POST', `/inboxes/${inboxId}/drafts`, {
      to: ['ada@friend.example'],
      subject: 'Hi',
      body: 'x',
    })
    return (await this.ask('POST', `/drafts/${draft.id}/send`)).threadId
  }

  follow(inboxId: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<StreamClient> {
    const url = `${this.http.url}/inboxes/${inboxId}/events${query}`
    return followEvents(url, { ...bearer(SECRET), ...headers })
  }
}

const some = (client: StreamClient, count: number, ms?: number) =>
  until(`${count} events have come`, () => (client.events.length >= count ? client.events : undefined), ms)
const numbers = (events: readonly StreamedEvent[]) => events.map(({ id }) => Number(id))
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe.each([STRICT])('events of an inbox, on $name', ({ store }) => {
  let desk: Desk

  beforeAll(async () => {
    desk = await Desk.open(await testApp({ store }))
  })

  it('come in order as they happen, as a stream, a list and webhooks, with ids and states alone', async () => {
    await desk.ask('POST', '/webhooks', { url: 'https://hooks.example/x', events: ['inbox.*'] })
    const inbox = await desk.inbox()
    const client = await desk.follow(inbox.id)
    expect([client.status, client.headers.get('content-type'), client.lastId]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '0',
    ])
    const threadId = await desk.send(inbox.id)
    await desk.ask('PATCH', `/threads/${threadId}`, { read: true })
    await desk.ask('PATCH', `/threads/${threadId}`, { folder: 'archive', labels: ['a'] })
    await desk.ask('PATCH', `/threads/${threadId}`, { folder: 'archive' })
    const [sent, changed] = await some(client, 2)
    expect(client.events).toHaveLength(2)
    expect(sent).toMatchObject({ id: '1', event: 'inbox.draft.sent' })
    expect(sent!.data).toMatchObject({ number: 1, type: 'inbox.draft.sent', data: { inboxId: inbox.id, threadId } })
    expect(changed).toMatchObject({
      ...{ id: '2', event: 'inbox.thread.updated' },
      data: { data: { changes: ['folder', 'labels'], folder: 'archive', labels: ['a'], messageCount: 1 } },
    })
    const list = await desk.ask('GET', `/inboxes/${inbox.id}/events`)
    expect(list).toEqual({ data: client.events.map(({ data }) => data), last: 2, hasMore: false, lost: false })
    const first = await desk.ask('GET', `/inboxes/${inbox.id}/events?limit=1`)
    expect([first.data.length, first.last, first.hasMore]).toEqual([1, 1, true])
    const { data: deliveries } = await until('the webhooks are stored', async () => {
      const page = await desk.ask('GET', '/webhooks/deliveries')
      return page.data.length >= 2 ? page : undefined
    })
    expect(deliveries.map(({ eventName }: { eventName: string }) => eventName).toSorted()).toEqual([
      'inbox.draft.sent',
      'inbox.thread.updated',
    ])
    client.cut()
  })

  it('say that a mail was taken back, and that a draft was thrown away', async () => {
    const inbox = await desk.inbox()
    const mail = { to: ['ada@friend.example'], subject: 'Hi', body: 'x' }
    const { id } = await desk.ask('POST', `/inboxes/${inbox.id}/drafts`, mail)
    const { emailId, sendAt } = await desk.ask('POST', `/drafts/${id}/send`, { undoSeconds: 10 })
    await desk.ask('POST', `/drafts/${id}/undo`)
    await desk.ask('DELETE', `/drafts/${id}`)
    const { data } = await desk.ask('GET', `/inboxes/${inbox.id}/events`)
    expect(data).toMatchObject([
      { type: 'inbox.draft.sent', data: { draftId: id, emailId, sendAt } },
      { type: 'inbox.draft.undone', data: { draftId: id, emailId, sendAt: null, version: 2 } },
      { type: 'inbox.draft.removed', data: { draftId: id, emailId: null } },
    ])
  })

  it('reach a client that waits within 100 ms of the commit', async () => {
    const inbox = await desk.inbox()
    const threadId = await desk.send(inbox.id)
    const client = await desk.follow(inbox.id)
    const took: number[] = []
    for (let i = 0; i < 9; i++) {
      await desk.ask('PATCH', `/threads/${threadId}`, { folder: i % 2 === 0 ? 'archive' : 'inbox' })
      const committed = performance.now()
      await until('it is here', () => client.events[i])
      took.push(performance.now() - committed)
    }
    expect(took.toSorted((a, b) => a - b)[4]).toBeLessThan(100)
    client.cut()
  })

  it('are all there, once and in order, for a client that is cut off again and again', async () => {
    const inbox = await desk.inbox()
    const threads = [await desk.send(inbox.id), await desk.send(inbox.id)]
    const seen: StreamedEvent[] = []
    let lastId = '0'
    let isWriting = true
    const writing = Promise.all(
      threads.map(async (id) => {
        for (let i = 0; i < 40; i++) await desk.ask('PATCH', `/threads/${id}`, { folder: i % 2 ? 'inbox' : 'archive' })
      }),
    ).then(() => {
      isWriting = false
    })
    while (isWriting || seen.length < 82) {
      const client = await desk.follow(inbox.id, { 'last-event-id': lastId })
      await Promise.race([some(client, Math.min(7, 82 - seen.length), 20_000), client.ended])
      client.cut()
      await client.ended
      seen.push(...client.events)
      lastId = seen.at(-1)?.id ?? lastId
    }
    await writing
    expect(numbers(seen)).toEqual(upTo(82))
  })

  it('are those of inboxes that the key has alone, until the key is revoked', async () => {
    const [own, other] = [await desk.inbox(), await desk.inbox()]
    const agent = await desk.agent([own.id])
    const refused = await desk.follow(other.id, bearer(agent.key))
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([404, 'INBOX_NOT_FOUND'])
    const client = await desk.follow(own.id, bearer(agent.key))
    await desk.send(other.id)
    await desk.send(own.id)
    await some(client, 1)
    expect(client.events.map(({ data }) => data.data.inboxId)).toEqual([own.id])
    const { projectId } = await desk.ask('GET', '/keys/@me')
    await desk.ask('DELETE', `/projects/${projectId}/keys/${agent.id}`)
    await client.ended
    await desk.send(own.id)
    expect(client.events).toHaveLength(1)
  })

  it('are waited for by a list, for as long as it says', async () => {
    const inbox = await desk.inbox()
    const asked = (query: string) => desk.ask('GET', `/inboxes/${inbox.id}/events?${query}`)
    const start = performance.now()
    expect(await asked('after=0&wait=1')).toMatchObject({ data: [], last: 0, hasMore: false })
    expect(performance.now() - start).toBeGreaterThan(900)
    const waiting = asked('after=0&wait=20&limit=1')
    await desk.send(inbox.id)
    expect(await waiting).toMatchObject({ data: [{ number: 1 }], last: 1 })
    const { status } = await desk.test.ask('GET', `/inboxes/${inbox.id}/events?wait=21`, {})
    expect(status).toBe(422)
    // none of them follows any more
    for (let i = 0; i < 6; i++) expect(await asked('after=0&wait=20&limit=1')).toMatchObject({ last: 1 })
  })

  it('end when the inbox is deleted', async () => {
    const inbox = await desk.inbox()
    await desk.send(inbox.id)
    const client = await desk.follow(inbox.id, {}, '?after=0')
    await some(client, 1)
    await desk.ask('DELETE', `/inboxes/${inbox.id}`)
    await client.ended
  })

  it('are followed by a few at a time, with every wrong place refused or mended', async () => {
    const inbox = await desk.inbox()
    const clients = await Promise.all(Array.from({ length: 5 }, () => desk.follow(inbox.id)))
    const sixth = await desk.follow(inbox.id)
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '10'])
    const [first] = clients
    first!.cut()
    await until('there is room again', async () => {
      const again = await desk.follow(inbox.id)
      again.cut()
      return again.status === 200
    })
    for (const client of clients) client.cut()
    const other = await desk.inbox()
    await desk.send(other.id)
    for (const id of ['x', '-1', '1e3', '9'.repeat(30)]) {
      const wrong = await desk.follow(other.id, { 'last-event-id': id })
      expect([id, wrong.status, JSON.parse(wrong.text).error.errors[0].field]).toEqual([id, 422, 'Last-Event-ID'])
    }
    expect((await desk.follow(other.id, {}, '?after=x')).status).toBe(422)
    // a place that the inbox has never had: all that is kept, and a word that some may be missing
    const ahead = await desk.follow(other.id, { 'last-event-id': '77' })
    await some(ahead, 2)
    expect(ahead.events.map(({ event }) => event)).toEqual(['inbox.events.lost', 'inbox.draft.sent'])
    ahead.cut()
  })
})

it.skipIf(isSwapped)('a client that reads nothing is cut off, and costs no memory', async () => {
  const desk = await Desk.open(await testApp(ANY))
  const inbox = await desk.inbox()
  await desk.send(inbox.id)
  const { bytesOf } = await import('../../server/http/stream.ts')
  let made = 0
  const cuts: number[] = []
  const endless = {
    next: async () => ({ done: false as const, value: 'x'.repeat(10_000 + made++) }),
    return: async () => ({ done: true as const, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
  const patience = { patienceMs: 50, cut: () => cuts.push(made) }
  const stream = bytesOf(endless, () => {}, patience)
  const reader = stream.getReader()
  await reader.read()
  await until('it is cut', () => cuts.length)
  expect(made).toBe(1)
  await expect(reader.read()).rejects.toThrow('too slow')
  // a client that goes away in the middle of a line leaves nothing behind
  const { port, hostname } = new URL(desk.http.url)
  for (let i = 0; i < 12; i++) {
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /inboxes/${inbox.id}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await until('its place is free', async () => {
      const client = await desk.follow(inbox.id)
      client.cut()
      return client.status === 200
    })
  }
})

it.skipIf(isSwapped)('two servers on one PostgreSQL stream the events of both, in one order', async () => {
  const url = await freshDatabase()
  const store = () => postgres({ url })
  const one = await Desk.open(await testApp({ store }))
  const two = await Desk.open(await testApp({ store }))
  const inbox = await one.inbox()
  const threads = [await one.send(inbox.id), await two.send(inbox.id)]
  const clients = [await one.follow(inbox.id, {}, '?after=0'), await two.follow(inbox.id, {}, '?after=0')]
  const begun = performance.now()
  await Promise.all(
    [one, two, one, two].map(async (desk, i) => {
      for (let k = 0; k < 25; k++) {
        await desk.ask('PATCH', `/threads/${threads[i % 2]}`, {
          labels: k % 2 ? [] : ['a'],
          assigneeId: `u${i}-${k}`,
        })
      }
    }),
  )
  const [left, right] = await Promise.all(clients.map((client) => some(client, 102)))
  expect(performance.now() - begun).toBeLessThan(60_000)
  expect(numbers(left!)).toEqual(upTo(102))
  expect(right).toEqual(left)
  // the end of one server ends its streams, and the other goes on from there
  one.test.engine.inboxes.events.end()
  await clients[0]!.ended
  expect((await one.follow(inbox.id)).status).toBe(503)
  const moved = await two.follow(inbox.id, { 'last-event-id': clients[0]!.lastId! })
  await two.ask('PATCH', `/threads/${threads[0]}`, { folder: 'archive' })
  expect(numbers(await some(moved, 1))).toEqual([103])
  for (const client of [clients[1]!, moved]) client.cut()
})
