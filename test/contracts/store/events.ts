import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, event, HOSTILE, NOON, newId, newProjectId, putContact } from './records.ts'

/** The promises of a store about events. */
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

  it('lists events without a contact, counts none for them, and leaves out those of a removed one', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, gone] = [await putContact(store, projectId), await putContact(store, projectId)]
    const of = (from: string) => {
      const { contactId: _, ...made } = event(projectId, ada.id, { name: 'email.received', data: { from } })
      return made
    }
    const known = event(projectId, ada.id, { name: 'email.received' })
    const hidden = event(projectId, gone.id, { name: 'email.received' })
    const strangers = [of('a@b.example'), of('a@b.example'), of('c@d.example'), of('')]
    await store.events.record([known, hidden, ...strangers])
    const page = async (filter: { name?: string; contactId?: string } = {}) =>
      (await store.events.page(projectId, filter, { limit: 10 })).toReversed()
    const shown = [{ ...known, contact: { id: ada.id, email: ada.email } }]
    await store.contacts.removeAll(projectId, [gone.id], NOON)
    expect(await page()).toEqual([...shown, ...strangers])
    expect(await page({ name: 'email.received' })).toEqual([...shown, ...strangers])
    expect(await page({ contactId: ada.id })).toEqual(shown)
    expect(await store.events.countNamed(projectId, 'email.received')).toBe(6)
    // the removed one's are not erased yet
    expect(await store.events.countContacts(projectId, 'email.received')).toBe(2)
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
      track('often', 0),
      track('rare', 1),
      track('often', 2),
      track('often', 3),
      track('tie', 4),
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

  it('knows every name and how many events there are of it, most frequent first', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const names = ['rare', 'often', '__proto__', 'often', 'quote"\'`\\ 🙂', 'often', '__proto__']
    await store.events.record(names.map((name) => event(projectId, ada.id, { name })))
    expect(await store.events.names(projectId)).toEqual([
      { name: 'often', count: 3 },
      { name: '__proto__', count: 2 },
      { name: 'quote"\'`\\ 🙂', count: 1 },
      { name: 'rare', count: 1 },
    ])
    expect(await store.events.names(newProjectId())).toEqual([])
    const [first] = await store.events.names(projectId)
    expect(await store.events.names(projectId, 1)).toEqual([first])
    expect(await store.events.stats(projectId, {}, 1)).toMatchObject([first!])
    expect(await store.events.stats(projectId, { from: at(0) }, 1)).toHaveLength(1)
    expect(await store.events.countNamed(projectId, first!.name)).toBe(first!.count)
    expect(await store.events.countNamed(projectId, 'none')).toBe(0)
  })

  it('counts the contacts that have an event of a name', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const names = [ada, ada, bob].map(({ id }) => event(projectId, id, { name: 'bought' }))
    await store.events.record([...names, event(projectId, ada.id, { name: 'other' })])
    expect(await store.events.countContacts(projectId, 'bought')).toBe(2)
    expect(await store.events.countContacts(projectId, 'other')).toBe(1)
    expect(await store.events.countContacts(projectId, 'nothing')).toBe(0)
    expect(await store.events.countContacts(newProjectId(), 'bought')).toBe(0)
  })

  it('removes the events of a name, so many at a time', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [ada, eve] = [await putContact(store, mine), await putContact(store, theirs)]
    const made = Array.from({ length: 5 }, () => event(mine, ada.id, { name: 'gone' }))
    const kept = event(mine, ada.id, { name: 'kept' })
    await store.events.record([...made, kept])
    await store.events.record([event(theirs, eve.id, { name: 'gone' })])
    const removed = [3, 3, 3].map((limit) => () => store.events.removeNamed(mine, 'gone', limit))
    for (const [i, remove] of removed.entries()) expect(await remove()).toBe([3, 2, 0][i])
    expect(await store.events.names(mine)).toEqual([{ name: 'kept', count: 1 }])
    expect(await store.events.stats(mine, {})).toEqual([{ name: 'kept', count: 1, lastAt: kept.createdAt }])
    expect(await store.events.names(theirs)).toEqual([{ name: 'gone', count: 1 }])
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
