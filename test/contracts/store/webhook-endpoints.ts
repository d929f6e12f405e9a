import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, delivery, endpoint, NOON, newProjectId } from './records.ts'

const LEASE = { token: 'worker-1', until: at(60) }

/** The promises of a store about the endpoints and secrets of webhooks. */
export function storeWebhookEndpointsContract(fresh: () => Promise<Store>) {
  it('keeps the first secret of a project, whoever makes one at the same time, and what it is changed to', async () => {
    const { webhookEndpoints } = await fresh()
    const [acme, other] = [newProjectId(), newProjectId()]
    const made = await Promise.all(Array.from({ length: 9 }, (_, i) => webhookEndpoints.secrets(acme, `whsec_${i}`)))
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1)
    const [first] = made
    expect(first).toStrictEqual({ projectId: acme, secret: first!.secret })
    const rotated = { projectId: acme, secret: 'whsec_new', earlier: first!.secret, earlierUntil: at(60) }
    await webhookEndpoints.saveSecrets(rotated)
    await webhookEndpoints.saveSecrets({ projectId: other, secret: 'whsec_other' })
    expect(await webhookEndpoints.secrets(acme, 'unused')).toStrictEqual(rotated)
    expect(await webhookEndpoints.secrets(other, 'unused')).toStrictEqual({ projectId: other, secret: 'whsec_other' })
    await webhookEndpoints.saveSecrets({ projectId: acme, secret: 'whsec_third' })
    expect(await webhookEndpoints.secrets(acme, 'unused')).toStrictEqual({ projectId: acme, secret: 'whsec_third' })
  })

  it('exchanges the texts of secrets unless they have changed meanwhile', async () => {
    const { webhookEndpoints } = await fresh()
    const projectId = newProjectId()
    const read = { projectId, secret: 'one', earlier: 'zero', earlierUntil: at(60) }
    await webhookEndpoints.saveSecrets(read)
    await webhookEndpoints.exchangeSecrets(read, { ...read, secret: 'sealed one', earlier: 'sealed zero' })
    await webhookEndpoints.exchangeSecrets(read, { ...read, secret: 'late' })
    const sealed = { projectId, secret: 'sealed one', earlier: 'sealed zero', earlierUntil: at(60) }
    expect(await webhookEndpoints.allSecrets()).toContainEqual(sealed)
  })

  it('finds those that were paused lately', async () => {
    const { webhookEndpoints } = await fresh()
    const projectId = newProjectId()
    const paused = { ...endpoint(projectId), enabled: false, pausedReason: 'gone', updatedAt: at(10) }
    await webhookEndpoints.insert(paused)
    await webhookEndpoints.insert({ ...endpoint(projectId), updatedAt: at(10) })
    const ids = async (since: Date) => (await webhookEndpoints.pausedSince(since)).map(({ id }) => id)
    expect([await ids(at(10)), await ids(at(11))]).toEqual([[paused.id], []])
  })

  it('gives endpoints back as they were written, newest first, and writes every field', async () => {
    const { webhookEndpoints } = await fresh()
    const projectId = newProjectId()
    const bare = endpoint(projectId)
    const events = ['*', 'email.*', 'quote"\\', '__proto__']
    const paused = { enabled: false, failingSince: at(-9), pausedReason: 'gone', description: 'x' }
    const full = endpoint(projectId, { events, ...paused })
    await webhookEndpoints.insert(bare)
    await webhookEndpoints.insert(full)
    await webhookEndpoints.insert(endpoint(newProjectId()))
    expect(await webhookEndpoints.all(projectId)).toStrictEqual([full, bare])
    expect(await webhookEndpoints.find(projectId, full.id)).toStrictEqual(full)
    expect(await webhookEndpoints.find(newProjectId(), full.id)).toBeUndefined()
    const next = endpoint(projectId, { id: full.id, url: 'https://b.example', events: [], updatedAt: at(5) })
    expect(await webhookEndpoints.update({ ...next, projectId: newProjectId() })).toBe(false)
    expect(await webhookEndpoints.update(next)).toBe(true)
    expect(await webhookEndpoints.find(projectId, full.id)).toStrictEqual(next)
  })

  it('lets one transaction at a time change an endpoint that it holds', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = endpoint(projectId, { events: [] })
    await store.webhookEndpoints.insert(made)
    expect(await store.transaction((tx) => tx.webhookEndpoints.lock(newProjectId(), made.id))).toBeUndefined()
    const names = Array.from({ length: 10 }, (_, i) => `event-${i}`)
    const add = (name: string) =>
      store.transaction(async (tx) => {
        const before = (await tx.webhookEndpoints.lock(projectId, made.id))!
        await tx.webhookEndpoints.update({ ...before, events: [...before.events, name] })
      })
    await Promise.all(names.map(add))
    const stored = await store.webhookEndpoints.find(projectId, made.id)
    expect(stored?.events.toSorted()).toEqual(names)
  })

  it('removes an endpoint and gives up what waits for it, also what is being delivered', async () => {
    const { webhookEndpoints, webhookDeliveries } = await fresh()
    const projectId = newProjectId()
    const [gone, kept] = [endpoint(projectId), endpoint(projectId)]
    for (const each of [gone, kept]) await webhookEndpoints.insert(each)
    const [tried, waiting, done, others] = [
      delivery(projectId, { endpointId: gone.id, dueAt: at(-1) }),
      delivery(projectId, { endpointId: gone.id, dueAt: at(99) }),
      delivery(projectId, { endpointId: gone.id, status: 'SUCCEEDED', completedAt: NOON }),
      delivery(projectId, { endpointId: kept.id, dueAt: at(99) }),
    ]
    await webhookDeliveries.add([tried, waiting, done, others])
    const [claimed] = await webhookDeliveries.claim(NOON, 9, LEASE)
    expect(await webhookEndpoints.remove(newProjectId(), gone.id, at(5))).toBe(false)
    expect(await webhookEndpoints.remove(projectId, gone.id, at(5))).toBe(true)
    expect(await webhookEndpoints.remove(projectId, gone.id, at(5))).toBe(false)
    expect(await webhookEndpoints.all(projectId)).toEqual([kept])
    expect(await webhookDeliveries.record({ ...claimed!, status: 'SUCCEEDED' }, LEASE.token)).toBe(false)
    const givenUp = { status: 'FAILED', error: 'The endpoint was removed.', completedAt: at(5), updatedAt: at(5) }
    expect(await webhookDeliveries.find(projectId, tried.id)).toEqual({ ...tried, ...givenUp, attempts: 1 })
    expect(await webhookDeliveries.find(projectId, waiting.id)).toEqual({ ...waiting, ...givenUp })
    expect(await webhookDeliveries.find(projectId, done.id)).toEqual(done)
    expect(await webhookDeliveries.find(projectId, others.id)).toEqual(others)
  })
}
