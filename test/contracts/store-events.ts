import { expect, it } from 'vitest'
import type { Store } from '../../core/ports/store.ts'
import { at, event, HOSTILE, NOON, newId, newProjectId, putContact } from './store-records.ts'

/** What a store promises about events. */
export function storeEventsContract(fresh: () => Promise<Store>) {
  it('gives an event back as it was recorded, with its contact', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const bought = event(projectId, ada.id, { name: 'Bought "a thing" 🙂', data: HOSTILE, emailId: newId() })
    await store.events.record([bought])
    const page = await store.events.page(projectId, {}, { limit: 10 })
    expect(page).toEqual([{ ...bought, contact: { id: ada.id, email: ada.email } }])
  })

  it('pages newest first, and filters by name, contact and mail', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const emailId = newId()
    const events = [
      event(projectId, ada.id, { name: 'a' }),
      event(projectId, bob.id, { name: 'b', emailId }),
      event(projectId, ada.id, { name: 'b' }),
      event(projectId, bob.id, { name: 'a' }),
      event(projectId, ada.id, { name: 'a', emailId }),
    ]
    await store.events.record(events)
    const ids = events.map(({ id }) => id).reverse()
    const found = async (filter: Parameters<Store['events']['page']>[1], limit = 10, after?: string) => {
      const page = await store.events.page(projectId, filter, {
        limit,
        ...(after && { after: { value: '', id: after } }),
      })
      return page.map(({ id }) => ids.indexOf(id))
    }
    expect(await found({})).toEqual([0, 1, 2, 3, 4])
    expect(await found({}, 2)).toEqual([0, 1, 2])
    expect(await found({}, 2, ids[1])).toEqual([2, 3, 4])
    expect(await found({}, 2, ids[4])).toEqual([])
    expect(await found({ name: 'a' })).toEqual([0, 1, 4])
    expect(await found({ name: 'a' }, 1, ids[0])).toEqual([1, 4])
    expect(await found({ contactId: ada.id })).toEqual([0, 2, 4])
    expect(await found({ emailId })).toEqual([0, 3])
    expect(await found({ emailId, contactId: bob.id, name: 'b' })).toEqual([3])
    expect(await found({ name: 'A' })).toEqual([])
  })

  it('counts every name between two moments, both included, most frequent first', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const track = (name: string, seconds: number) => event(projectId, ada.id, { name, createdAt: at(seconds) })
    await store.events.record([
      track('rare', 1),
      track('often', 2),
      track('often', 3),
      track('tie', 4),
      track('often', 0),
    ])
    expect(await store.events.stats(projectId, {})).toEqual([
      { name: 'often', count: 3, lastAt: at(3) },
      { name: 'rare', count: 1, lastAt: at(1) },
      { name: 'tie', count: 1, lastAt: at(4) },
    ])
    expect(await store.events.stats(projectId, { from: at(2), to: at(3) })).toEqual([
      { name: 'often', count: 2, lastAt: at(3) },
    ])
    expect(await store.events.stats(projectId, { to: NOON })).toEqual([{ name: 'often', count: 1, lastAt: NOON }])
    expect(await store.events.stats(projectId, { from: at(5) })).toEqual([])
  })

  it('shows no project the events of another', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const ada = await putContact(store, mine)
    await store.events.record([event(mine, ada.id)])
    expect(await store.events.page(theirs, {}, { limit: 10 })).toEqual([])
    expect(await store.events.page(theirs, { contactId: ada.id }, { limit: 10 })).toEqual([])
    expect(await store.events.stats(theirs, {})).toEqual([])
  })

  it('records all events of a call or none', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const twice = event(projectId, ada.id)
    await expect(store.events.record([event(projectId, ada.id), twice, twice])).rejects.toThrow()
    expect(await store.events.page(projectId, {}, { limit: 10 })).toEqual([])
    await store.events.record([])
  })
}
