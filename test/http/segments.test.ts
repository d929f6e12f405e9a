import { beforeAll, describe, expect, it } from 'vitest'
import type { Opened } from '../../core/plugin/types.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { createApp } from '../../server/index.ts'
import {
  DISABLED_SECRET,
  expectEnvelope,
  OTHER_SECRET,
  PROJECT,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const ISO = /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/

const plan = (value: string) => ({ operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value }] })
const memberOf = (id: string) => ({
  operator: 'AND',
  conditions: [{ field: `segment.${id}`, operator: 'memberOfSegment' }],
})

const address = (name: string) => `${name}@example.org`

/** The endpoints under an id, with a body that is right. */
const UNDER_ID = [
  ['GET', ''],
  ['PATCH', '', { name: 'New' }],
  ['DELETE', ''],
  ['GET', '/contacts'],
  ['POST', '/members', { emails: ['a@example.org'] }],
  ['DELETE', '/members', { emails: ['a@example.org'] }],
  ['POST', '/compute'],
  ['POST', '/refresh'],
] as const

// Refusals and the answer of a segment do not depend on the store; who is in one is asked on both below.
describe('segments', () => {
  const store = STRICT

  let test: TestApp
  let opened: Opened<'store'>
  let made = 0
  const make = (change: object = {}, key = SECRET) =>
    test.ask('POST', '/segments', { json: { name: `Segment ${++made}`, filters: plan('pro'), ...change }, key })
  const makeStatic = (change: object = {}) => make({ type: 'STATIC', filters: undefined, ...change })
  const get = async (id: string) => (await test.ask('GET', `/segments/${id}`)).body
  const change = (id: string, json: object) => test.ask('PATCH', `/segments/${id}`, { json })
  const contact = async (email: string, data: object = {}) =>
    (await test.ask('POST', '/contacts', { json: { email, data } })).body
  const count = async () => (await test.ask('GET', '/segments')).body.length

  beforeAll(async () => {
    // its tables are written past the API as well
    const plugin = store.store()
    test = await testApp({
      store: () => ({
        ...plugin,
        open: async (kit) => {
          opened = await plugin.open(kit)
          return opened
        },
      }),
    })
    await contact('pro1@example.org', { plan: 'pro' })
    await contact('pro2@example.org', { plan: 'pro' })
    await contact('free@example.org', { plan: 'free' })
  })

  it('are made with 201, with their filter under both names, and counted', async () => {
    const { status, body } = await make({ name: '  Zürich Fans!  ' })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        ...{ id: expect.any(String), name: 'Zürich Fans!', slug: 'zurich-fans', type: 'DYNAMIC' },
        ...{ filters: plan('pro'), condition: plan('pro'), trackMembership: false, memberCount: 2, version: 1 },
        ...{ countedAt: expect.stringMatching(ISO), createdAt: body.countedAt, updatedAt: body.countedAt },
      },
    })
    expect(await get(body.id)).toEqual(body)
  })

  it('are made static, without a filter', async () => {
    const { status, body } = await makeStatic({ description: 'D', trackMembership: true, filters: null })
    expect(status).toBe(201)
    expect(body).toMatchObject({ type: 'STATIC', description: 'D', trackMembership: true, memberCount: 0 })
    expect(body).not.toHaveProperty('filters')
    expect(body).not.toHaveProperty('condition')
    const { countedAt: _, ...rest } = body
    expect(await get(body.id)).toMatchObject(rest)
  })

  it("take their filter as condition and in Plunk's form, in which it reads back", async () => {
    const plunk = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
    }
    for (const given of [{ condition: plan('pro') }, { condition: plunk }, { filters: plunk }]) {
      const { status, body } = await make({ filters: undefined, ...given })
      expect(status).toBe(201)
      expect(body).toMatchObject({ memberCount: 2, filters: { operator: 'AND' } })
      expect(body.filters).toEqual(plan('pro'))
      const condition = 'filters' in given || given.condition === plunk ? plunk : plan('pro')
      expect(body.condition).toEqual(condition)
      expect(await get(body.id)).toMatchObject({ condition })
      // a record that is sent back as it was read says nothing new, and a filter without that form has none
      const whole = await change(body.id, body)
      expect(whole).toMatchObject({ status: 200, body: { condition } })
      expect((await change(body.id, { description: 'D' })).body.condition).toEqual(condition)
      expect((await change(body.id, { filters: plan('free') })).body.condition).toEqual(plan('free'))
    }
    const nested = {
      logic: 'OR',
      groups: [
        { filters: [{ field: 'data.plan', operator: 'exists' }], conditions: plunk },
        { filters: [], conditions: plan('free') },
      ],
    }
    const [first, ...rest] = nested.groups
    const noted = { ...nested, note: 'x', groups: [{ ...first, name: 'A' }, ...rest] }
    expect((await make({ filters: undefined, condition: noted })).body.condition).toEqual(nested)
    expect((await make({ condition: plan('pro') })).status).toBe(201)
    const both = await make({ condition: plan('free') })
    expectEnvelope(both, 422, 'VALIDATION_ERROR', { condition: 'custom' })
  })

  it('are listed as a plain array, newest first', async () => {
    const { body: first } = await make()
    const { body: second } = await makeStatic()
    await test.ask('POST', `/segments/${second.id}/members`, { json: { emails: ['pro1@example.org'] } })
    const { status, body } = await test.ask('GET', '/segments')
    expect(status).toBe(200)
    expect(body.slice(0, 2)).toMatchObject([{ id: second.id, memberCount: 1 }, first])
  })

  it('are changed field by field; the slug follows the name', async () => {
    const { body } = await make({ description: 'D' })
    const changed = await change(body.id, { name: 'Renamed One', description: null, trackMembership: true })
    expect(changed.status).toBe(200)
    const { description: _, ...rest } = body
    const told = { name: 'Renamed One', slug: 'renamed-one', trackMembership: true, version: 2 }
    expect(changed.body).toEqual({ ...rest, ...told, updatedAt: expect.stringMatching(ISO) })
    expect(await get(body.id)).toEqual(changed.body)
    expect((await change(body.id, {})).body).toMatchObject({ ...told, version: 3 })
  })

  it('are counted anew with another filter, and no longer computed', async () => {
    const { body } = await make({ trackMembership: true })
    expect((await test.ask('POST', `/segments/${body.id}/compute`)).body).toEqual({ added: 2, removed: 0, total: 2 })
    expect(await get(body.id)).toMatchObject({ computedAt: expect.stringMatching(ISO), memberCount: 2 })
    expect((await change(body.id, { filters: plan('pro') })).body).toHaveProperty('computedAt')
    const { status, body: changed } = await change(body.id, { condition: plan('free') })
    expect(status).toBe(200)
    expect(changed).toMatchObject({ filters: plan('free'), condition: plan('free'), memberCount: 1 })
    expect(changed).not.toHaveProperty('computedAt')
    expect((await test.ask('POST', `/segments/${body.id}/compute`)).body).toEqual({ added: 1, removed: 2, total: 1 })
  })

  it('show what a filter meant before the operators changed, until it is saved again; the log names them', async () => {
    const condition = { field: 'data.ends', operator: 'within', value: 7, unit: 'days' }
    const nothing = { field: 'data.note', operator: 'notExists' }
    const filters = { operator: 'AND', conditions: [plan('pro'), { ...plan('pro'), conditions: [condition, nothing] }] }
    const { id, warnings } = (await make({ name: 'Ends soon', filters })).body
    expect(warnings).toBeUndefined()
    const own = await opened.store.segments.find(asProjectId(PROJECT)!, id)
    const { filterEdition, ...old } = own!
    expect(filterEdition).toBe(2)
    await opened.store.segments.update(old)
    const messages = async () =>
      (await get(id)).warnings?.map(({ message }: { message: string }) => message.split(':')[0])
    expect(await messages()).toEqual(['data.ends within', 'data.note notExists'])
    await change(id, { description: 'as it was' })
    expect(await messages()).toHaveLength(2)
    await test.engine.start()
    const named = test.lines.filter(({ message }) => message.startsWith('segments have other members'))
    expect(named.map(({ fields }) => fields)).toEqual([
      { segments: [{ segment: id, name: 'Ends soon', project: PROJECT }] },
    ])
    await change(id, { filters })
    expect(await messages()).toBeUndefined()
  })

  it('keep their type', async () => {
    const [{ body: dynamic }, { body: fixed }] = [await make(), await makeStatic()]
    expect((await change(dynamic.id, { type: 'DYNAMIC' })).status).toBe(200)
    expectEnvelope(await change(dynamic.id, { type: 'STATIC' }), 422, 'VALIDATION_ERROR', { type: 'custom' })
    expectEnvelope(await change(fixed.id, { type: 'DYNAMIC' }), 422, 'VALIDATION_ERROR', { type: 'custom' })
    for (const field of ['filters', 'condition']) {
      const asked = await change(fixed.id, { [field]: plan('pro') })
      expectEnvelope(asked, 422, 'VALIDATION_ERROR', { [field]: 'custom' })
      expectEnvelope(await change(dynamic.id, { [field]: null }), 422, 'VALIDATION_ERROR', { [field]: 'required' })
    }
  })

  it('have names that differ in events', async () => {
    const { body } = await make({ name: 'Big Spenders' })
    const { body: other } = await make({ name: 'Small Spenders' })
    const before = await count()
    expectEnvelope(await make({ name: 'big--SPENDERS!' }), 409, 'CONFLICT', { name: 'custom' })
    expectEnvelope(await change(other.id, { name: 'Big spenders' }), 409, 'CONFLICT', { name: 'custom' })
    expect(await count()).toBe(before)
    expect(await get(other.id)).toEqual(other)
    expect((await change(body.id, { name: 'BIG SPENDERS' })).status).toBe(200)
    expect((await make({ name: 'Big Spenders' }, OTHER_SECRET)).status).toBe(201)
  })

  it('of one name asked for at the same time are made once', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => make({ name: 'All At Once' })))
    expect(asked.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it.each([
    ['no name', { name: undefined }, { name: 'required' }],
    ['a name of spaces', { name: '  ' }, { name: 'too_small' }],
    ['a name of 256 characters', { name: 'n'.repeat(256) }, { name: 'too_big' }],
    ['a name that is a number', { name: 1 }, { name: 'invalid_type' }],
    ['NUL in the name', { name: 'a\0' }, { name: 'invalid_string' }],
    ['a description of 2001 characters', { description: 'd'.repeat(2001) }, { description: 'too_big' }],
    ['an unknown type', { type: 'FIXED' }, { type: 'invalid_enum_value' }],
    ['no filters', { filters: undefined }, { filters: 'required' }],
    ['filters of null', { filters: null }, { filters: 'required' }],
    ['a static type and filters', { type: 'STATIC' }, { filters: 'custom' }],
    ['filters that are a text', { filters: 'x' }, { filters: 'invalid_type' }],
    ['trackMembership that is a text', { trackMembership: 'yes' }, { trackMembership: 'invalid_type' }],
    [
      'an unknown operator',
      { filters: { operator: 'AND', conditions: [{ field: 'email', operator: 'like', value: 'x' }] } },
      { 'filters.conditions.0.operator': 'invalid_enum_value' },
    ],
    ['an unknown segment', { filters: memberOf(UNKNOWN_ID) }, { 'filters.conditions.0.field': 'custom' }],
  ])('are refused with 422 and %s', async (_what, json, fields) => {
    const before = await count()
    expectEnvelope(await make(json), 422, 'VALIDATION_ERROR', fields)
    expect(await count()).toBe(before)
  })

  it('may not lead back to themselves', async () => {
    const { body: inner } = await make()
    const { body: outer } = await make({ filters: memberOf(inner.id) })
    expect(outer.memberCount).toBe(2)
    for (const id of [inner.id, outer.id]) {
      const asked = await change(inner.id, { filters: memberOf(id) })
      expectEnvelope(asked, 422, 'VALIDATION_ERROR', { 'filters.conditions.0.field': 'custom' })
    }
  })

  it('may not name a segment of another project', async () => {
    const { body } = await make({}, OTHER_SECRET)
    const asked = await make({ filters: memberOf(body.id) })
    expectEnvelope(asked, 422, 'VALIDATION_ERROR', { 'filters.conditions.0.field': 'custom' })
  })

  it('are deleted with 204, and not while another segment names them', async () => {
    const { body: inner } = await make()
    const { body: outer } = await make({ name: 'The Outer', filters: memberOf(inner.id) })
    const refused = await test.ask('DELETE', `/segments/${inner.id}`)
    expectEnvelope(refused, 409, 'CONFLICT')
    expect(refused.body.message).toContain('"The Outer"')
    for (const { id } of [outer, inner]) {
      const gone = await test.ask('DELETE', `/segments/${id}`)
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
      expectEnvelope(await test.ask('GET', `/segments/${id}`), 404, 'SEGMENT_NOT_FOUND')
    }
  })

  it('are not both deleted and named, when that is asked for at the same time', async () => {
    for (let i = 0; i < 5; i++) {
      const { body: inner } = await make()
      const [named, gone] = await Promise.all([
        make({ filters: memberOf(inner.id) }),
        test.ask('DELETE', `/segments/${inner.id}`),
      ])
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([named.status, gone.status])
    }
  })

  it.each([
    ['an unknown id', UNKNOWN_ID],
    ['no id', 'vips'],
    ['NUL', '%00'],
    ['broken escapes', '%E0%A4%A'],
  ])('answer 404 for %s on every endpoint', async (_what, id) => {
    for (const [method, path, json] of UNDER_ID) {
      expectEnvelope(await test.ask(method, `/segments/${id}${path}`, { json }), 404, 'SEGMENT_NOT_FOUND')
    }
  })

  it('of another project are not there', async () => {
    const { body } = await makeStatic()
    for (const [method, path, json] of UNDER_ID) {
      const asked = await test.ask(method, `/segments/${body.id}${path}`, { json, key: OTHER_SECRET })
      expectEnvelope(asked, 404, 'SEGMENT_NOT_FOUND')
    }
    expect((await get(body.id)).name).toBe(body.name)
  })

  it('of a disabled project can be read, not written', async () => {
    const key = DISABLED_SECRET
    expectEnvelope(await make({}, key), 403, 'PROJECT_DISABLED')
    for (const [method, path, json] of UNDER_ID) {
      if (method === 'GET') continue
      expectEnvelope(await test.ask(method, `/segments/${UNKNOWN_ID}${path}`, { json, key }), 403, 'PROJECT_DISABLED')
    }
    expect(await test.ask('GET', '/segments', { key })).toMatchObject({ status: 200, body: [] })
  })

  it('refuse public keys', async () => {
    expectEnvelope(await make({}, PUBLIC), 403, 'FORBIDDEN')
    expectEnvelope(await test.ask('GET', '/segments', { key: PUBLIC }), 403, 'FORBIDDEN')
  })
})

for (const store of [STRICT]) {
  describe(`the contacts of a segment on ${store.name}`, () => {
    let test: TestApp
    let dynamic: string
    let fixed: string
    const emails = (body: { data: { email: string }[] }) => body.data.map(({ email }) => email)
    const page = async (id: string, query = '') => (await test.ask('GET', `/segments/${id}/contacts${query}`)).body

    beforeAll(async () => {
      test = await testApp(store)
      for (let i = 1; i <= 5; i++) {
        const json = { email: `m${i}@example.org`, data: { plan: i === 3 ? 'free' : 'pro' } }
        await test.ask('POST', '/contacts', { json })
      }
      dynamic = (await test.ask('POST', '/segments', { json: { name: 'Pro', filters: plan('pro') } })).body.id
      fixed = (await test.ask('POST', '/segments', { json: { name: 'List', type: 'STATIC' } })).body.id
      const json = { emails: ['m5@example.org', 'm1@example.org', 'm3@example.org'] }
      await test.ask('POST', `/segments/${fixed}/members`, { json })
    })

    it('come in numbered pages, newest first', async () => {
      const all = ['m5@example.org', 'm4@example.org', 'm2@example.org', 'm1@example.org']
      const whole = await page(dynamic)
      expect(whole).toMatchObject({ total: 4, page: 1, pageSize: 20, totalPages: 1 })
      expect(emails(whole)).toEqual(all)
      expect(whole.data[0]).toEqual((await test.ask('GET', `/contacts/${whole.data[0].id}`)).body)
      const second = await page(dynamic, '?page=2&pageSize=3')
      expect(second).toMatchObject({ total: 4, page: 2, pageSize: 3, totalPages: 2 })
      expect(emails(second)).toEqual(all.slice(3))
      expect(await page(dynamic, '?page=9&limit=3')).toMatchObject({ data: [], total: 4, page: 9, pageSize: 3 })
      const members = await page(fixed, '?pageSize=2')
      expect(members).toMatchObject({ total: 3, totalPages: 2 })
      expect(emails(members)).toEqual(['m5@example.org', 'm3@example.org'])
      expect(emails(await page(fixed, '?pageSize=2&page=2'))).toEqual(['m1@example.org'])
    })

    it.each([
      'dynamic',
      'static',
    ])('of a %s one are read to the end by cursor, also while contacts come', async (type) => {
      const id = type === 'dynamic' ? dynamic : fixed
      const whole = emails(await page(id))
      const first = await page(id, '?limit=2')
      expect(first).toMatchObject({ hasMore: true, cursor: expect.any(String) })
      const json = { email: `late-${type}@example.org`, data: { plan: 'pro' } }
      const { body: late } = await test.ask('POST', '/contacts', { json })
      if (type === 'static') await test.ask('POST', `/segments/${id}/members`, { json: { emails: [json.email] } })
      const rest = await page(id, `?limit=2&cursor=${first.cursor}`)
      expect(rest).toMatchObject({ hasMore: false, cursor: null })
      expect([...emails(first), ...emails(rest)]).toEqual(whole)
      expectEnvelope(await test.ask('GET', `/segments/${dynamic}/contacts?cursor=x`), 400, 'BAD_REQUEST')
      const other = type === 'dynamic' ? fixed : dynamic
      expectEnvelope(await test.ask('GET', `/segments/${other}/contacts?cursor=${first.cursor}`), 400, 'BAD_REQUEST')
      await test.ask('DELETE', `/contacts/${late.id}`)
    })

    it('of a dynamic one are those who match now', async () => {
      const [first] = (await page(dynamic)).data
      await test.ask('PATCH', `/contacts/${first.id}`, { json: { data: { plan: 'free' } } })
      expect(await page(dynamic)).toMatchObject({ total: 3 })
      await test.ask('PATCH', `/contacts/${first.id}`, { json: { data: { plan: 'pro' } } })
      expect(await page(dynamic)).toMatchObject({ total: 4 })
    })

    it.each([
      ['?pageSize=101', 'pageSize', 'too_big'],
      ['?pageSize=0', 'pageSize', 'too_small'],
      ['?page=0', 'page', 'too_small'],
      ['?page=x', 'page', 'invalid_type'],
      ['?limit=101', 'limit', 'too_big'],
    ])('refuse %s with 422', async (query, field, code) => {
      const answer = await test.ask('GET', `/segments/${dynamic}/contacts${query}`)
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { [field]: code })
    })
  })

  describe(`the members of a static segment on ${store.name}`, () => {
    let test: TestApp
    let made = 0
    const make = async (json: object = {}) =>
      (await test.ask('POST', '/segments', { json: { name: `List ${++made}`, type: 'STATIC', ...json } })).body
    const add = (id: string, json: object) => test.ask('POST', `/segments/${id}/members`, { json })
    const remove = (id: string, json: object) => test.ask('DELETE', `/segments/${id}/members`, { json })
    const memberCount = async (id: string) => (await test.ask('GET', `/segments/${id}`)).body.memberCount
    const events = async (name: string) => (await test.ask('GET', `/events?limit=100&eventName=${name}`)).body.events
    beforeAll(async () => {
      test = await testApp(store)
      for (const name of ['ada', 'bob']) await test.ask('POST', '/contacts', { json: { email: address(name) } })
    })

    it('are added by address, each once; unknown addresses are named', async () => {
      const { id } = await make()
      const asked = await add(id, { emails: [' ADA@Example.org ', address('ada'), address('nobody'), address('bob')] })
      expect(asked).toMatchObject({ status: 200, body: { added: 2, created: 0, notFound: [address('nobody')] } })
      expect((await add(id, { emails: [address('ada')] })).body).toEqual({
        ...{ added: 0, addedIds: [], alreadyMembers: 1, created: 0, notFound: [] },
      })
      expect(await memberCount(id)).toBe(2)
      expect((await test.ask('GET', `/contacts?search=nobody`)).body.total).toBe(0)
    })

    it('are made when asked for, subscribed or not; known contacts stay as they are', async () => {
      const { id } = await make()
      const made = await add(id, { emails: [address('new1'), address('ada')], createMissing: true, subscribed: false })
      expect(made.body).toMatchObject({ added: 2, alreadyMembers: 0, created: 1, notFound: [] })
      expect((await add(id, { emails: [address('new2')], createMissing: true })).body).toMatchObject({ created: 1 })
      const found = async (name: string) => (await test.ask('GET', `/contacts?search=${name}@`)).body.data
      expect(await found('new1')).toMatchObject([{ subscribed: false, data: {} }])
      expect(await found('new2')).toMatchObject([{ subscribed: true }])
      expect(await found('ada')).toMatchObject([{ subscribed: true }])
      expect(await memberCount(id)).toBe(3)
    })

    it('are taken out by address', async () => {
      const { id } = await make()
      await add(id, { emails: [address('ada'), address('bob')] })
      const asked = await remove(id, { emails: [address('ADA'), address('ada'), address('nobody')] })
      expect(asked).toMatchObject({ status: 200, body: { removed: 1 } })
      expect((await remove(id, { emails: [address('ada')] })).body).toEqual({ removed: 0, removedIds: [] })
      expect(await memberCount(id)).toBe(1)
    })

    it('are added and taken out by id, a thousand at once; the answer names who moved', async () => {
      const { id } = await make()
      const other = await make()
      const emails = Array.from({ length: 997 }, (_, i) => address(`many${i}`))
      const { addedIds: many } = (await add(other.id, { emails, createMissing: true })).body
      const { addedIds } = (await add(other.id, { emails: [address('ada'), address('bob')] })).body
      const [ada, bob] = addedIds
      const theirs = (await test.ask('POST', '/contacts', { json: { email: address('ada') }, key: OTHER_SECRET })).body
        .id
      await add(id, { contactIds: [bob] })
      const asked = await add(id, { contactIds: [...many, ada, bob, theirs] })
      expect(asked).toMatchObject({
        ...{ status: 200, body: { added: 998, alreadyMembers: 1, created: 0, notFound: [theirs] } },
      })
      expect(asked.body.addedIds.toSorted()).toEqual([...many, ada].toSorted())
      expect(await memberCount(id)).toBe(999)
      const out = await remove(id, { contactIds: [...asked.body.addedIds, 'x'] })
      expect(out).toMatchObject({ status: 200, body: { removed: 998 } })
      expect(out.body.removedIds.toSorted()).toEqual(asked.body.addedIds.toSorted())
      expect(await memberCount(id)).toBe(1)
    })

    it('are listed from the side of a contact: by record with a date, by filter without one', async () => {
      const of = async (id: string) => (await test.ask('GET', `/contacts/${id}/segments`)).body
      const { body: eve } = await test.ask('POST', '/contacts', {
        json: { email: address('eve'), data: { plan: 'gold' } },
      })
      const fixed = await make({ name: 'By hand' })
      await add(fixed.id, { emails: [address('eve')] })
      const left = await make({ name: 'Was in' })
      await add(left.id, { emails: [address('eve')] })
      await remove(left.id, { emails: [address('eve')] })
      const dynamic = async (name: string, more: object = {}) =>
        (await test.ask('POST', '/segments', { json: { name, filters: plan('gold'), ...more } })).body
      const gold = await dynamic('Gold')
      await dynamic('Others', { filters: plan('silver') })
      const tracked = await dynamic('Tracked gold', { trackMembership: true })
      const named = (found: { data: { name: string; since: string | null }[] }) =>
        found.data.map(({ name, since }) => [name, since && expect.stringMatching(ISO)])
      const before = await of(eve.id)
      expect(before.data[1]).toEqual({
        ...{ id: gold.id, name: 'Gold', type: 'DYNAMIC', trackMembership: false, since: null },
      })
      // one that has never been computed has no record yet
      expect(named(before)).toEqual([
        ['Tracked gold', null],
        ['Gold', null],
        ['By hand', expect.stringMatching(ISO)],
      ])
      await test.ask('POST', `/segments/${tracked.id}/compute`)
      await test.ask('PATCH', `/contacts/${eve.id}`, { json: { data: { plan: 'silver' } } })
      expect(named(await of(eve.id))).toEqual([
        ['Tracked gold', expect.stringMatching(ISO)],
        ['Others', null],
        ['By hand', expect.stringMatching(ISO)],
      ])
      expect(await of(eve.id)).toMatchObject({ unchecked: [] })
      for (const id of [UNKNOWN_ID, 'x']) {
        expectEnvelope(await test.ask('GET', `/contacts/${id}/segments`), 404, 'CONTACT_NOT_FOUND')
      }
      const theirs = await test.ask('GET', `/contacts/${eve.id}/segments`, { key: OTHER_SECRET })
      expectEnvelope(theirs, 404, 'CONTACT_NOT_FOUND')
    })

    it('of more than a hundred filters are not all looked for, and those left out are named', async () => {
      const key = OTHER_SECRET
      const json = { email: address('busy'), data: { plan: 'pro' } }
      const { id } = (await test.ask('POST', '/contacts', { json, key })).body
      const oldest = await test.ask('POST', '/segments', { json: { name: 'Oldest', filters: plan('pro') }, key })
      for (let i = 0; i < 100; i++) {
        await test.ask('POST', '/segments', { json: { name: `Filter ${i}`, filters: plan('pro') }, key })
      }
      const { data, unchecked } = (await test.ask('GET', `/contacts/${id}/segments`, { key })).body
      expect(data).toHaveLength(100)
      expect(unchecked).toEqual([{ id: oldest.body.id, name: 'Oldest' }])
    })

    it('are counted truly when contacts are deleted', async () => {
      const { id } = await make({ trackMembership: true, name: 'Leavers' })
      await add(id, { emails: [address('gone'), address('ada')], createMissing: true })
      const [{ id: gone }] = (await test.ask('GET', '/contacts?search=gone')).body.data
      await test.ask('DELETE', `/contacts/${gone}`)
      expect(await memberCount(id)).toBe(1)
      expect((await test.ask('POST', `/segments/${id}/refresh`)).body).toEqual({ memberCount: 1 })
      expect((await test.ask('GET', `/segments/${id}/contacts`)).body).toMatchObject({ total: 1, data: [{}] })
      expect(await events('segment.leavers.exit')).toEqual([])
    })

    it('enter and leave with an event when the segment is tracked', async () => {
      const { id } = await make({ trackMembership: true, name: 'Tracked List' })
      await add(id, { emails: [address('ada')] })
      await add(id, { emails: [address('ada'), address('bob')] })
      await remove(id, { emails: [address('ada')] })
      const data = { segmentId: id, segmentName: 'Tracked List' }
      const entries = await events('segment.tracked-list.entry')
      expect(entries).toMatchObject([
        { name: 'segment.tracked-list.entry', data, contact: { email: address('bob') } },
        { data, contact: { email: address('ada') } },
      ])
      expect(await events('segment.tracked-list.exit')).toMatchObject([{ data, contact: { email: address('ada') } }])
    })

    it('enter without an event when it is not', async () => {
      const { id } = await make({ name: 'Quiet List' })
      await add(id, { emails: [address('ada')] })
      expect(await events('segment.quiet-list.entry')).toEqual([])
    })

    it('are added once by many calls at the same time', async () => {
      const { id } = await make({ trackMembership: true, name: 'Busy List' })
      const emails = ['p', 'q', 'r'].map(address)
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          add(id, { emails: i % 2 ? emails : emails.toReversed(), createMissing: true }),
        ),
      )
      expect(asked.map(({ status }) => status)).toEqual(Array(20).fill(200))
      const sum = (field: string) => asked.reduce((all, { body }) => all + body[field], 0)
      expect([sum('added'), sum('created')]).toEqual([3, 3])
      expect(await events('segment.busy-list.entry')).toHaveLength(3)
      expect(await memberCount(id)).toBe(3)
    })

    it('of a dynamic segment cannot be changed: 400', async () => {
      const json = { name: 'Dynamic', filters: plan('pro') }
      const { id } = (await test.ask('POST', '/segments', { json })).body
      expectEnvelope(await add(id, { emails: [address('ada')] }), 400, 'BAD_REQUEST')
      expectEnvelope(await remove(id, { emails: [address('ada')] }), 400, 'BAD_REQUEST')
    })

    it.each([
      ['no addresses', {}, { emails: 'required' }],
      ['an empty list', { emails: [] }, { emails: 'too_small' }],
      ['1,001 addresses', { emails: Array(1001).fill('a@example.org') }, { emails: 'too_big' }],
      ['1,001 ids', { contactIds: Array(1001).fill(UNKNOWN_ID) }, { contactIds: 'too_big' }],
      ['no ids', { contactIds: [] }, { contactIds: 'too_small' }],
      ['ids beside addresses', { contactIds: [UNKNOWN_ID], emails: [address('ada')] }, { emails: 'custom' }],
      ['a text in place of a list', { emails: 'a@example.org' }, { emails: 'invalid_type' }],
      [
        'a bad address',
        { emails: ['a@b.example', 'b@b.example', 'c@b.example', 'x'] },
        { 'emails.3': 'invalid_string' },
      ],
      ['an address that is a number', { emails: [1] }, { 'emails.0': 'invalid_type' }],
    ])('are refused with 422 and %s', async (_what, json, fields) => {
      const { id } = await make()
      expectEnvelope(await add(id, json), 422, 'VALIDATION_ERROR', fields)
      expectEnvelope(await remove(id, json), 422, 'VALIDATION_ERROR', fields)
      expect(await memberCount(id)).toBe(0)
    })

    it('are refused with 422 when the switches are no booleans', async () => {
      const { id } = await make()
      for (const field of ['createMissing', 'subscribed']) {
        const asked = await add(id, { emails: [address('ada')], [field]: 'yes' })
        expectEnvelope(asked, 422, 'VALIDATION_ERROR', { [field]: 'invalid_type' })
      }
    })
  })

  describe(`computing a segment on ${store.name}`, () => {
    let test: TestApp
    const make = async (json: object) =>
      (await test.ask('POST', '/segments', { json: { filters: plan('pro'), trackMembership: true, ...json } })).body
    const compute = (id: string) => test.ask('POST', `/segments/${id}/compute`)
    const refresh = (id: string) => test.ask('POST', `/segments/${id}/refresh`)
    const contact = async (email: string, value: string) =>
      (await test.ask('POST', '/contacts', { json: { email, data: { plan: value } } })).body
    const events = async (name: string) =>
      (await test.ask('GET', `/events?limit=100&eventName=${name}`)).body.events.map(
        (event: { contact: { email: string } }) => event.contact.email,
      )

    beforeAll(async () => {
      test = await testApp(store)
      await contact('one@example.org', 'pro')
      await contact('two@example.org', 'pro')
    })

    it('tells entries and exits as events, each once', async () => {
      const { id } = await make({ name: 'Pro Users' })
      expect(await compute(id)).toMatchObject({ status: 200, body: { added: 2, removed: 0, total: 2 } })
      expect((await compute(id)).body).toEqual({ added: 0, removed: 0, total: 2 })
      await contact('three@example.org', 'pro')
      await contact('one@example.org', 'free')
      expect((await compute(id)).body).toEqual({ added: 1, removed: 1, total: 2 })
      expect((await compute(id)).body).toEqual({ added: 0, removed: 0, total: 2 })
      const all = ['three@example.org', 'two@example.org', 'one@example.org']
      expect((await events('segment.pro-users.entry')).toSorted()).toEqual(all.toSorted())
      expect(await events('segment.pro-users.exit')).toEqual(['one@example.org'])
      const { events: exits } = (await test.ask('GET', '/events?eventName=segment.pro-users.exit')).body
      expect(exits[0].data).toEqual({ segmentId: id, segmentName: 'Pro Users' })
      await contact('one@example.org', 'pro')
      await contact('three@example.org', 'free')
    })

    it('forgets contacts that are deleted without a word', async () => {
      const gone = await contact('gone@example.org', 'pro')
      const { id } = await make({ name: 'Forgetful' })
      expect((await compute(id)).body).toMatchObject({ total: 3 })
      await test.ask('DELETE', `/contacts/${gone.id}`)
      expect((await compute(id)).body).toEqual({ added: 0, removed: 0, total: 2 })
      expect(await events('segment.forgetful.exit')).toEqual([])
    })

    it('at the same time many times over tells every change once', async () => {
      const { id } = await make({ name: 'Crowd' })
      const answers = await Promise.all(Array.from({ length: 8 }, () => compute(id)))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(2)
      expect(await events('segment.crowd.entry')).toHaveLength(2)
    })

    it('answers 202 with what is known so far when it takes too long', async () => {
      const { id } = await make({ name: 'Slow' })
      const computeWithin = async () => ({ added: 2, removed: 1, total: 7, isDone: false })
      const app = createApp({
        ...test.engine,
        segments: Object.assign(Object.create(test.engine.segments), { computeWithin }),
      })
      const headers = { authorization: `Bearer ${SECRET}` }
      const answer = await app.fetch(new Request(`http://x/segments/${id}/compute`, { method: 'POST', headers }))
      expect(answer.status).toBe(202)
      expect(await answer.json()).toEqual({
        added: 2,
        removed: 1,
        total: 7,
        message: expect.stringContaining('So far'),
      })
    })

    it('goes on where it was when tracking is switched off and on', async () => {
      const { id } = await make({ name: 'Paused' })
      await compute(id)
      await test.ask('PATCH', `/segments/${id}`, { json: { trackMembership: false } })
      expectEnvelope(await compute(id), 400, 'BAD_REQUEST')
      await contact('late@example.org', 'pro')
      await test.ask('PATCH', `/segments/${id}`, { json: { trackMembership: true } })
      expect((await compute(id)).body).toEqual({ added: 1, removed: 0, total: 3 })
      expect(await events('segment.paused.entry')).toHaveLength(3)
      await contact('late@example.org', 'free')
    })

    it('is for tracked dynamic segments: 400', async () => {
      const untracked = await make({ name: 'Untracked', trackMembership: false })
      const fixed = await make({ name: 'Fixed', type: 'STATIC', filters: undefined })
      for (const { id } of [untracked, fixed]) expectEnvelope(await compute(id), 400, 'BAD_REQUEST')
    })

    it('is not refreshing, which counts and does nothing else', async () => {
      const { id, memberCount } = await make({ name: 'Refreshed' })
      expect(memberCount).toBe(2)
      await contact('four@example.org', 'pro')
      expect((await test.ask('GET', `/segments/${id}`)).body.memberCount).toBe(2)
      expect(await refresh(id)).toMatchObject({ status: 200, body: { memberCount: 3 } })
      const { body } = await test.ask('GET', `/segments/${id}`)
      expect(body).toMatchObject({ memberCount: 3, countedAt: expect.stringMatching(ISO) })
      expect(body).not.toHaveProperty('computedAt')
      expect(await events('segment.refreshed.entry')).toEqual([])
      expect((await compute(id)).body).toEqual({ added: 3, removed: 0, total: 3 })
    })
  })
}
