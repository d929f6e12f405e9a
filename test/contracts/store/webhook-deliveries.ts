import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { WebhookDelivery } from '../../../core/ports/store/webhook-deliveries.ts'
import { at, delivery, HOSTILE, NOON, newId, newProjectId } from './records.ts'

const LEASE = { token: 'worker-1', until: at(60) }

/** The promises of a store about requests to customers, of endpoints and of workflows. */
export function storeWebhookDeliveriesContract(fresh: () => Promise<Store>) {
  it('ends leases of deliveries before their time', async () => {
    const { webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    await webhookDeliveries.add([delivery(projectId, { dueAt: NOON }), delivery(projectId, { dueAt: at(99) })])
    const [claimed] = await webhookDeliveries.claim(NOON, 9, LEASE)
    expect(await webhookDeliveries.claim(NOON, 9, LEASE)).toEqual([])
    expect(await webhookDeliveries.expireLeases(LEASE.until)).toBe(0)
    expect(await webhookDeliveries.expireLeases(at(1e9))).toBe(1)
    expect(await webhookDeliveries.record({ ...claimed!, status: 'SUCCEEDED' }, LEASE.token)).toBe(false)
    expect(await webhookDeliveries.claim(NOON, 9, LEASE)).toEqual([{ ...claimed, attempts: 2, interrupted: 1 }])
  })

  it('gives a delivery back as it was written, with a body of a megabyte, and lists it without', async () => {
    const { webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    const full = whole(delivery(projectId, { body: `{"a":"${'ж"\\n'.repeat(200_000)}"}` }))
    const bare = delivery(projectId)
    expect(await webhookDeliveries.add([full, bare])).toBe(2)
    expect(await webhookDeliveries.find(projectId, full.id)).toStrictEqual(full)
    expect(await webhookDeliveries.find(projectId, bare.id)).toStrictEqual(bare)
    expect(await webhookDeliveries.find(newProjectId(), bare.id)).toBeUndefined()
    const { body, ...brief } = full
    expect(body?.length).toBeGreaterThan(800_000)
    expect(await webhookDeliveries.page(projectId, {}, { limit: 9 })).toStrictEqual([bare, brief])
  })

  it('stores one delivery of an event to an endpoint, but any number of its repetitions', async () => {
    const { webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    const to = { endpointId: newId(), eventId: newId() }
    const first = delivery(projectId, to)
    expect(await webhookDeliveries.add([first, delivery(projectId, to)])).toBe(1)
    const others = [
      delivery(projectId, { ...to, endpointId: newId() }),
      delivery(projectId, { ...to, eventId: newId() }),
      delivery(projectId, { ...to, replayOf: first.id }),
      delivery(projectId, { ...to, replayOf: first.id }),
      delivery(projectId, { eventId: to.eventId, stepId: newId() }),
      delivery(projectId, { eventId: to.eventId, stepId: newId() }),
    ]
    expect(await webhookDeliveries.add([delivery(projectId, to), ...others])).toBe(others.length)
    expect(await webhookDeliveries.add([first, ...others])).toBe(0)
    expect(await webhookDeliveries.add([])).toBe(0)
    const same = { endpointId: newId(), eventId: newId() }
    const added = await Promise.all(
      Array.from({ length: 20 }, () => webhookDeliveries.add([delivery(projectId, same)])),
    )
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(1)
  })

  it('lists deliveries newest first by endpoint, workflow and status, and counts them', async () => {
    const { webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    const [endpointId, workflowId] = [newId(), newId()]
    const made = [
      delivery(projectId, { endpointId }),
      delivery(projectId, { workflowId }),
      delivery(projectId, { endpointId, status: 'FAILED' }),
      delivery(projectId, { workflowId, status: 'SUCCEEDED' }),
      delivery(projectId, { endpointId, status: 'SUCCEEDED' }),
    ]
    await webhookDeliveries.add([...made, delivery(newProjectId(), { endpointId })])
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
      expect(await webhookDeliveries.page(projectId, asked, { limit: 9 }), JSON.stringify(filter)).toEqual(expected)
      expect(await webhookDeliveries.count(projectId, asked)).toBe(expected.length)
    }
    expect(await webhookDeliveries.page(projectId, {}, { limit: 1, after: { value: '', id: newest[1]!.id } })).toEqual(
      newest.slice(2, 4),
    )
  })

  it('claims what is due, the longest first, one more attempt each, and again when a lease has run out', async () => {
    const { webhookDeliveries } = await fresh()
    const made = [-1, -9, -5, 30].map((seconds) => delivery(newProjectId(), { dueAt: at(seconds) }))
    const [last, first, second, later] = made as [WebhookDelivery, WebhookDelivery, WebhookDelivery, WebhookDelivery]
    await webhookDeliveries.add([...made, delivery(newProjectId(), { status: 'SUCCEEDED', completedAt: NOON })])
    expect(await webhookDeliveries.next()).toEqual(at(-9))
    expect(await webhookDeliveries.claim(NOON, 2, LEASE)).toEqual([
      { ...first, attempts: 1 },
      { ...second, attempts: 1 },
    ])
    expect(await webhookDeliveries.next()).toEqual(at(-1))
    expect(await webhookDeliveries.claim(NOON, 9, LEASE)).toEqual([{ ...last, attempts: 1 }])
    expect(await webhookDeliveries.claim(at(29), 9, LEASE)).toEqual([])
    expect(await webhookDeliveries.next()).toEqual(at(30))
    const again = await webhookDeliveries.claim(at(60), 9, { token: 'worker-2', until: at(90) })
    expect(again).toEqual([
      { ...first, attempts: 2 },
      { ...second, attempts: 2 },
      { ...last, attempts: 2 },
      { ...later, attempts: 1 },
    ])
    expect(await webhookDeliveries.next()).toBeUndefined()
  })

  it('records a try under its token only, and forgets what has ended long ago', async () => {
    const { webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    const made = whole(delivery(projectId))
    const other = delivery(projectId, { dueAt: at(5), body: 'b' })
    await webhookDeliveries.add([made, other])
    const [claimed] = await webhookDeliveries.claim(NOON, 1, LEASE)
    const answer = { responseStatus: 503, responseBody: 'Ж"', error: 'HTTP 503' }
    const retried: WebhookDelivery = { ...claimed!, ...answer, dueAt: at(20), updatedAt: at(3) }
    expect(await webhookDeliveries.record(retried, 'worker-2')).toBe(false)
    expect(await webhookDeliveries.record({ ...retried, projectId: newProjectId() }, LEASE.token)).toBe(false)
    expect(await webhookDeliveries.record(retried, LEASE.token)).toBe(true)
    expect(await webhookDeliveries.record(retried, LEASE.token)).toBe(false)
    expect(await webhookDeliveries.find(projectId, made.id)).toStrictEqual(retried)
    const [again] = (await webhookDeliveries.claim(at(20), 9, LEASE)).slice(1)
    const { responseBody, error, ...rest } = again!
    const done: WebhookDelivery = {
      ...rest,
      responseStatus: 200,
      status: 'SUCCEEDED',
      completedAt: at(21),
      updatedAt: at(21),
    }
    expect([responseBody, error]).toEqual(['Ж"', 'HTTP 503'])
    expect(await webhookDeliveries.record(done, LEASE.token)).toBe(true)
    expect(await webhookDeliveries.find(projectId, made.id)).toStrictEqual(done)
    expect(await webhookDeliveries.claim(at(999), 9, LEASE)).toMatchObject([{ id: other.id }])
    expect(await webhookDeliveries.forget(at(21), 9)).toBe(0)
    expect(await webhookDeliveries.forget(at(22), 9)).toBe(1)
    expect(await webhookDeliveries.page(projectId, {}, { limit: 9 })).toHaveLength(1)
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
