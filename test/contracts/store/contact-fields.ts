import { expect, it } from 'vitest'
import { LISTED_VALUE, type ValueKind } from '../../../core/ports/store/contact-fields.ts'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Json, JsonObject } from '../../../core/values/json.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, contact, event, HOSTILE, newProjectId, putContact, removeWholly } from './records.ts'

/** The promises of a store about the fields of contacts' data. */
export function storeContactFieldsContract(fresh: () => Promise<Store>) {
  it('knows which keys there are with values of which kinds', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await putContact(store, newProjectId(), { data: { elsewhere: 1 } })
    const data = [
      { a: 'x', b: 1, c: true },
      { a: 'y', b: 'one', c: false, d: null },
      { a: [1], b: 1.5, e: { a: 1 }, f: '2025-06-01' },
      { f: '2025-06-01T12:00:00Z' },
      { f: '2025-06-01 12:00' },
      { f: '2025-06-01T' },
      { f: '2025-06-01\n' },
      { f: 'on 2025-06-01' },
      { f: '2025-99-01' },
    ]
    for (const each of data) await putContact(store, projectId, { data: each })
    const { contacts, fields } = await store.contactFields.list(projectId)
    expect(contacts).toBe(data.length)
    expect(Object.fromEntries(fields.map(({ key, kinds }) => [key, kinds]))).toEqual({
      a: { string: 2, array: 1 },
      b: { number: 2, string: 1 },
      c: { boolean: 2 },
      d: { null: 1 },
      e: { object: 1 },
      f: { date: 3, string: 4 },
    })
    expect(await store.contactFields.list(newProjectId())).toEqual({ contacts: 0, keys: 0, fields: [] })
  })

  it('answers the keys most contacts have, how many there are in all, and one by itself', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const data = [
      { a: 1, b: 'x', c: 1 },
      { b: 1, c: 1 },
      { b: null, d: 1 },
    ]
    for (const each of data) await putContact(store, projectId, { data: each })
    const most = await store.contactFields.list(projectId, 2)
    expect(most).toEqual({
      ...{ contacts: 3, keys: 4 },
      fields: [
        { key: 'b', kinds: { string: 1, number: 1, null: 1 } },
        { key: 'c', kinds: { number: 2 } },
      ],
    })
    expect(await store.contactFields.find(projectId, 'b')).toEqual({ string: 1, number: 1, null: 1 })
    expect(await store.contactFields.find(projectId, 'none')).toBeUndefined()
    expect(await store.contactFields.find(newProjectId(), 'b')).toBeUndefined()
  })

  it('counts keys and contacts right through every kind of write, odd keys included', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const random = numbers(20_250_601)
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 6; i++) await change(store, projectId, random)
      await expectTrueCounts(store, projectId)
    }
    const ids = await store.contacts.ids(projectId, {}, 1000)
    await removeWholly(store, projectId, ...ids)
    expect(await store.contactFields.list(projectId)).toEqual({ contacts: 0, keys: 0, fields: [] })
    expect(await store.events.names(projectId)).toEqual([])
  })

  it('counts right what many write at the same time, and not what is rolled back', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const write = (i: number) =>
      store.transaction(async (tx) => {
        const made = contact(projectId, { subscribed: i % 3 === 0, data: { n: i, [`key${i % 4}`]: 'x' } })
        await tx.contacts.save([made])
        await tx.events.record([event(projectId, made.id, { name: `name${i % 4}` })])
        if (i % 5 === 0) throw new Error('rolled back')
      })
    await Promise.allSettled(Array.from({ length: 40 }, (_, i) => write(i)))
    expect(await store.contacts.count(projectId, {})).toBe(32)
    await expectTrueCounts(store, projectId)
  })

  it('counts inside a transaction what it has written', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await putContact(store, projectId)
    await store.transaction(async (tx) => {
      await tx.contacts.save([contact(projectId, { data: { plan: 'pro' }, subscribed: false })])
      expect(await tx.contacts.count(projectId, {})).toBe(2)
      expect(await tx.contacts.count(projectId, { subscribed: false })).toBe(1)
      expect((await tx.contactFields.list(projectId)).fields).toEqual([{ key: 'plan', kinds: { string: 1 } }])
    })
  })

  it('knows which of some keys any contact has', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await putContact(store, newProjectId(), { data: { theirs: 1 } })
    const id = await putContact(store, projectId, { data: { Plan: 'pro', 'a.b': [1], 'odd "key" \\': true, gone: 1 } })
    const asked = ['Plan', 'plan', 'a.b', 'a', 'odd "key" \\', 'theirs', 'gone', '']
    await store.contactFields.remove(projectId, 'gone', new Date(), { limit: 10 })
    expect(id).toBeDefined()
    expect(await store.contactFields.known(projectId, asked)).toEqual(new Set(['Plan', 'a.b', 'odd "key" \\']))
    expect(await store.contactFields.known(projectId, ['nothing'])).toEqual(new Set())
  })

  it('answers the different values of a key, each as it is, in the order of their texts', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const values = ['b', 'a', 1, '1', true, 'true', false, 0.1, -1.5e-7, '', 'a', 1, null, [1], { a: 1 }, 'ключ "🙂"']
    await store.contacts.save(values.map((value) => contact(projectId, { data: { key: value, other: 'x' } })))
    await putContact(store, projectId, { data: { other: 'y' } })
    await putContact(store, projectId, { data: { key: ['in a list', 1e21, true, null, ['deeper'], { a: 'b' }] } })
    await putContact(store, newProjectId(), { data: { key: 'theirs' } })
    await putContact(store, projectId, { data: { key: 'x'.repeat(1001) } })
    const found = await store.contactFields.values(projectId, 'key', 100)
    expect(found.map(String)).toEqual(found.map(String).sort())
    const scalars = values.filter((value) => typeof value !== 'object')
    expect(new Set(found)).toEqual(new Set([...scalars, 'in a list', 1e21]))
    expect(found).toHaveLength(13)
    expect(await store.contactFields.values(projectId, 'key', 3)).toHaveLength(3)
    expect(await store.contactFields.values(projectId, 'nobody has it', 100)).toEqual([])
    expect(await store.contactFields.values(projectId, 'ke', 100)).toEqual([])
  })

  it('finds a value only the last of many contacts has', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const many = Array.from({ length: 2500 }, (_, i) =>
      contact(projectId, { data: { plan: i === 2499 ? 'gold' : 'free', n: i } }),
    )
    await store.contacts.save(many)
    expect(await store.contactFields.values(projectId, 'plan', 100)).toEqual(['free', 'gold'])
    expect(await store.contactFields.values(projectId, 'n', 200)).toHaveLength(200)
    expect(await store.contactFields.values(projectId, 'n', 3000)).toHaveLength(2500)
  })

  it('answers values of odd keys', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await putContact(store, projectId, { data: HOSTILE })
    for (const [key, value] of Object.entries(HOSTILE)) {
      const each = Array.isArray(value) ? value : [value]
      const isListed = (one: unknown) => typeof one !== 'object' && JSON.stringify(one).length <= LISTED_VALUE
      const expected = each.filter(isListed)
      expect(await store.contactFields.values(projectId, key, 10), key).toEqual(expected)
    }
    expect(await store.contactFields.values(projectId, 'a', 10)).toEqual([])
  })

  it('takes a key from all who have it, in batches that go on where the last one ended', async () => {
    const store = await fresh()
    const [projectId, theirs] = [newProjectId(), newProjectId()]
    const all = Array.from({ length: 5 }, (_, i) =>
      contact(projectId, { data: i === 1 ? { b: 1 } : { a: i, b: null } }),
    )
    await store.contacts.save(all)
    const other = await putContact(store, theirs, { data: { a: 1 } })
    const remove = (after?: string) =>
      store.contactFields.remove(projectId, 'a', at(9), { limit: 2, ...(after && { after }) })
    expect(await remove()).toEqual({ removed: 2, last: all[2]!.id })
    expect(await remove(all[2]!.id)).toEqual({ removed: 2, last: all[4]!.id })
    expect(await remove(all[4]!.id)).toEqual({ removed: 0 })
    expect(await remove()).toEqual({ removed: 0 })
    const expected = all.map((each, i) => (i === 1 ? each : { ...each, data: { b: null }, updatedAt: at(9) }))
    expect(await everyContact(store, projectId)).toEqual(expected)
    expect(await store.contacts.find(theirs, other.id)).toEqual(other)
    expect((await store.contactFields.list(projectId)).fields.map(({ key }) => key)).toEqual(['b'])
  })

  it('takes odd keys, and leaves all others as they were', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const odd = await putContact(store, projectId, { data: HOSTILE })
    const left = new Map(Object.entries(HOSTILE))
    for (const key of Object.keys(HOSTILE)) {
      expect(await store.contactFields.remove(projectId, key, at(9), { limit: 10 }), key).toMatchObject({ removed: 1 })
      left.delete(key)
      const found = await store.contacts.find(projectId, odd.id)
      expect(new Map(Object.entries(found?.data ?? {})), key).toEqual(left)
      await expectTrueCounts(store, projectId)
    }
  })
}

const KEYS = ['plan', 'age', '', '__proto__', 'constructor', 'quote"\'`\\', 'a.b', '$[0]', '🙂', 'long'.repeat(2500)]
const VALUES: readonly Json[] = [
  'x',
  '2025-06-01',
  '2025-06-01T10:00:00Z',
  '',
  7,
  0.5,
  true,
  false,
  null,
  [1],
  { a: 1 },
]

/** One write of some kind over some contacts. */
async function change(store: Store, projectId: ProjectId, random: (below: number) => number): Promise<void> {
  const known = await everyContact(store, projectId)
  const some = known.filter(() => random(3) === 0)
  const made = Array.from({ length: 1 + random(4) }, () => contact(projectId, randomFields(random)))
  const changed = some.map((each) => ({ ...each, ...randomFields(random) }))
  const [first] = some
  const kind = random(7)
  if (kind === 0) await putContact(store, projectId, randomFields(random))
  else if (kind === 1 && first) await store.contacts.update({ ...first, ...randomFields(random) })
  else if (kind === 2 && first) await store.contacts.update({ ...first, email: `new-${first.email}` })
  else if (kind === 3) await removeWholly(store, projectId, ...some.slice(0, 3).map(({ id }) => id))
  else if (kind === 4) {
    const key = KEYS[random(KEYS.length)] ?? ''
    await store.contactFields.remove(projectId, key, at(1), { limit: 2 })
  } else if (kind === 5 && first) {
    await store.events.record(some.map(({ id }) => event(projectId, id, { name: KEYS[random(3)] ?? '' })))
    await store.events.removeNamed(projectId, KEYS[0] ?? '', 2)
  } else {
    await store.contacts.save([...made, ...changed])
    await store.contacts.save(made.map((each) => ({ ...each, ...randomFields(random) })))
  }
}

function randomFields(random: (below: number) => number): Pick<Contact, 'subscribed' | 'data'> {
  const keys = KEYS.filter(() => random(3) === 0)
  const data = new Map(keys.map((key) => [key, VALUES[random(VALUES.length)] ?? null]))
  const subscribed = random(2) === 0
  return { subscribed, data: jsonOf(data) }
}

function jsonOf(entries: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries(entries)
}

/** Checks that figures which are kept equal those of counting one by one. */
async function expectTrueCounts(store: Store, projectId: ProjectId): Promise<void> {
  const all = await everyContact(store, projectId)
  const subscribed = all.filter((each) => each.subscribed).length
  expect(await store.contacts.count(projectId, {})).toBe(all.length)
  expect(await store.contacts.count(projectId, { subscribed: true })).toBe(subscribed)
  expect(await store.contacts.count(projectId, { subscribed: false })).toBe(all.length - subscribed)
  const kinds = new Map<string, number>()
  for (const { data } of all) {
    for (const [key, value] of Object.entries(data)) {
      const place = `${kindOf(value)} ${key}`
      kinds.set(place, (kinds.get(place) ?? 0) + 1)
    }
  }
  const answered = await store.contactFields.list(projectId)
  const flat = answered.fields.flatMap(({ key, kinds: counts }) =>
    Object.entries(counts).map(([kind, count]) => [`${kind} ${key}`, count] as const),
  )
  expect(new Map(flat)).toEqual(kinds)
  expect(flat).toHaveLength(kinds.size)
  expect(answered.contacts).toBe(all.length)
  const names = new Map<string, number>()
  for (const { name } of await store.events.page(projectId, {}, { limit: 10_000 })) {
    names.set(name, (names.get(name) ?? 0) + 1)
  }
  expect(new Map((await store.events.names(projectId)).map(({ name, count }) => [name, count]))).toEqual(names)
}

function kindOf(value: Json): ValueKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value !== 'string') return typeof value as ValueKind
  return /^\d{4}-[01]\d-[0-3]\d(?:$|[T ][0-2]\d:[0-5]\d)/.test(value) ? 'date' : 'string'
}

function everyContact(store: Store, projectId: ProjectId): Promise<readonly Contact[]> {
  return store.contacts.page(projectId, {}, { sort: 'createdAt', dir: 'asc' }, { limit: 10_000 })
}

/** Numbers that look random and are the same in every run (a linear congruence). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
