import { expect, it } from 'vitest'
import type { EventRecord } from '../../../core/ports/store/events.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, claimMails, email, event, newProjectId, put, putContact, result } from './records.ts'

/** The promises of a store to those who listen to the events it stores. */
export function storeListeningContract(fresh: () => Promise<Store>) {
  it('tells of every event it stored, once, on whatever path, and only after it is committed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const made = (name: string) => event(projectId, ada.id, { name })
    const heard: EventRecord[] = []
    const seen: Promise<boolean>[] = []
    const stop = store.listen((events) => {
      heard.push(...events)
      for (const { id } of events)
        seen.push(store.events.page(projectId, {}, { limit: 50 }).then((page) => page.some((each) => each.id === id)))
    })
    const mail = email(projectId, { contactId: ada.id })
    await put(store, projectId, { events: [made('taken')], emails: [mail] })
    await store.transaction((tx) => tx.events.record([made('first'), made('second')]))
    await store.events.record([made('alone')])

    const token = 'worker-1'
    await claimMails(store, [mail], at(0), { token, until: at(300) })
    const bounced = { status: 'BOUNCED' as const, events: [made('email.sent'), made('email.bounce')] }
    await store.emails.record([result(mail, 'foreign', { events: [made('never')] })])
    await store.emails.record([result(mail, token, { ...bounced, unsubscribe: made('contact.unsubscribed') })])

    const activity = { kind: 'open', projectId, emailId: mail.id, at: at(1), machine: false } as const
    await store.emails.recordActivity([{ ...activity, event: made('opened'), repeatEvent: made('never') }])
    await store.emails.recordActivity([{ ...activity, event: made('never'), repeatEvent: made('again') }])

    const names = ['taken', 'first', 'second', 'alone', 'email.sent', 'email.bounce', 'contact.unsubscribed']
    expect(heard.map(({ name }) => name)).toEqual([...names, 'opened', 'again'])
    const stored = await store.events.page(projectId, {}, { limit: 50 })
    const inOrder = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id).sort()
    expect(inOrder(heard)).toEqual(inOrder(stored))
    expect(new Set(await Promise.all(seen))).toEqual(new Set([true]))
    stop()
  })

  it('tells of nothing that was not stored, and nobody who has stopped', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const [once, twice, rolledBack, later] = Array.from({ length: 4 }, () => event(projectId, ada.id))
    const heard: [string, EventRecord][] = []
    const stopOne = store.listen((events) =>
      heard.push(...events.map((each) => ['one', each] as [string, EventRecord])),
    )
    const stopTwo = store.listen((events) =>
      heard.push(...events.map((each) => ['two', each] as [string, EventRecord])),
    )
    await store.events.record([once!])
    await expect(store.events.record([once!])).rejects.toThrow()
    const failing = store.transaction(async (tx) => {
      await tx.events.record([rolledBack!])
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    stopOne()
    stopOne()
    await store.events.record([twice!])
    stopTwo()
    await store.events.record([later!])
    expect(heard).toEqual([
      ['one', once],
      ['two', once],
      ['two', twice],
    ])
  })

  it('keeps transactions at the same time apart', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const heard: string[] = []
    const stop = store.listen((events) => heard.push(...events.map(({ name }) => name)))
    const work = async (i: number) => {
      const one = event(projectId, ada.id, { name: `n${i}` })
      if (i % 3 === 0) return store.events.record([one])
      if (i % 3 === 1) return put(store, projectId, { events: [one] })
      await store.transaction(async (tx) => {
        await tx.events.record([one])
        await new Promise((resolve) => setImmediate(resolve))
        if (i % 2 === 0) throw new Error('rolled back')
      })
    }
    await Promise.allSettled(Array.from({ length: 30 }, (_, i) => work(i)))
    stop()
    const stored = await store.events.page(projectId, {}, { limit: 50 })
    expect(heard.toSorted()).toEqual(stored.map(({ name }) => name).toSorted())
    expect(stored).toHaveLength(25)
  })
}
