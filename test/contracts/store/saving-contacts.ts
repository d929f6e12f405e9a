import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  campaign,
  contact,
  email,
  eraseWholly,
  event,
  execution,
  HOSTILE,
  NOON,
  newId,
  newProjectId,
  put,
  putContact,
  request,
  workflow,
} from './records.ts'

/** The promises of a store about reading, writing and removing many contacts at once. */
export function storeSavingContactsContract(fresh: () => Promise<Store>) {
  it('finds those of many addresses that are contacts of the project, without their data', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const odd = 'o"d\\{,}d@example.com'
    const both = [
      contact(mine, { email: 'ada@example.com' }),
      contact(mine, { email: odd, data: HOSTILE, leftBy: 'bounce' }),
    ]
    await save(store, both)
    await putContact(store, theirs, { email: 'eve@example.com' })
    const asked = ['ada@example.com', 'ADA@example.com', odd, 'eve@example.com', 'ada@example.com', '']
    const found = await store.contacts.findByAddress(mine, asked)
    expect(found).toEqual(new Map(both.map(({ data: _, ...rest }) => [rest.email, rest])))
    expect(await store.contacts.findByAddress(mine, [])).toEqual(new Map())
  })

  it('holds the contacts of addresses and of ids', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [ada, bob] = [await putContact(store, mine, { data: HOSTILE }), await putContact(store, mine)]
    const eve = await putContact(store, theirs)
    await store.transaction(async (tx) => {
      const emails = [bob.email, 'nobody@example.com', eve.email, ada.email]
      expect(await tx.contacts.lockByAddress(mine, emails)).toEqual(
        new Map([ada, bob].map((each) => [each.email, each])),
      )
      expect(await tx.contacts.lockById(mine, [bob.id, newId(), eve.id, ada.id])).toEqual([ada, bob])
      expect(await tx.contacts.lockByAddress(mine, [])).toEqual(new Map())
      expect(await tx.contacts.lockById(mine, [])).toEqual([])
    })
  })

  it('loses none of many changes made under such locks, whichever way and order they are named in', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const all = await Promise.all(Array.from({ length: 5 }, () => putContact(store, projectId, { data: { n: 0 } })))
    const change = (i: number) =>
      store.transaction(async (tx) => {
        const named = i % 2 === 0 ? all : [...all].reverse()
        const found = await (i % 3 === 0
          ? tx.contacts.lockByAddress(
              projectId,
              named.map(({ email: address }) => address),
            )
          : tx.contacts.lockById(
              projectId,
              named.map(({ id }) => id),
            ))
        await tx.contacts.save(
          [...found.values()].map((known) => ({ ...known, data: { n: Number(known.data.n) + 1 } })),
        )
      })
    await Promise.all(Array.from({ length: 20 }, (_, i) => change(i)))
    for (const { id } of all) expect((await store.contacts.find(projectId, id))?.data).toEqual({ n: 20 })
  })

  it('saves new contacts and writes over known ones, whose address and first date stay', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { plan: 'free' } })
    const bob = contact(projectId, { data: HOSTILE, subscribed: false, tracking: 'none' })
    const words = { subscribed: false, tracking: 'anonymous' as const, data: HOSTILE }
    const news = { ...words, pausedUntil: at(7), leftBy: 'link' as const, everyDays: 366, updatedAt: at(5) }
    // every other property of a contact: one that is added must be written over too, or be said to stay
    const changed = { ...ada, ...(news satisfies Omit<Required<Contact>, 'id' | 'projectId' | 'email' | 'createdAt'>) }
    const elsewhere = { ...changed, email: 'elsewhere@example.com', createdAt: at(9) }
    expect(await store.contacts.save([elsewhere, bob])).toBe('saved')
    expect(await store.contacts.find(projectId, ada.id)).toEqual(changed)
    expect(await store.contacts.find(projectId, bob.id)).toEqual(bob)
    expect(await store.contacts.save([])).toBe('saved')
  })

  it('saves more contacts than one statement writes, each with its own values, or none of them', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const taken = await putContact(store, projectId, { email: 'zed@example.com' })
    // they agree in what is not their own; in the second list some do not
    const alike = Array.from({ length: 600 }, (_, n) =>
      contact(projectId, { data: { n, ...HOSTILE }, updatedAt: NOON }),
    )
    const other = contact(projectId, { email: taken.email })
    expect(await store.contacts.save([...alike, other])).toBe('met-another')
    expect(await store.contacts.count(projectId, {})).toBe(1)
    const news = alike.map((one, n) => ({ ...one, subscribed: n !== 599, updatedAt: at(n % 2) }))
    for (const list of [alike, news]) {
      await save(store, list)
      const ids = list.map(({ id }) => id)
      const found = new Map((await store.contacts.findAll(projectId, ids)).map((one) => [one.id, one]))
      for (const one of list) expect(found.get(one.id)).toEqual(one)
    }
  })

  it('gives a contact all that another one had, which is removed, and no mail of a campaign twice', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [kept, gone] = [await putContact(store, projectId), await putContact(store, projectId)]
    const sale = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(sale)
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const of = ({ id: campaignId }: { id: string }, { id: contactId }: { id: string }) =>
      email(projectId, { campaignId, contactId, lane: 'campaign', sourceType: 'CAMPAIGN' })
    const mails = [of(sale, kept), of(sale, gone), of(news, gone), email(projectId, { contactId: gone.id })]
    const events = Array.from({ length: 2100 }, () => event(projectId, gone.id))
    await put(store, projectId, { emails: mails, events })
    const flows = [workflow(projectId), workflow(projectId)] as const
    for (const flow of flows) await store.workflows.insert({ workflow: flow, steps: [], transitions: [] })
    const runs = [
      execution(flows[0], kept.id, { once: true }),
      execution(flows[0], gone.id, { once: true }),
      execution(flows[1], gone.id, { once: true }),
    ]
    await store.executions.start(runs)

    await store.transaction(async (tx) => {
      await tx.contacts.lockById(projectId, [kept.id, gone.id])
      await tx.merges.absorb(projectId, kept.id, gone, at(5))
    })
    await eraseWholly(store, projectId, [gone.id])

    expect(await store.contacts.find(projectId, gone.id)).toBeUndefined()
    expect(await store.events.page(projectId, { contactId: kept.id }, { limit: 3000 })).toHaveLength(2100)
    const found = await Promise.all(mails.map(({ id }) => store.emails.find(projectId, id)))
    expect(found.map((mail) => [mail?.contactId, mail?.status])).toEqual([
      [kept.id, 'QUEUED'],
      // of two mails of a campaign, the other one is not sent
      [undefined, 'SKIPPED'],
      [kept.id, 'QUEUED'],
      [kept.id, 'QUEUED'],
    ])
    const after = await Promise.all(runs.map(({ id, workflowId }) => store.executions.find(projectId, workflowId, id)))
    expect(after.map((run) => [run?.contactId, run?.status])).toEqual([
      [kept.id, 'RUNNING'],
      [kept.id, 'CANCELLED'],
      [kept.id, 'RUNNING'],
    ])
    expect(await store.merges.into(projectId, gone.id)).toBe(kept.id)
    expect(await store.merges.into(newProjectId(), gone.id)).toBeUndefined()
    // by way of a third one, too, until that is removed
    const third = await putContact(store, projectId)
    await store.transaction((tx) => tx.merges.absorb(projectId, third.id, kept, at(6)))
    expect(await store.merges.into(projectId, gone.id)).toBe(third.id)
    await store.contacts.remove(projectId, third.id, at(7))
    expect(await store.merges.into(projectId, gone.id)).toBeUndefined()
  })

  it('finds a merged contact by the address that it had, until another takes it or the person is erased', async () => {
    const store = await fresh()
    const [projectId, elsewhere] = [newProjectId(), newProjectId()]
    const [kept, gone, third] = [
      await putContact(store, projectId, { data: HOSTILE }),
      await putContact(store, projectId),
      await putContact(store, projectId),
    ]
    const asked = [gone.email, 'nobody@example.com', kept.email, third.email]
    const merge = (into: Contact, from: Contact) =>
      store.transaction(async (tx) => {
        await tx.contacts.lockById(projectId, [into.id, from.id])
        await tx.merges.absorb(projectId, into.id, from, at(5))
      })
    const found = async (of = projectId) => {
      const byAddress = await store.contacts.findByAddress(of, asked)
      const locked = await store.transaction((tx) => tx.contacts.lockByAddress(of, asked))
      const known = (contactIds: readonly string[]) =>
        store.writeBatch.commit(
          request(
            of,
            ({ byAddress: by }) => ({
              ...{ contacts: [], contents: [], emails: [], events: [] },
              answer: asked.map((each) => by(each)?.id ?? null),
            }),
            { addresses: asked, contactIds },
          ),
        )
      const ids = asked.map((each) => byAddress.get(each)?.id ?? null)
      expect(asked.map((each) => locked.get(each)?.id ?? null)).toEqual(ids)
      for (const also of [[], [kept.id]]) expect(await known(also)).toEqual({ outcome: 'taken', answer: ids })
      return ids
    }
    await merge(kept, gone)
    expect(await found()).toEqual([kept.id, null, kept.id, third.id])
    expect(await found(elsewhere)).toEqual([null, null, null, null])
    const locked = await store.transaction((tx) => tx.contacts.lockByAddress(projectId, [gone.email]))
    expect([...locked]).toEqual([[gone.email, kept]])
    await merge(third, kept)
    expect(await found()).toEqual([third.id, null, third.id, third.id])
    await store.transaction((tx) => tx.merges.release(projectId, gone.email))
    expect(await found()).toEqual([null, null, third.id, third.id])
    // its links lead on
    expect(await store.merges.into(projectId, gone.id)).toBe(third.id)
    // a contact of its own goes before the merged one
    const own = await putContact(store, projectId, { email: gone.email })
    expect(await found()).toEqual([own.id, null, third.id, third.id])
    await store.contacts.remove(projectId, third.id, at(7))
    expect(await found()).toEqual([own.id, null, null, null])
  })

  it('finds the contact that is left when it waited for the merge', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [kept, gone] = [await putContact(store, projectId), await putContact(store, projectId)]
    const waiting: Promise<unknown>[] = []
    await store.transaction(async (tx) => {
      await tx.contacts.lockById(projectId, [kept.id, gone.id])
      const decide = ({ byAddress }: { byAddress(email: string): Contact | undefined }) => ({
        ...{ contacts: [], contents: [], emails: [], events: [] },
        answer: byAddress(gone.email)?.id ?? null,
      })
      // outside of this transaction, as another process would
      waiting.push(
        outside(async () =>
          store.transaction(
            async (other) => (await other.contacts.lockByAddress(projectId, [gone.email])).get(gone.email)?.id,
          ),
        ),
        outside(async () => {
          const outcome = await store.writeBatch.commit(request(projectId, decide, { addresses: [gone.email] }))
          return outcome.outcome === 'taken' && outcome.answer
        }),
      )
      await new Promise((resolve) => setTimeout(resolve, 50))
      await tx.merges.absorb(projectId, kept.id, gone, at(5))
    })
    expect(await Promise.all(waiting)).toEqual([kept.id, kept.id])
  })

  it('never writes over a contact of another project', async () => {
    const store = await fresh()
    const ada = await putContact(store, newProjectId())
    await store.contacts.save([{ ...ada, projectId: newProjectId(), subscribed: false, data: { stolen: true } }])
    expect(await store.contacts.find(ada.projectId, ada.id)).toEqual(ada)
  })

  it('tells that an address was taken meanwhile, and keeps nothing when the transaction is given up', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const [bob, eve] = [contact(projectId), contact(projectId, { email: ada.email })]
    expect(await store.contacts.save([bob, eve])).toBe('met-another')
    const givenUp = new Error('given up')
    const work = store.transaction(async (tx) => {
      if ((await tx.contacts.save([bob, eve])) === 'met-another') throw givenUp
    })
    await expect(work).rejects.toBe(givenUp)
    expect(await store.contacts.ids(projectId, {}, 9)).toEqual([ada.id])
    expect(await store.contacts.count(projectId, {})).toBe(1)
  })

  it('makes one contact of each address however many save them at the same time, when they try again', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const emails = Array.from({ length: 10 }, (_, i) => `${i}@example.com`)
    const wanted = (i: number) => (i % 2 === 0 ? emails : [...emails].reverse())
    await Promise.all(Array.from({ length: 12 }, (_, i) => saveAll(store, projectId, wanted(i), `key${i}`)))
    const all = await store.contacts.page(projectId, {}, { sort: 'email', dir: 'asc' }, { limit: 100 })
    expect(all.map(({ email: address }) => address)).toEqual(emails)
    for (const { data } of all) expect(Object.keys(data)).toHaveLength(12)
  })

  it('removes many with their events, leaves their mail behind and tells whom it found', async () => {
    const store = await fresh()
    const [projectId, theirs] = [newProjectId(), newProjectId()]
    const [ada, bob, kim] = [contact(projectId), contact(projectId), contact(projectId)]
    const mails = [ada, bob, kim].map(({ id }) => email(projectId, { contactId: id }))
    await put(store, projectId, { contacts: [ada, bob, kim], emails: mails })
    await store.events.record([ada, bob, kim].map(({ id }) => event(projectId, id)))
    const eve = await putContact(store, theirs)
    const removed = await store.contacts.removeAll(projectId, [bob.id, newId(), eve.id, ada.id, ada.id], NOON)
    expect([...removed].sort()).toEqual([ada.id, bob.id].sort())
    expect(await store.contacts.removeAll(projectId, [ada.id], NOON)).toEqual([])
    expect(await store.contacts.removeAll(projectId, [], NOON)).toEqual([])
    await eraseWholly(store, projectId, removed)
    expect(await store.contacts.ids(projectId, {}, 9)).toEqual([kim.id])
    expect(await store.contacts.find(theirs, eve.id)).toEqual(eve)
    const left = await store.events.page(projectId, {}, { limit: 9 })
    expect(left.map(({ contactId }) => contactId)).toEqual([kim.id])
    const counts = [ada, bob, kim].map(({ id }) => store.emails.count(projectId, { contactId: id }))
    expect(await Promise.all(counts)).toEqual([0, 0, 1])
    expect(await store.emails.count(projectId, {})).toBe(3)
  })

  it('finds each contact removed once, however many remove it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const all = Array.from({ length: 20 }, () => contact(projectId))
    await save(store, all)
    const ids = all.map(({ id }) => id)
    const removals = [ids, [...ids].reverse(), ids.slice(5), [...ids.slice(10)].reverse()]
    const removed = await Promise.all(removals.map((some) => store.contacts.removeAll(projectId, some, NOON)))
    expect(removed.flat().sort()).toEqual([...ids].sort())
  })

  it('lists ids in their order, behind one and as many as asked for', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const all = Array.from({ length: 5 }, (_, i) => contact(projectId, { subscribed: i % 2 === 0 }))
    await save(store, all)
    await putContact(store, newProjectId())
    const ids = all.map(({ id }) => id)
    expect(await store.contacts.ids(projectId, {}, 9)).toEqual(ids)
    expect(await store.contacts.ids(projectId, {}, 2)).toEqual(ids.slice(0, 2))
    expect(await store.contacts.ids(projectId, {}, 2, ids[1])).toEqual(ids.slice(2, 4))
    expect(await store.contacts.ids(projectId, { subscribed: true }, 9, ids[0])).toEqual([ids[2], ids[4]])
    expect(await store.contacts.ids(projectId, { search: all[3]!.email.toUpperCase() }, 9)).toEqual([ids[3]])
  })

  it('skips the rows of earlier pages of a numbered list', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const all = Array.from({ length: 5 }, () => contact(projectId))
    await save(store, all)
    const numbered = (limit: number, offset: number) =>
      store.contacts.page(projectId, {}, { sort: 'createdAt', dir: 'asc' }, { limit, offset })
    expect(await numbered(2, 0)).toEqual(all.slice(0, 3))
    expect(await numbered(2, 2)).toEqual(all.slice(2, 5))
    expect(await numbered(2, 4)).toEqual(all.slice(4))
    expect(await numbered(2, 6)).toEqual([])
  })
}

/** Runs this as if no transaction were open here. */
const outside = AsyncLocalStorage.snapshot()

async function save(store: Store, contacts: readonly Contact[]): Promise<void> {
  expect(await store.contacts.save(contacts)).toBe('saved')
}

/** Sets a key in the data of every address, as an import does: read and held, written, and all again when it met another. */
async function saveAll(store: Store, projectId: ProjectId, emails: readonly string[], key: string): Promise<void> {
  const metAnother = new Error('met another')
  const once = () =>
    store.transaction(async (tx) => {
      const known = await tx.contacts.lockByAddress(projectId, emails)
      const wanted = emails.map((address) => {
        const before = known.get(address) ?? contact(projectId, { email: address })
        return { ...before, data: { ...before.data, [key]: true } }
      })
      if ((await tx.contacts.save(wanted)) === 'met-another') throw metAnother
    })
  for (;;) {
    try {
      return await once()
    } catch (error) {
      if (error !== metAnother) throw error
    }
  }
}
