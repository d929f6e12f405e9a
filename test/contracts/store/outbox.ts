import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  email,
  endpoint,
  event,
  execution,
  HOSTILE,
  newId,
  newProjectId,
  project,
  put,
  putContact,
  removeWholly,
  workflow,
} from './records.ts'

/** The promises of a store about the events that workflows or endpoints wait for. */
export function storeOutboxContract(fresh: () => Promise<Store>) {
  it('stores an event that counts only where it is waited for, but none of a project with its own of that name', async () => {
    const store = await fresh()
    const [waits, sleeps, owns] = [project(), project(), project({ tracksCreated: true })]
    for (const each of [waits, sleeps, owns]) await store.projects.save(each)
    for (const { id } of [waits, owns]) await store.webhookEndpoints.insert(endpoint(id))
    const heard: string[] = []
    const stop = store.listen((events) => void heard.push(...events.map(({ projectId }) => projectId)))
    for (const { id } of [waits, sleeps, owns]) {
      const { id: contactId } = await putContact(store, id)
      const told = event(id, contactId, { name: 'contact.created' })
      const own = event(id, contactId, { name: 'contact.created', data: { mine: true } })
      await store.transaction((tx) => tx.events.record([{ ...told, ifAwaited: true }, own]))
      const stored = await store.events.page(id, {}, { limit: 9 })
      expect(stored.map((each) => each.id).toSorted()).toEqual(
        (id === waits.id ? [told.id, own.id] : [own.id]).toSorted(),
      )
      expect(await store.events.countNamed(id, 'contact.created')).toBe(stored.length)
    }
    stop()
    expect(heard).toEqual([waits.id, waits.id, sleeps.id, sleeps.id, owns.id])
  })

  it('notes no event nobody waits for', async () => {
    const store = await fresh()
    const { projectId, ada } = await person(store)
    const others = await person(store)
    const off = [
      workflow(projectId, { enabled: false }),
      workflow(projectId, { triggerType: 'MANUAL' }),
      workflow(projectId, { eventName: 'Signed.up' }),
      workflow(others.projectId),
    ]
    for (const each of off) await store.workflows.insert({ workflow: each, steps: [], transitions: [] })
    await store.webhookEndpoints.insert(endpoint(projectId, { enabled: false }))
    await store.webhookEndpoints.insert(endpoint(newProjectId()))
    const bob = await putContact(store, projectId)
    const wait = { waitingFor: 'signed.up', status: 'WAITING' } as const
    await store.executions.start([
      execution(workflow(projectId), ada.id, { ...wait, waitingFor: 'paid' }),
      execution(workflow(projectId), ada.id, { ...wait, status: 'CANCELLED' }),
      execution(workflow(projectId), bob.id, wait),
    ])
    await store.events.record([event(projectId, ada.id)])
    expect(await pending(store)).toEqual([])
  })

  it('notes what starts a workflow or is its goal, what an execution waits for, and all of a project with an endpoint', async () => {
    const store = await fresh()
    const [starts, waits, tells] = [await person(store), await person(store), await person(store)]
    const ends = await person(store)
    const goal = workflow(ends.projectId, { eventName: 'never', goalEvent: 'paid', enabled: false })
    await store.workflows.insert({ workflow: goal, steps: [], transitions: [] })
    await store.workflows.insert({ workflow: workflow(starts.projectId), steps: [], transitions: [] })
    const way = execution(workflow(waits.projectId), waits.ada.id, { waitingFor: 'paid', status: 'WAITING' })
    await store.executions.start([way])
    await store.webhookEndpoints.insert(endpoint(tells.projectId, { events: ['only.this'] }))
    const all = [starts, waits, tells, ends].flatMap(({ projectId, ada }) => [
      event(projectId, ada.id, { data: HOSTILE, emailId: newId() }),
      event(projectId, ada.id, { name: 'paid' }),
    ])
    await store.events.record(all)
    expect(await pending(store)).toStrictEqual([all[0], all[3], all[4], all[5], all[7]])
  })

  it('notes events on whatever path they are stored, in the same transaction', async () => {
    const store = await fresh()
    const { projectId, ada } = await person(store)
    await store.webhookEndpoints.insert(endpoint(projectId))
    const [taken, inside, never, opened] = Array.from({ length: 4 }, () => event(projectId, ada.id))
    const mail = email(projectId, { contactId: ada.id })
    await put(store, projectId, { events: [taken!], emails: [mail] })
    await store.transaction((tx) => tx.events.record([inside!]))
    const failing = store.transaction(async (tx) => {
      await tx.events.record([never!])
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    const activity = { kind: 'open', projectId, emailId: mail.id, at: at(1), machine: false } as const
    await store.emails.recordActivity([{ ...activity, event: opened! }])
    expect((await pending(store)).map(({ id }) => id)).toEqual([taken!.id, inside!.id, opened!.id])
  })

  it('answers the oldest first, until they were told, and leaves out those that were removed', async () => {
    const store = await fresh()
    const { projectId, ada } = await person(store)
    const bob = await putContact(store, projectId)
    await store.webhookEndpoints.insert(endpoint(projectId))
    const all = Array.from({ length: 6 }, (_, i) => event(projectId, i === 3 ? bob.id : ada.id, { name: `n${i}` }))
    await store.events.record(all.toReversed())
    const { outbox } = store
    expect(await outbox.pending(2)).toEqual(all.slice(0, 2))
    await outbox.dispatched([all[0]!.id, newId()])
    await outbox.dispatched([])
    expect(await outbox.pending(2)).toEqual(all.slice(1, 3))
    await store.events.removeNamed(projectId, 'n1', 9)
    await removeWholly(store, projectId, bob.id)
    expect(await outbox.pending(9)).toEqual([all[2], all[4], all[5]])
    await outbox.dispatched(all.map(({ id }) => id))
    expect(await outbox.pending(9)).toEqual([])
  })

  it('gives each event to one of two who tell at once, and again when a transaction fails', async () => {
    const store = await fresh()
    const { projectId, ada } = await person(store)
    await store.webhookEndpoints.insert(endpoint(projectId))
    const all = Array.from({ length: 30 }, () => event(projectId, ada.id))
    await store.events.record(all)
    const lease = () => ({ token: newId(), until: at(60) })
    const first = lease()
    const ids = (await store.outbox.claim(at(1), 30, first)).map(({ id }) => id)
    const failing = store.transaction(async (tx) => {
      await tx.outbox.dispatched((await tx.outbox.claimed(ids, first.token)).map(({ id }) => id))
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await store.outbox.claimed(ids, newId())).toEqual([])
    expect(await store.outbox.claim(at(1), 30, lease())).toEqual([])
    await store.outbox.release(ids, first.token)
    const tell = async () => {
      const own = lease()
      const claimed = (await store.outbox.claim(at(1), 7, own)).map(({ id }) => id)
      return store.transaction(async (tx) => {
        const found = await tx.outbox.claimed(claimed, own.token)
        await new Promise((resolve) => setImmediate(resolve))
        await tx.outbox.dispatched(found.map(({ id }) => id))
        return found.map(({ id }) => id)
      })
    }
    const told: string[] = []
    for (let round = 0; round < 5; round++) told.push(...(await Promise.all([tell(), tell(), tell()])).flat())
    expect(told.toSorted()).toEqual(all.map(({ id }) => id).toSorted())
  })
}

async function person(store: Store) {
  const projectId: ProjectId = newProjectId()
  return { projectId, ada: await putContact(store, projectId) }
}

function pending(store: Store) {
  return store.outbox.pending(100)
}
