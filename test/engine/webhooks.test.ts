import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GivenSettings } from '../../config/library.ts'
import type { WebhookDelivery } from '../../core/ports/store/webhook-deliveries.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { drawn, engineOnStore, sharedEngine, type World } from '../support/workflow.ts'

const WITHIN = 20_000
const OPEN: GivenSettings = { egress: { allow: ['127.0.0.0/8'] }, webhooks: { retryDelays: [0, 0, 0] } }
const HANG = () => {}

const answer = (status: number, headers: Record<string, string> = {}) => {
  return (_request: unknown, response: ServerResponse) => void response.writeHead(status, headers).end('words')
}

function endpoint({ engine, project }: World, url: string, events: readonly string[] = ['seen']) {
  return engine.webhooks.create(project, { url, events: [...events] })
}

function track({ engine, project }: World, event: string, data = {}, email = 'ada@example.org') {
  return engine.events.track(project, { email, event, data })
}

/** Every delivery of the project, the oldest first. */
async function deliveries({ engine, project }: World): Promise<readonly WebhookDelivery[]> {
  return (await engine.webhooks.deliveries.list(project, { limit: 100 })).items.toReversed()
}

/** The deliveries, when there are `count` and all of them have ended. */
function ended(world: World, count = 1): Promise<readonly WebhookDelivery[]> {
  return until(
    `${count} deliveries have ended`,
    async () => {
      const all = await deliveries(world)
      return all.length === count && all.every(({ status }) => status !== 'PENDING') ? all : undefined
    },
    WITHIN,
  )
}

describe.each([STRICT])('webhooks on $name', ({ store }) => {
  let shared: () => World
  beforeAll(async () => {
    shared = await sharedEngine(store(), OPEN)
  })
  /** Where the settings are others, an engine of its own. */
  async function started(settings?: GivenSettings): Promise<World> {
    if (settings === undefined) return shared()
    const world = await engineOnStore(store(), { ...OPEN, ...settings })
    await world.engine.start()
    return world
  }

  it('tell an endpoint of the events it asked for, signed, each once', async () => {
    const world = await started()
    const { engine, project } = world
    const receiver = await startReceiver()
    const { id } = await endpoint(world, receiver.url, ['seen', 'contact.unsubscribed'])
    await track(world, 'seen', { plan: 'pro' })
    await track(world, 'ignored')
    const contact = await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: false })
    const all = await ended(world, 2)
    expect(receiver.requests).toHaveLength(2)
    const bodies = receiver.verify(await engine.webhooks.secret(project))
    const seen = bodies.find((body) => (body as { type: string }).type === 'seen')
    expect(seen).toEqual({
      type: 'seen',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        eventId: all.find(({ eventName }) => eventName === 'seen')?.eventId,
        contact: {
          id: contact.contact.id,
          email: 'ada@example.org',
          subscribed: expect.any(Boolean),
          data: { plan: 'pro' },
        },
        event: { plan: 'pro' },
      },
    })
    expect(all.map(({ endpointId, attempts, responseStatus }) => [endpointId, attempts, responseStatus])).toEqual([
      [id, 1, 200],
      [id, 1, 200],
    ])
    expect(new Set(receiver.requests.map((each) => each.id))).toEqual(new Set(all.map((each) => each.id)))
    expect(receiver.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Mailwright',
    })
  })

  it('of events from before the start are sent once, too', async () => {
    const world = await engineOnStore(store(), OPEN)
    const receiver = await startReceiver((_request, response) => void setTimeout(() => response.end(), 20))
    await endpoint(world, receiver.url)
    for (let i = 0; i < 20; i++) await track(world, 'seen', { i })
    await world.engine.start()
    const all = await ended(world, 20)
    expect(all.every(({ attempts }) => attempts === 1)).toBe(true)
    expect(receiver.requests).toHaveLength(20)
  })

  if (!isSwapped)
    it('are signed with both secrets after a rotation', async () => {
      const world = await started()
      const { engine, project } = world
      const receiver = await startReceiver()
      await endpoint(world, receiver.url)
      const before = await engine.webhooks.secret(project)
      const after = await engine.webhooks.rotateSecret(project)
      expect(after).not.toBe(before)
      await track(world, 'seen')
      await ended(world)
      expect(receiver.verify(before)).toEqual(receiver.verify(after))
      expect(String(receiver.requests[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
      expect(() => receiver.verify(`whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow('No matching signature')
    })

  it('are tried again with the same id until the receiver takes them', async () => {
    const world = await started()
    const secret = await world.engine.webhooks.secret(world.project)
    const statuses = [500, 429, 200]
    const receiver = await startReceiver((_request, response, count) => answer(statuses[count] ?? 500)(0, response))
    await endpoint(world, receiver.url)
    await track(world, 'seen')
    const [done] = await ended(world)
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempts: 3, responseStatus: 200 })
    expect(done).not.toHaveProperty('error')
    expect(receiver.requests.map(({ id }) => id)).toEqual([done?.id, done?.id, done?.id])
    expect(receiver.verify(secret)).toHaveLength(3)
  })

  it('fail for good after the last try, and mark the endpoint until a success', async () => {
    const world = await started()
    const { engine, project } = world
    let status = 503
    const receiver = await startReceiver((_request, response) => answer(status)(0, response))
    const { id } = await endpoint(world, receiver.url)
    await track(world, 'seen')
    const [failed] = await ended(world)
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 4, responseStatus: 503 })
    expect(failed?.error).toBe('The receiver answered 503.')
    expect(receiver.requests).toHaveLength(4)
    const failing = await engine.webhooks.get(project, id)
    expect(failing).toMatchObject({ enabled: true, failingSince: failed?.completedAt })
    status = 204
    const again = await engine.webhooks.deliveries.replay(project, failed?.id ?? '')
    expect(again).toMatchObject({ replayOf: failed?.id, status: 'PENDING', eventId: failed?.eventId })
    expect(again.id).not.toBe(failed?.id)
    await ended(world, 2)
    expect(receiver.requests[4]).toMatchObject({ id: again.id, body: receiver.requests[0]?.body })
    expect(await engine.webhooks.get(project, id)).not.toHaveProperty('failingSince')
  })

  if (!isSwapped)
    it('pause an endpoint that is gone, or that fails for too long, and say so once', async () => {
      const warned: string[] = []
      const log = {
        debug() {},
        info() {},
        error() {},
        warn: (words: string) => void warned.push(words),
        with: () => log,
      }
      let ahead = 0
      const clock = { now: () => new Date(Date.now() + ahead) }
      const world = await started({ log, clock, webhooks: { retryDelays: [] } })
      const { engine, project } = world
      const [gone, broken] = [await startReceiver(answer(410)), await startReceiver(answer(500))]
      const endpoints = [await endpoint(world, gone.url), await endpoint(world, broken.url)]
      await track(world, 'seen')
      await ended(world, 2)
      expect(await engine.webhooks.get(project, endpoints[1]!.id)).toMatchObject({ enabled: true })
      ahead = 5 * 86_400_000
      await track(world, 'seen', { days: 'later' })
      await ended(world, 3)
      const paused = await Promise.all(endpoints.map(({ id }) => engine.webhooks.get(project, id)))
      expect(paused).toMatchObject([
        { enabled: false, pausedReason: 'The receiver answered 410 Gone.' },
        { enabled: false, pausedReason: expect.stringContaining('has failed since') },
      ])
      const [failed, pause] = ['a webhook failed', 'paused a webhook endpoint']
      expect(warned.toSorted()).toEqual([failed, failed, failed, pause, pause])
      await track(world, 'seen', { again: true })
      const revived = await engine.webhooks.change(project, endpoints[0]?.id ?? '', { enabled: true })
      expect(revived).not.toHaveProperty('pausedReason')
      expect(revived).not.toHaveProperty('failingSince')
      await track(world, 'seen', { once: 'more' })
      const all = await ended(world, 4)
      expect(all).toHaveLength(4)
    })

  if (!isSwapped)
    it('fail without a second try when they may not be sent, also by a redirect', async () => {
      const world = await started({ egress: { allow: ['127.0.0.2/32'] } })
      const inner = await startReceiver()
      const outer = await startReceiver(answer(307, { location: inner.url }), { at: '127.0.0.2' })
      await endpoint(world, outer.url)
      // as one that was saved while the configuration still let it
      const { id } = await endpoint(world, 'https://a.example/')
      await world.store.transaction(async (tx) => {
        const saved = await tx.webhookEndpoints.lock(world.project.id, id)
        await tx.webhookEndpoints.update({ ...saved!, url: inner.url })
      })
      await track(world, 'seen')
      const all = await ended(world, 2)
      expect(all).toMatchObject([
        { status: 'FAILED', attempts: 1, error: expect.stringContaining('not allowed') },
        { status: 'FAILED', attempts: 1, error: expect.stringContaining('not allowed') },
      ])
      expect(inner.requests).toHaveLength(0)
      expect(outer.requests).toHaveLength(1)
    })

  if (!isSwapped)
    it('keep 64 KB of an endless answer, and try again when one breaks off', async () => {
      const world = await started()
      const large = await startReceiver((_request, response) => flood(response, 100 * 1024 * 1024))
      const broken = await startReceiver((_request, response, count) => {
        if (count > 0) return void response.end('whole')
        response.writeHead(200, { 'content-length': 10 }).write('half')
        setImmediate(() => response.destroy())
      })
      const [big, early] = [await endpoint(world, large.url), await endpoint(world, broken.url)]
      await track(world, 'seen')
      const all = await ended(world, 2)
      const of = (id: string) => all.find(({ endpointId }) => endpointId === id)
      expect(of(early.id)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
      const { delivery } = await world.engine.webhooks.deliveries.get(world.project, of(big.id)?.id ?? '')
      expect(delivery).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
      expect(delivery.responseBody?.length).toBe(65_536)
    })

  it('of a step of a workflow are signed as it drew them, and move it by how they end', async () => {
    const world = await started()
    const { engine, project, store } = world
    const receiver = await startReceiver((_request, response, count) => answer(count > 0 ? 201 : 500)(0, response))
    const config = { url: receiver.url, method: 'PUT', headers: { 'X-Plan': '{{ event.plan }}' } }
    const graph = drawn(project, [{ type: 'WEBHOOK', config }, { type: 'EXIT' }], { eventName: 'begin' })
    await store.workflows.insert(graph)
    await track(world, 'begin', { plan: 'pro' })
    const [done] = await ended(world)
    expect(done).toMatchObject({ workflowId: graph.workflow.id, method: 'PUT', attempts: 2, responseStatus: 201 })
    const status = async () => {
      const { items: executions } = await engine.workflows.executions.list(project, graph.workflow.id, {})
      return executions[0]?.execution.status
    }
    await until('the execution has gone on', async () => (await status()) === 'EXITED', WITHIN)
    expect(receiver.requests).toMatchObject([{ id: done?.id, method: 'PUT' }, { id: done?.id }])
    expect(receiver.requests[0]?.headers['x-plan']).toBe('pro')
    const [body] = receiver.verify(await engine.webhooks.secret(project))
    expect(body).toMatchObject({
      ...{ contact: { email: 'ada@example.org', subscribed: true }, event: { plan: 'pro' } },
      ...{ workflow: { id: graph.workflow.id }, execution: { id: done?.executionId } },
    })
    await engine.webhooks.deliveries.replay(project, done?.id ?? '')
    await ended(world, 2)
    expect(await status()).toBe('EXITED')
  })

  it('to a receiver that hangs hold up no others', async () => {
    const world = await started({})
    const { engine } = world
    const [hanging, quick] = [await startReceiver(HANG), await startReceiver()]
    await endpoint(world, hanging.url, ['slow'])
    for (let i = 0; i < 60; i++) await track(world, 'slow', { i })
    await until('it hangs', () => hanging.requests.length === 5, WITHIN)
    await endpoint(world, quick.url, ['quick'])
    for (let i = 0; i < 20; i++) await track(world, 'quick', { i })
    await until('the others have got theirs', () => quick.requests.length === 20, WITHIN)
    expect(hanging.requests.length).toBe(5)
    await engine.stop(0)
  })
})

describe.skipIf(isSwapped)('webhooks after a restart', () => {
  it('go on with what was given up, with the same id and no try lost', async () => {
    const file = freshFile(join(freshFolder(), 'test.db'))
    const receiver = await startReceiver((_request, response, count) => (count > 0 ? response.end() : undefined))
    const first = await engineOnStore(sqlite({ file }), OPEN)
    await first.engine.start()
    await endpoint(first, receiver.url)
    await track(first, 'seen')
    await until('the request is under way', () => receiver.requests.length === 1, WITHIN)
    await first.engine.stop(0)
    const second = await engineOnStore(sqlite({ file }), OPEN)
    await second.engine.start()
    const [done] = await ended(second)
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    expect(receiver.requests.map(({ id }) => id)).toEqual([done?.id, done?.id])
  })
})

/** Answers so many bytes, as fast as they are taken. */
function flood(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(65_536, 'a')
  let left = bytes
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
}
