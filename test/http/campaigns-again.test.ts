import { beforeAll, describe, expect, it } from 'vitest'
import { definePlugin } from '../../core/plugin/plugin.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { campaign, contact, email, NOON, newId, put } from '../contracts/store/records.ts'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const PRO = { field: 'data.plan', operator: 'equals', value: 'pro' }

/** The fate of each one's mail. */
const MAILS = {
  ada: { sentAt: NOON, openedAt: NOON, humanOpenedAt: NOON },
  // a program opened it
  bob: { sentAt: NOON, openedAt: NOON },
  cyd: { sentAt: NOON, clickedAt: NOON, humanClickedAt: NOON },
  dee: { status: 'FAILED' },
  eve: { status: 'BOUNCED', bouncedAt: NOON },
  fay: { status: 'SKIPPED', skipReason: 'campaign-cancelled' },
} as const

describe('sending a campaign again', () => {
  let test: TestApp
  let store: Store
  let project: Project

  const again = (id: string, json: object) => test.ask('POST', `/campaigns/${id}/again`, { json })
  const filing = (id: string, json: object) => test.ask('PATCH', `/campaigns/${id}/filing`, { json })
  const list = async (query: string) => (await test.ask('GET', `/campaigns?${query}`)).body
  const named = async (filter: object) => {
    const query = new URLSearchParams({ filter: JSON.stringify(filter) })
    const { body } = await test.ask('GET', `/contacts?${query}`)
    return body.data
      .map((each: { email: string }) => each.email.split('@')[0])
      .sort()
      .join(' ')
  }
  const insert = async (fields: object = {}) => {
    const made = campaign(project.id, { status: 'SENT', startedAt: NOON, from: 'hello@example.com', ...fields })
    await store.campaigns.insert(made)
    return made
  }

  beforeAll(async () => {
    const kept = definePlugin({
      name: 'store-that-is-kept',
      provides: ['store'],
      open: async (_options: object, kit) => {
        const opened = await QUICK.store().open(kit)
        store = opened.store
        return opened
      },
    })
    test = await testApp({ store: () => kept() })
    project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
  })

  it('makes a draft for each choice that narrows the audience, by what people did', async () => {
    const origin = await insert({ folder: 'Summer' })
    const people = [...Object.keys(MAILS), 'gus'].map((name) => contact(project.id, { email: `${name}@example.org` }))
    const mails = Object.entries(MAILS).map(([name, fields]) => {
      const contactId = people.find((each) => each.email.startsWith(name))?.id ?? ''
      return email(project.id, { ...fields, contactId, campaignId: origin.id })
    })
    await put(store, project.id, { contacts: people, emails: mails })
    const found: Record<string, string> = {}
    for (const to of ['opened', 'not-opened', 'clicked', 'not-clicked', 'failed', 'new']) {
      const { status, body } = await again(origin.id, { to })
      expect(status).toBe(201)
      const { originId, audienceType, audienceFilter, name, folder } = body
      expect({ originId, audienceType, name, folder, status: body.status }).toEqual({
        ...{ originId: origin.id, audienceType: 'FILTERED', status: 'DRAFT' },
        ...{ name: `${origin.name} (Again)`, folder: 'Summer' },
      })
      found[to] = await named(audienceFilter)
    }
    expect(found).toEqual({
      ...{ opened: 'ada cyd', 'not-opened': 'bob', clicked: 'cyd', 'not-clicked': 'ada bob' },
      ...{ failed: 'dee eve', new: 'fay gus' },
    })
    expect((await list(`originId=${origin.id}`)).total).toBe(6)
    expect((await list('folder=Summer')).total).toBe(7)
  })

  it('keeps to the audience the campaign had, takes another subject, and names a draft of a draft once', async () => {
    const filter = { operator: 'OR', conditions: [PRO, PRO] } as const
    const either = await insert({ audienceType: 'FILTERED', audienceFilter: filter })
    const { body: first } = await again(either.id, { to: 'failed', subject: 'Once more', name: 'Second try' })
    expect(first).toMatchObject({ subject: 'Once more', name: 'Second try', body: either.body })
    const failed = [`campaign.${either.id}`].flatMap((field) => [
      { field, operator: 'failed' },
      { field, operator: 'bounced' },
    ])
    expect(first.audienceFilter.conditions).toEqual([filter, { operator: 'OR', conditions: failed }])

    const all = await insert({ audienceType: 'FILTERED', audienceFilter: { operator: 'AND', conditions: [PRO] } })
    const { body: second } = await again(all.id, { to: 'new' })
    expect(second.audienceFilter.conditions).toEqual([PRO, { field: `campaign.${all.id}`, operator: 'notMailed' }])

    const { id: segmentId } = (await test.ask('POST', '/segments', { json: { name: 'S', type: 'STATIC' } })).body
    const some = await insert({ audienceType: 'SEGMENT', segmentId })
    const { body: third } = await again(some.id, { to: 'new' })
    expect(third.audienceFilter.conditions[0]).toEqual({ field: `segment.${segmentId}`, operator: 'memberOfSegment' })
    expect(third.segmentId).toBeUndefined()
    const { body: copy } = await test.ask('POST', `/campaigns/${third.id}/duplicate`)
    expect(copy.originId).toBeUndefined()
    const changed = await test.ask('PUT', `/campaigns/${third.id}`, { json: { subject: 'Changed' } })
    expect(changed.body).toMatchObject({ subject: 'Changed', originId: some.id })
  })

  it('refuses a campaign that is not finished, unknown choices, and an audience that cannot be narrowed', async () => {
    const { id } = await insert({ status: 'SENDING' })
    expectEnvelope(await again(id, { to: 'new' }), 409, 'CONFLICT')
    const { id: never } = await insert({ status: 'CANCELLED', startedAt: undefined })
    expectEnvelope(await again(never, { to: 'new' }), 409, 'CONFLICT')
    const { id: sent } = await insert()
    expectEnvelope(await again(sent, { to: 'all' }), 422, 'VALIDATION_ERROR', { to: 'invalid_enum_value' })
    expectEnvelope(await again(sent, { to: 'new', subject: 'x'.repeat(999) }), 422, 'VALIDATION_ERROR', {
      subject: 'too_big',
    })
    expectEnvelope(await again(sent, { to: 'new', name: 'x'.repeat(256) }), 422, 'VALIDATION_ERROR', {
      name: 'too_big',
    })
    expectEnvelope(await again(newId(), { to: 'new' }), 404, 'CAMPAIGN_NOT_FOUND')
    const full = { operator: 'AND', conditions: Array(50).fill(PRO) }
    const { id: large } = await insert({ audienceType: 'FILTERED', audienceFilter: full })
    const answer = await again(large, { to: 'new' })
    expectEnvelope(answer, 409, 'CONFLICT')
    expect(answer.body.error.suggestion).toContain('segment')
  })

  describe('and order among campaigns', () => {
    it('files in any status, within bounds, and takes away what is null', async () => {
      const { id } = await insert({ status: 'SENT' })
      const [folder, note] = ['f'.repeat(100), 'n'.repeat(5000)]
      expect((await filing(id, { folder, note })).body).toMatchObject({ folder, note, status: 'SENT' })
      expectEnvelope(await filing(id, { folder: `${folder}f` }), 422, 'VALIDATION_ERROR', { folder: 'too_big' })
      expectEnvelope(await filing(id, { note: `${note}n` }), 422, 'VALIDATION_ERROR', { note: 'too_big' })
      const { body } = await filing(id, { folder: null })
      expect([body.folder, body.note]).toEqual([undefined, note])
      expectEnvelope(await filing(newId(), { folder }), 404, 'CAMPAIGN_NOT_FOUND')
    })

    it('leaves what was put away out of lists unless asked, and refuses that for what is under way', async () => {
      const { id } = await insert({ name: 'Long ago', folder: 'Old' })
      expect((await filing(id, { shelved: true })).body.shelvedAt).toEqual(expect.any(String))
      const names = async (query: string) => (await list(query)).data.map((each: { name: string }) => each.name)
      expect(await names('search=Long+ago')).toEqual([])
      expect(await names('search=Long+ago&shelved=true')).toEqual(['Long ago'])
      const folders = (await test.ask('GET', '/campaigns/folders')).body
      expect(folders).toContainEqual({ name: 'Old', count: 0 })
      await filing(id, { shelved: false })
      expect(await names('folder=Old')).toEqual(['Long ago'])
      const { id: going } = await insert({ status: 'SENDING' })
      expectEnvelope(await filing(going, { shelved: true }), 409, 'CONFLICT')
    })

    it('does many at once, and says of each that was left why', async () => {
      const [one, other, going] = [
        await insert(),
        await insert({ status: 'DRAFT' }),
        await insert({ status: 'SENDING' }),
      ]
      const gone = newId()
      const ids = [one.id, other.id, going.id, gone, one.id]
      const bulk = (what: string, json: object) => test.ask('POST', `/campaigns/bulk-${what}`, { json })
      const left = [
        { id: going.id, code: 'CONFLICT', reason: expect.stringContaining('SENDING') },
        { id: gone, code: 'CAMPAIGN_NOT_FOUND', reason: expect.any(String) },
      ]
      expect((await bulk('file', { ids, shelved: true })).body).toEqual({ done: 2, left })
      expect((await bulk('file', { ids: [going.id], folder: 'Now' })).body).toEqual({ done: 1, left: [] })
      expect((await list('folder=Now')).total).toBe(1)
      expect((await bulk('delete', { ids })).body).toEqual({ done: 2, left })
      expectEnvelope(await bulk('delete', { ids: [] }), 422, 'VALIDATION_ERROR', { ids: 'too_small' })
      const many = Array.from({ length: 501 }, () => gone)
      expectEnvelope(await bulk('delete', { ids: many }), 422, 'VALIDATION_ERROR', { ids: 'too_big' })
      expect((await bulk('delete', { ids: many.slice(1) })).body.left).toHaveLength(1)
    })
  })
})
