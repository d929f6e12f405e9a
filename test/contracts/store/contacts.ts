import { expect, it } from 'vitest'
import type { Contact, ContactOrder } from '../../../core/ports/store/contacts.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Position } from '../../../core/values/page.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  contact,
  email,
  eraseWholly,
  event,
  HOSTILE,
  NOON,
  newId,
  newProjectId,
  put,
  putContact,
} from './records.ts'

/** The promises of a store about contacts. */
export function storeContactsContract(fresh: () => Promise<Store>) {
  it('gives data back as it was, odd keys, long texts and emoji included', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: HOSTILE })
    const found = await store.contacts.find(projectId, ada.id)
    expect(found).toEqual(ada)
    expect(Object.hasOwn(found?.data ?? {}, '__proto__')).toBe(true)
    expect(Object.hasOwn(found?.data ?? {}, 'constructor')).toBe(true)
    expect(Object.getPrototypeOf(found?.data ?? {})).toBe(Object.prototype)
    expect(Object.keys(found?.data ?? {}).sort()).toEqual(Object.keys(HOSTILE).sort())
  })

  it('shows no project the contacts of another', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const ada = await putContact(store, mine)
    expect(await store.contacts.find(theirs, ada.id)).toBeUndefined()
    expect(await store.contacts.findAll(theirs, [ada.id])).toEqual([])
    expect(await store.contacts.findAll(mine, [ada.id, newId()])).toEqual([ada])
    expect(await store.contacts.findAll(mine, [])).toEqual([])
    expect(await store.contacts.lock(theirs, ada.id)).toBeUndefined()
    expect(await store.contacts.page(theirs, {}, BY_TIME, { limit: 10 })).toEqual([])
    expect(await store.contacts.count(theirs, {})).toBe(0)
    expect(await store.contacts.update({ ...ada, projectId: theirs, subscribed: false })).toBe('missing')
    expect(await store.contacts.remove(theirs, ada.id, NOON)).toBe(false)
    expect(await store.contacts.find(mine, ada.id)).toEqual(ada)
  })

  it('pages in every order without missing or repeating one', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const names = ['mia', 'ada', 'zoe', 'bob', 'eve', 'kim', 'lea']
    for (const name of names) await putContact(store, projectId, { email: `${name}@example.com` })
    const all = await store.contacts.page(projectId, {}, BY_TIME, { limit: 100 })
    expect(all.map(({ email: address }) => address)).toEqual(names.map((name) => `${name}@example.com`))
    const byEmail = [...all].sort((a, b) => (a.email < b.email ? -1 : 1))
    expect(await walk(store, projectId, BY_TIME)).toEqual(all)
    expect(await walk(store, projectId, { sort: 'createdAt', dir: 'desc' })).toEqual([...all].reverse())
    expect(await walk(store, projectId, { sort: 'email', dir: 'asc' })).toEqual(byEmail)
    expect(await walk(store, projectId, { sort: 'email', dir: 'desc' })).toEqual([...byEmail].reverse())
  })

  it('answers up to one more than the limit', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    for (let i = 0; i < 4; i++) await putContact(store, projectId)
    for (const [limit, length] of [
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 4],
    ] as const) {
      expect(await store.contacts.page(projectId, {}, BY_TIME, { limit })).toHaveLength(length)
    }
  })

  it('keeps a cursor in its place while contacts are added before and behind it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    for (const name of ['b', 'd', 'f', 'h']) await putContact(store, projectId, { email: `${name}@example.com` })
    const order: ContactOrder = { sort: 'email', dir: 'asc' }
    const [, second] = await store.contacts.page(projectId, {}, order, { limit: 2 })
    for (const name of ['a', 'e']) await putContact(store, projectId, { email: `${name}@example.com` })
    const rest = await store.contacts.page(projectId, {}, order, { limit: 10, after: positionOf(second!) })
    expect(rest.map(({ email: address }) => address)).toEqual(['e@example.com', 'f@example.com', 'h@example.com'])
  })

  it('filters by subscription and by part of the address', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { email: 'ada_1%@example.com' })
    const bob = await putContact(store, projectId, { email: 'bob@example.com', subscribed: false })
    const found = (filter: Parameters<Store['contacts']['count']>[1]) =>
      Promise.all([
        store.contacts.page(projectId, filter, BY_TIME, { limit: 10 }),
        store.contacts.count(projectId, filter),
      ])
    expect(await found({})).toEqual([[ada, bob], 2])
    expect(await found({ subscribed: true })).toEqual([[ada], 1])
    expect(await found({ subscribed: false })).toEqual([[bob], 1])
    expect(await found({ search: 'EXAMPLE' })).toEqual([[ada, bob], 2])
    expect(await found({ search: 'ADA_1%@' })).toEqual([[ada], 1])
    expect(await found({ search: '@example.com', subscribed: false })).toEqual([[bob], 1])
    for (const search of ['b_b', '%', '_', '\\', "' or 1=1 --", 'x'.repeat(60_000)]) {
      const hits = [ada, bob].filter(({ email: address }) => address.includes(search))
      expect(await found({ search })).toEqual([hits, hits.length])
    }
  })

  it('answers a page with the total, of few hits and of many, in every order and from every place', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = Array.from({ length: 2300 }, (_, i) =>
      contact(projectId, {
        // neither the order of the ids nor its reverse
        email: `${(i * 7919) % 2300}.${i % 100 === 0 ? 'rare' : 'often'}@example.com`,
        subscribed: i % 50 !== 0,
      }),
    )
    await store.contacts.save(made)
    for (const filter of [
      {},
      { subscribed: true },
      { subscribed: false },
      { search: 'Rare@' },
      { search: 'rare', subscribed: true },
      { search: 'rare', subscribed: false },
      { search: 'example' },
      { search: 'example', subscribed: false },
      { search: 'nobody' },
    ]) {
      const matching = made.filter(
        ({ email: address, subscribed }) =>
          address.includes(filter.search?.toLowerCase() ?? '') && subscribed === (filter.subscribed ?? subscribed),
      )
      for (const order of ORDERS) {
        const sorted = [...matching].sort((a, b) => compare(order, a, b))
        const first = await store.contacts.pageAndCount(projectId, filter, order, { limit: 5 })
        expect(first).toEqual({ contacts: sorted.slice(0, 6), total: sorted.length })
        const numbered = await store.contacts.pageAndCount(projectId, filter, order, { limit: 5, offset: 7 })
        expect(numbered).toEqual({ contacts: sorted.slice(7, 13), total: sorted.length })
        if (sorted[9] === undefined) continue
        const after = { value: order.sort === 'email' ? sorted[9].email : '', id: sorted[9].id }
        const later = await store.contacts.page(projectId, filter, order, { limit: 5, after })
        expect(later).toEqual(sorted.slice(10, 16))
        expect(await store.contacts.count(projectId, filter)).toBe(sorted.length)
      }
    }
  })

  it('filters those of a project by their data, whether most of all contacts are its own or few', async () => {
    const store = await fresh()
    const [large, small] = [newProjectId(), newProjectId()]
    const plans = ['pro', 'free', 'p"ro', 'p\\ro', 'prö', 'pro/🙂', '\u007f\n', '']
    const of = (projectId: typeof large, count: number) =>
      Array.from({ length: count }, (_, i) =>
        contact(projectId, { data: { plan: plans[i % plans.length]!, more: ['pro'] }, subscribed: i % 3 !== 0 }),
      )
    for (const [projectId, made] of [
      [large, of(large, 2400)],
      [small, of(small, 80)],
    ] as const) {
      await store.contacts.save(made)
      for (const plan of plans) {
        const test = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: [plan] } } as const
        const audience = { kind: 'all', of: [test, { kind: 'flag', field: 'subscribed', is: true }] } as const
        const meant = made.filter(({ data, subscribed }) => data.plan === plan && subscribed)
        const answer = await store.contacts.pageAndCount(projectId, { audience }, BY_TIME, { limit: 4 })
        expect(answer).toEqual({ contacts: meant.slice(0, 5), total: meant.length })
        expect(await store.contacts.count(projectId, { audience })).toBe(meant.length)
      }
    }
  })

  it('filters by an audience: pages, totals and ids', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = Array.from({ length: 6 }, (_, i) =>
      contact(projectId, { data: { plan: i % 2 === 0 ? 'pro' : 'free' } }),
    )
    await store.contacts.save(made)
    await putContact(store, newProjectId(), { data: { plan: 'pro' } })
    const audience = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: ['pro'] } } as const
    const pro = made.filter((_, i) => i % 2 === 0)
    const { contacts } = store
    const whole = { contacts: pro, total: 3 }
    expect(await contacts.pageAndCount(projectId, { audience }, BY_TIME, { limit: 10 })).toEqual(whole)
    expect(await contacts.page(projectId, { audience }, BY_TIME, { limit: 1, offset: 1 })).toEqual(pro.slice(1))
    expect(await contacts.count(projectId, { audience, search: pro[1]!.email })).toBe(1)
    const searched = await contacts.pageAndCount(projectId, { audience, search: made[1]!.email }, BY_TIME, { limit: 9 })
    expect(searched).toEqual({ contacts: [], total: 0 })
    expect(await contacts.ids(projectId, { audience }, 9, pro[0]!.id)).toEqual([pro[1]!.id, pro[2]!.id])
    await store.transaction(async (tx) => {
      await tx.contacts.save([{ ...pro[0]!, data: {} }])
      expect(await tx.contacts.count(projectId, { audience })).toBe(2)
    })
  })

  it('writes every field of a contact', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { plan: 'free' } })
    const changed = { ...ada, email: 'new@example.com', subscribed: false, data: HOSTILE, updatedAt: at(5) }
    expect(await store.contacts.update(changed)).toBe('updated')
    expect(await store.contacts.find(projectId, ada.id)).toEqual(changed)
    expect(await store.contacts.update(contact(projectId))).toBe('missing')
  })

  it('refuses an address another contact of the project has, and only of the project', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { email: 'ada@example.com' })
    const bob = await putContact(store, projectId, { email: 'bob@example.com' })
    await putContact(store, newProjectId(), { email: 'free@example.com' })
    expect(await store.contacts.update({ ...bob, email: ada.email })).toBe('email-taken')
    expect(await store.contacts.find(projectId, bob.id)).toEqual(bob)
    expect(await store.contacts.update({ ...bob, email: 'free@example.com' })).toBe('updated')
    expect(await store.contacts.update({ ...ada, email: 'bob@example.com' })).toBe('updated')
  })

  it('stays usable in a transaction after an address was refused', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const bob = await putContact(store, projectId)
    const answer = await store.transaction(async (tx) => {
      await tx.contacts.update({ ...ada, data: { kept: true } })
      const refused = await tx.contacts.update({ ...bob, email: ada.email })
      await tx.contacts.update({ ...bob, data: { kept: true } })
      return refused
    })
    expect(answer).toBe('email-taken')
    for (const { id } of [ada, bob]) expect((await store.contacts.find(projectId, id))?.data).toEqual({ kept: true })
  })

  it('takes back nothing but the refused address of what is written beside it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    await store.transaction(async (tx) => {
      await Promise.all([
        tx.contacts.update({ ...ada, data: { kept: true } }),
        tx.contacts.update({ ...bob, email: ada.email }),
        tx.events.record([event(projectId, ada.id)]),
        tx.contacts.update({ ...bob, email: ada.email }),
        tx.events.record([event(projectId, bob.id)]),
      ])
    })
    expect((await store.contacts.find(projectId, ada.id))?.data).toEqual({ kept: true })
    expect(await store.contacts.find(projectId, bob.id)).toEqual(bob)
    expect(await store.events.page(projectId, {}, { limit: 9 })).toHaveLength(2)
  })

  it('removes a contact with its events and leaves its mail behind', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [contact(projectId), contact(projectId)]
    const mails = [email(projectId, { contactId: ada.id }), email(projectId, { contactId: bob.id })] as const
    await put(store, projectId, { contacts: [ada, bob], emails: mails })
    const [adas, bobs] = [event(projectId, ada.id), event(projectId, bob.id)]
    await store.events.record([adas, bobs])
    expect(await store.contacts.remove(projectId, ada.id, NOON)).toBe(true)
    expect(await store.contacts.remove(projectId, ada.id, NOON)).toBe(false)
    await eraseWholly(store, projectId, [ada.id])
    expect(await store.contacts.find(projectId, ada.id)).toBeUndefined()
    const left = await store.events.page(projectId, {}, { limit: 10 })
    expect(left.map(({ id }) => id)).toEqual([bobs.id])
    expect(await store.events.stats(projectId, {})).toMatchObject([{ count: 1 }])
    const { contactId, ...orphan } = mails[0]
    const erased = { to: 'deleted', status: 'SKIPPED', skipReason: 'contact-removed', redactedAt: NOON }
    expect(await store.emails.find(projectId, mails[0].id)).toEqual({ ...orphan, ...erased })
    expect(await store.emails.find(projectId, mails[1].id)).toEqual(mails[1])
    expect(await store.emails.count(projectId, { contactId: ada.id })).toBe(0)
  })

  it('lets a removed address be a new contact', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { email: 'ada@example.com' })
    await store.contacts.remove(projectId, ada.id, NOON)
    const again = await putContact(store, projectId, { email: 'ada@example.com' })
    expect(await store.contacts.find(projectId, again.id)).toEqual(again)
  })

  it('loses none of many changes made under a lock', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { n: 0 } })
    const change = () =>
      store.transaction(async (tx) => {
        const found = await tx.contacts.lock(projectId, ada.id)
        if (found) await tx.contacts.update({ ...found, data: { n: Number(found.data.n) + 1 } })
      })
    await Promise.all(Array.from({ length: 20 }, change))
    expect((await store.contacts.find(projectId, ada.id))?.data).toEqual({ n: 20 })
  })

  it('answers undefined for an id nobody has', async () => {
    const store = await fresh()
    expect(await store.contacts.find(newProjectId(), newId())).toBeUndefined()
  })
}

const BY_TIME: ContactOrder = { sort: 'createdAt', dir: 'asc' }

const ORDERS: readonly ContactOrder[] = [
  BY_TIME,
  { sort: 'createdAt', dir: 'desc' },
  { sort: 'email', dir: 'asc' },
  { sort: 'email', dir: 'desc' },
]

function compare({ sort, dir }: ContactOrder, a: Contact, b: Contact): number {
  const by = sort === 'email' ? 'email' : 'id'
  return (a[by] < b[by] ? -1 : 1) * (dir === 'asc' ? 1 : -1)
}

function positionOf({ email: value, id }: Contact): Position {
  return { value, id }
}

/** Reads all contacts in pages of two, as a caller with a cursor does. */
async function walk(store: Store, projectId: ProjectId, order: ContactOrder): Promise<readonly Contact[]> {
  const seen: Contact[] = []
  for (let after: Position | undefined; ; ) {
    const rows = await store.contacts.page(projectId, {}, order, { limit: 2, ...(after && { after }) })
    const page = rows.slice(0, 2)
    seen.push(...page)
    const last = page.at(-1)
    if (rows.length <= 2 || last === undefined) return seen
    after = order.sort === 'email' ? positionOf(last) : { value: '', id: last.id }
  }
}
