import { expect, it } from 'vitest'
import type { Store } from '../../core/ports/store/store.ts'
import type { WebhookDelivery } from '../../core/ports/store/webhooks.ts'
import { at, delivery, endpoint, HOSTILE, NOON, newId, newProjectId } from './store-records.ts'

const LEASE = { token: 'worker-1', until: at(60) }

/** What a store promises about webhooks. */
export function storeWebhooksContract(fresh: () => Promise<Store>) {
  it('keeps the first secret of a project, whoever makes one at the same time, and what it is changed to', async () => {
    const { webhooks } = await fresh()
    const [acme, other] = [newProjectId(), newProjectId()]
    const made = await Promise.all(Array.from({ length: 9 }, (_, i) => webhooks.secrets(acme, `whsec_${i}`)))
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1)
    const [first] = made
    expect(first).toStrictEqual({ projectId: acme, secret: first!.secret })
    const rotated = { projectId: acme, secret: 'whsec_new', earlier: first!.secret, earlierUntil: at(60) }
    await webhooks.saveSecrets(rotated)
    await webhooks.saveSecrets({ projectId: other, secret: 'whsec_other' })
    expect(await webhooks.secrets(acme, 'unused')).toStrictEqual(rotated)
    expect(await webhooks.secrets(other, 'unused')).toStrictEqual({ projectId: other, secret: 'whsec_other' })
    await webhooks.saveSecrets({ projectId: acme, secret: 'whsec_third' })
    expect(await webhooks.secrets(acme, 'unused')).toStrictEqual({ projectId: acme, secret: 'whsec_third' })
  })

  it('gives endpoints back as they were written, newest first, and writes every field', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const bare = endpoint(projectId)
    const events = ['*', 'email.*', 'quote"\\', '__proto__']
    const paused = { enabled: false, failingSince: at(-9), pausedReason: 'gone', description: 'x' }
    const full = endpoint(projectId, { events, ...paused })
    await webhooks.insertEndpoint(bare)
    await webhooks.insertEndpoint(full)
    await webhooks.insertEndpoint(endpoint(newProjectId()))
    expect(await webhooks.endpoints(projectId)).toStrictEqual([full, bare])
    expect(await webhooks.findEndpoint(projectId, full.id)).toStrictEqual(full)
    expect(await webhooks.findEndpoint(newProjectId(), full.id)).toBeUndefined()
    const next = endpoint(projectId, { id: full.id, url: 'https://b.example', events: [], updatedAt: at(5) })
    expect(await webhooks.updateEndpoint({ ...next, projectId: newProjectId() })).toBe(false)
    expect(await webhooks.updateEndpoint(next)).toBe(true)
    expect(await webhooks.findEndpoint(projectId, full.id)).toStrictEqual(next)
  })

  it('lets one transaction at a time change an endpoint that it holds', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = endpoint(projectId, { events: [] })
    await store.webhooks.insertEndpoint(made)
    expect(await store.transaction((tx) => tx.webhooks.lockEndpoint(newProjectId(), made.id))).toBeUndefined()
    const names = Array.from({ length: 10 }, (_, i) => `event-${i}`)
    const add = (name: string) =>
      store.transaction(async (tx) => {
        const before = (await tx.webhooks.lockEndpoint(projectId, made.id))!
        await tx.webhooks.updateEndpoint({ ...before, events: [...before.events, name] })
      })
    await Promise.all(names.map(add))
    const stored = await store.webhooks.findEndpoint(projectId, made.id)
    expect(stored?.events.toSorted()).toEqual(names)
  })

  it('ends leases of deliveries before their time', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    await webhooks.addDeliveries([delivery(projectId, { dueAt: NOON }), delivery(projectId, { dueAt: at(99) })])
    const [claimed] = await webhooks.claimDeliveries(NOON, 9, LEASE)
    expect(await webhooks.claimDeliveries(NOON, 9, LEASE)).toEqual([])
    expect(await webhooks.expireLeases(LEASE.until)).toBe(0)
    expect(await webhooks.expireLeases(at(1e9))).toBe(1)
    expect(await webhooks.recordDelivery({ ...claimed!, status: 'SUCCEEDED' }, LEASE.token)).toBe(false)
    expect(await webhooks.claimDeliveries(NOON, 9, LEASE)).toEqual([{ ...claimed, attempts: 2 }])
  })

  it('removes an endpoint and gives up what waits for it, also what is being delivered', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const [gone, kept] = [endpoint(projectId), endpoint(projectId)]
    for (const each of [gone, kept]) await webhooks.insertEndpoint(each)
    const [tried, waiting, done, others] = [
      delivery(projectId, { endpointId: gone.id, dueAt: at(-1) }),
      delivery(projectId, { endpointId: gone.id, dueAt: at(99) }),
      delivery(projectId, { endpointId: gone.id, status: 'SUCCEEDED', completedAt: NOON }),
      delivery(projectId, { endpointId: kept.id, dueAt: at(99) }),
    ]
    await webhooks.addDeliveries([tried, waiting, done, others])
    const [claimed] = await webhooks.claimDeliveries(NOON, 9, LEASE)
    expect(await webhooks.removeEndpoint(newProjectId(), gone.id, at(5))).toBe(false)
    expect(await webhooks.removeEndpoint(projectId, gone.id, at(5))).toBe(true)
    expect(await webhooks.removeEndpoint(projectId, gone.id, at(5))).toBe(false)
    expect(await webhooks.endpoints(projectId)).toEqual([kept])
    expect(await webhooks.recordDelivery({ ...claimed!, status: 'SUCCEEDED' }, LEASE.token)).toBe(false)
    const givenUp = { status: 'FAILED', error: 'The endpoint was removed.', completedAt: at(5), updatedAt: at(5) }
    expect(await webhooks.findDelivery(projectId, tried.id)).toEqual({ ...tried, ...givenUp, attempts: 1 })
    expect(await webhooks.findDelivery(projectId, waiting.id)).toEqual({ ...waiting, ...givenUp })
    expect(await webhooks.findDelivery(projectId, done.id)).toEqual(done)
    expect(await webhooks.findDelivery(projectId, others.id)).toEqual(others)
  })

  it('gives a delivery back as it was written, with a body of a megabyte, and lists it without', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const full = whole(delivery(projectId, { body: `{"a":"${'ж"\\n'.repeat(200_000)}"}` }))
    const bare = delivery(projectId)
    expect(await webhooks.addDeliveries([full, bare])).toBe(2)
    expect(await webhooks.findDelivery(projectId, full.id)).toStrictEqual(full)
    expect(await webhooks.findDelivery(projectId, bare.id)).toStrictEqual(bare)
    expect(await webhooks.findDelivery(newProjectId(), bare.id)).toBeUndefined()
    const { body, ...brief } = full
    expect(body?.length).toBeGreaterThan(800_000)
    expect(await webhooks.deliveries(projectId, {}, { limit: 9 })).toStrictEqual([bare, brief])
  })

  it('stores one delivery of an event to an endpoint, but any number of its repetitions', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const to = { endpointId: newId(), eventId: newId() }
    const first = delivery(projectId, to)
    expect(await webhooks.addDeliveries([first, delivery(projectId, to)])).toBe(1)
    const others = [
      delivery(projectId, { ...to, endpointId: newId() }),
      delivery(projectId, { ...to, eventId: newId() }),
      delivery(projectId, { ...to, replayOf: first.id }),
      delivery(projectId, { ...to, replayOf: first.id }),
      delivery(projectId, { eventId: to.eventId, stepId: newId() }),
      delivery(projectId, { eventId: to.eventId, stepId: newId() }),
    ]
    expect(await webhooks.addDeliveries([delivery(projectId, to), ...others])).toBe(others.length)
    expect(await webhooks.addDeliveries([first, ...others])).toBe(0)
    expect(await webhooks.addDeliveries([])).toBe(0)
    const same = { endpointId: newId(), eventId: newId() }
    const added = await Promise.all(
      Array.from({ length: 20 }, () => webhooks.addDeliveries([delivery(projectId, same)])),
    )
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(1)
  })

  it('lists deliveries newest first by endpoint, workflow and status, and counts them', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const [endpointId, workflowId] = [newId(), newId()]
    const made = [
      delivery(projectId, { endpointId }),
      delivery(projectId, { workflowId }),
      delivery(projectId, { endpointId, status: 'FAILED' }),
      delivery(projectId, { workflowId, status: 'SUCCEEDED' }),
      delivery(projectId, { endpointId, status: 'SUCCEEDED' }),
    ]
    await webhooks.addDeliveries([...made, delivery(newProjectId(), { endpointId })])
    const newest = made.toReversed()
    for (const filter of [
      {},
      { endpointId },
      { workflowId },
      { status: 'SUCCEEDED' },
      { endpointId, status: 'FAILED' },
    ]) {
      const asked = filter as { endpointId?: string; workflowId?: string; status?: WebhookDelivery['status'] }
      const expected = newest.filter((each) =>
        Object.entries(filter).every(([key, value]) => Object(each)[key] === value),
      )
      expect(await webhooks.deliveries(projectId, asked, { limit: 9 }), JSON.stringify(filter)).toEqual(expected)
      expect(await webhooks.countDeliveries(projectId, asked)).toBe(expected.length)
    }
    expect(await webhooks.deliveries(projectId, {}, { limit: 1, after: { value: '', id: newest[1]!.id } })).toEqual(
      newest.slice(2, 4),
    )
  })

  it('claims what is due, the longest first, one more attempt each, and again when a lease has run out', async () => {
    const { webhooks } = await fresh()
    const made = [-1, -9, -5, 30].map((seconds) => delivery(newProjectId(), { dueAt: at(seconds) }))
    const [last, first, second, later] = made as [WebhookDelivery, WebhookDelivery, WebhookDelivery, WebhookDelivery]
    await webhooks.addDeliveries([...made, delivery(newProjectId(), { status: 'SUCCEEDED', completedAt: NOON })])
    expect(await webhooks.nextDelivery()).toEqual(at(-9))
    expect(await webhooks.claimDeliveries(NOON, 2, LEASE)).toEqual([
      { ...first, attempts: 1 },
      { ...second, attempts: 1 },
    ])
    expect(await webhooks.nextDelivery()).toEqual(at(-1))
    expect(await webhooks.claimDeliveries(NOON, 9, LEASE)).toEqual([{ ...last, attempts: 1 }])
    expect(await webhooks.claimDeliveries(at(29), 9, LEASE)).toEqual([])
    expect(await webhooks.nextDelivery()).toEqual(at(30))
    const again = await webhooks.claimDeliveries(at(60), 9, { token: 'worker-2', until: at(90) })
    expect(again).toEqual([
      { ...first, attempts: 2 },
      { ...second, attempts: 2 },
      { ...last, attempts: 2 },
      { ...later, attempts: 1 },
    ])
    expect(await webhooks.nextDelivery()).toBeUndefined()
  })

  it('records a try under its token only, and forgets what has ended long ago', async () => {
    const { webhooks } = await fresh()
    const projectId = newProjectId()
    const made = whole(delivery(projectId))
    const other = delivery(projectId, { dueAt: at(5), body: 'b' })
    await webhooks.addDeliveries([made, other])
    const [claimed] = await webhooks.claimDeliveries(NOON, 1, LEASE)
    const answer = { responseStatus: 503, responseBody: 'Ж"', error: 'HTTP 503' }
    const retried: WebhookDelivery = { ...claimed!, ...answer, dueAt: at(20), updatedAt: at(3) }
    expect(await webhooks.recordDelivery(retried, 'worker-2')).toBe(false)
    expect(await webhooks.recordDelivery({ ...retried, projectId: newProjectId() }, LEASE.token)).toBe(false)
    expect(await webhooks.recordDelivery(retried, LEASE.token)).toBe(true)
    expect(await webhooks.recordDelivery(retried, LEASE.token)).toBe(false)
    expect(await webhooks.findDelivery(projectId, made.id)).toStrictEqual(retried)
    const [again] = (await webhooks.claimDeliveries(at(20), 9, LEASE)).slice(1)
    const { responseBody, error, ...rest } = again!
    const done: WebhookDelivery = {
      ...rest,
      responseStatus: 200,
      status: 'SUCCEEDED',
      completedAt: at(21),
      updatedAt: at(21),
    }
    expect([responseBody, error]).toEqual(['Ж"', 'HTTP 503'])
    expect(await webhooks.recordDelivery(done, LEASE.token)).toBe(true)
    expect(await webhooks.findDelivery(projectId, made.id)).toStrictEqual(done)
    expect(await webhooks.claimDeliveries(at(999), 9, LEASE)).toMatchObject([{ id: other.id }])
    expect(await webhooks.forgetDeliveries(at(21), 9)).toBe(0)
    expect(await webhooks.forgetDeliveries(at(22), 9)).toBe(1)
    expect(await webhooks.deliveries(projectId, {}, { limit: 9 })).toHaveLength(1)
  })
}

/** A PENDING delivery that has everything it can have. */
function whole(of: WebhookDelivery): WebhookDelivery {
  const ids = { endpointId: newId(), workflowId: newId(), executionId: newId(), stepId: newId(), eventId: newId() }
  const headers = { 'x-hostile': String(HOSTILE['quote"\'`\\']), constructor: 'c' }
  return {
    ...of,
    ...ids,
    headers,
    eventName: 'a"b',
    replayOf: newId(),
    responseStatus: 500,
    responseBody: 'r',
    error: 'e',
  }
}
