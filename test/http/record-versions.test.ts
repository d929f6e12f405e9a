import { beforeAll, describe, expect, it } from 'vitest'
import { placeOfVersion } from '../../server/http/if-match.ts'
import { type Answer, expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { ENDPOINTS } from './endpoints.ts'

const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'ALL' }
const PRO = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }
const FORM = { name: 'Footer', texts: { title: 'News' }, consent: 'Yes', doubleOptIn: false }

/** The records and their changes: where one is made, and two changes of it that do not touch. */
const CASES = [
  ['PUT /campaigns/:id', '/campaigns', LETTER, { subject: 'Mine' }, { preheader: 'Theirs' }],
  ['PATCH /campaigns/:id', '/campaigns', LETTER, { subject: 'Mine' }, { variants: [{ subject: 'Theirs' }] }],
  ['PATCH /segments/:id', '/segments', { name: 'Pro', filters: PRO }, { description: 'Mine' }, { name: 'Theirs' }],
  ['PATCH /forms/:id', '/forms', FORM, { consent: 'Mine' }, { name: 'Theirs' }],
  ['PATCH /workflows/:id', '/workflows', { name: 'W', eventName: 'e' }, { description: 'Mine' }, { name: 'Theirs' }],
  [
    ...(['PATCH /inboxes/:id', '/inboxes', { name: 'Help', address: 'help@example.com' }] as const),
    ...([{ name: 'Mine' }, { senderName: 'Theirs' }] as const),
  ],
  ['PATCH /layouts/:id', '/layouts', { name: 'L', body: '{{ content }}' }, { description: 'Mine' }, { name: 'T' }],
  ['PATCH /snippets/:id', '/snippets', { name: 's', body: 'S' }, { body: 'Mine' }, { description: 'Theirs' }],
  [
    ...(['PATCH /templates/:id', '/templates', { ...LETTER, audienceType: undefined, type: 'MARKETING' }] as const),
    ...([{ subject: 'Mine' }, { preheader: 'Theirs' }] as const),
  ],
  [
    'PATCH /projects/:id',
    '/projects',
    undefined,
    { signUpUrl: 'https://example.com/mine' },
    { timeZone: 'Asia/Tokyo' },
  ],
] as const

/** Those that change a part of a workflow, by the version of the workflow. */
const PARTS = [
  'POST /workflows/:id/steps',
  'PATCH /workflows/:id/steps/:stepId',
  'DELETE /workflows/:id/steps/:stepId',
  'POST /workflows/:id/transitions',
  'PATCH /workflows/:id/transitions/:transitionId',
  'DELETE /workflows/:id/transitions/:transitionId',
]

/** Those of drafts, which are sent in the version that was seen: test/http/inboxes.test.ts. */
const DRAFTS = ['PATCH /drafts/:id', 'POST /drafts/:id/send']

it('every route that takes a version is tried here', () => {
  const taking = ENDPOINTS.flatMap(([method, , route]) => (placeOfVersion(route) ? [`${method} ${route.path}`] : []))
  expect(taking.toSorted()).toEqual([...CASES.map(([route]) => route), ...PARTS, ...DRAFTS].toSorted())
})

for (const store of [STRICT]) {
  describe(`the version of a record on ${store.name}`, () => {
    let test: TestApp
    let ask: TestApp['ask']

    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
      ask = (await ownProject(test)).ask
    })

    const made = async (path: string, json: object) => {
      const answer = await ask('POST', path, { json })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body.data?.id ? answer.body.data : answer.body
    }
    const get = async (path: string) => (await ask('GET', path)).body
    const expectStale = (answer: Answer, currentVersion: number) => {
      expectEnvelope(answer, 409, 'VERSION_CONFLICT', { version: 'custom' })
      expect(answer.body.error.currentVersion).toBe(currentVersion)
    }

    it.each(CASES)('%s: one change for each version', async (route, list, whole, mine, theirs) => {
      const [method = ''] = route.split(' ')
      const id = whole === undefined ? (await ask('GET', '/projects')).body?.id : (await made(list, whole)).id
      const project = whole === undefined ? (await test.engine.projects.list()).at(-1)?.id : undefined
      const path = `${list}/${project ?? id}`
      const put = (json: object, headers: Record<string, string> = {}) => ask(method, path, { json, headers })
      const first = await ask('GET', path)
      const { version } = first.body
      expect(version).toBe(1)
      expect(first.headers.get('etag')).toBe('"1"')
      const changed = await put({ ...theirs, version })
      expect(changed.body, changed.text).toMatchObject({ version: 2 })
      expect(changed.headers.get('etag')).toBe('"2"')
      const before = await get(path)
      expectStale(await put({ ...mine, version }), 2)
      expectStale(await put(mine, { 'if-match': '"1"' }), 2)
      expectStale(await put({ ...mine, version: 3 }), 2)
      expect(await get(path)).toEqual(before)
      expectEnvelope(await put({ ...mine, version: 2 }, { 'if-match': '"1"' }), 422, 'VALIDATION_ERROR', {
        version: 'custom',
      })
      for (const wrong of ['2', '"2", "3"', '"two"']) {
        expectEnvelope(await put(mine, { 'if-match': wrong }), 422, 'VALIDATION_ERROR', {
          'If-Match': 'invalid_string',
        })
      }
      expectEnvelope(await put({ ...mine, version: '2' }), 422, 'VALIDATION_ERROR', { version: 'invalid_type' })
      // of two at the same instant one finds the other's
      const both = await Promise.all([put({ ...mine, version: 2 }), put(mine, { 'if-match': 'W/"2"' })])
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(await get(path)).toMatchObject({ version: 3 })
      expect((await put(theirs)).status).toBe(200)
      expect((await put({ ...mine, version: null }, { 'if-match': '*' })).status).toBe(200)
    })

    it('of a workflow is that of its graph', async () => {
      const { id } = await made('/workflows', { name: 'Welcome', eventName: 'signed-up' })
      const path = `/workflows/${id}`
      const delay = { type: 'DELAY', config: { amount: 1, unit: 'days' } }
      const add = (version: number) => ask('POST', `${path}/steps`, { json: { ...delay, version } })
      const first = await add(1)
      expect(first.status).toBe(201)
      expect(first.headers.get('etag')).toBe('"2"')
      expectStale(await add(1), 2)
      const second = (await add(2)).body
      expect((await get(path)).steps).toHaveLength(3)
      const step = `${path}/steps/${second.id}`
      expectStale(await ask('PATCH', step, { json: { name: 'Wait', version: 2 } }), 3)
      const waiting = await ask('PATCH', step, { json: { name: 'Wait' }, headers: { 'if-match': '"3"' } })
      expect(waiting.headers.get('etag')).toBe('"4"')
      const [, way] = (await get(path)).transitions
      const lead = (version: number) =>
        ask('PATCH', `${path}/transitions/${way.id}`, { json: { priority: 1, version } })
      expectStale(await lead(3), 4)
      const led = await lead(4)
      expect({ ...led.body, etag: led.headers.get('etag') }).toMatchObject({ priority: 1, etag: '"5"' })
      expectStale(await ask('DELETE', `${path}/transitions/${way.id}?version=4`), 5)
      const unled = await ask('DELETE', `${path}/transitions/${way.id}`, { headers: { 'if-match': '"5"' } })
      expect(unled).toMatchObject({ status: 204 })
      expect(unled.headers.get('etag')).toBe('"6"')
      const json = { fromStepId: way.fromStepId, toStepId: way.toStepId }
      expectStale(await ask('POST', `${path}/transitions`, { json: { ...json, version: 5 } }), 6)
      const drawn = await ask('POST', `${path}/transitions`, { json: { ...json, version: 6 } })
      expect(drawn.headers.get('etag')).toBe('"7"')
      expectStale(await ask('DELETE', step, { headers: { 'if-match': '"6"' } }), 7)
      expect((await ask('DELETE', `${step}?version=7`)).status).toBe(204)
      expect(await get(path)).toMatchObject({ version: 8, steps: [{}, { id: first.body.id }] })
      // a change that is refused for another reason raises nothing
      expect((await ask('PATCH', path, { json: { enabled: true, name: '' } })).status).toBe(422)
      const racing = await Promise.all([add(8), add(8), ask('PATCH', path, { json: { name: 'New', version: 8 } })])
      expect(racing.filter(({ status }) => status === 409)).toHaveLength(2)
      expect((await get(path)).version).toBe(9)
    })

    it('rises for what people write, not for figures and statuses', async () => {
      await made('/contacts', { email: 'ada@example.org', subscribed: true, data: { tier: 'pro' } })
      const filters = { operator: 'AND', conditions: [{ field: 'data.tier', operator: 'equals', value: 'pro' }] }
      const segment = await made('/segments', { name: 'Tier', filters, trackMembership: true })
      await ask('POST', `/segments/${segment.id}/compute`)
      await ask('POST', `/segments/${segment.id}/refresh`)
      expect(await get(`/segments/${segment.id}`)).toMatchObject({ memberCount: 1, version: 1 })
      const form = await made('/forms', FORM)
      const visitor = new URLSearchParams({ email: 'new@example.org' })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      await ask('POST', `/f/${form.id}`, { key: null, raw: visitor.toString(), headers })
      expect(await get(`/forms/${form.id}`)).toMatchObject({ version: 1 })
      const { id } = await made('/campaigns', LETTER)
      await ask('PATCH', `/campaigns/${id}/filing`, { json: { note: 'For May' } })
      expect(await get(`/campaigns/${id}`)).toMatchObject({ version: 2, note: 'For May' })
      await ask('POST', `/campaigns/${id}/send`, { json: { scheduledFor: '2099-01-01T00:00:00Z' } })
      await ask('POST', `/campaigns/${id}/cancel`)
      expect(await get(`/campaigns/${id}`)).toMatchObject({ version: 2, status: 'CANCELLED' })
      const copy = (await ask('POST', `/campaigns/${id}/duplicate`)).body
      expect((copy.data ?? copy).version).toBe(1)
    })

    it('rises where another name is written into it', async () => {
      await made('/topics', { name: 'Harbour' })
      const filters = { operator: 'AND', conditions: [{ field: 'topic.harbour', operator: 'equals', value: true }] }
      const segment = await made('/segments', { name: 'Readers', filters })
      const campaign = await made('/campaigns', { ...LETTER, audienceType: 'FILTERED', audienceFilter: filters })
      const { id } = await made('/workflows', { name: 'W', eventName: 'e' })
      await ask('POST', `/workflows/${id}/steps`, { json: { type: 'CONDITION', config: { filter: filters } } })
      const renamed = await ask('PATCH', '/topics/harbour', { json: { slug: 'port', rename: true } })
      expect(renamed.status, renamed.text).toBe(200)
      expect(await get(`/segments/${segment.id}`)).toMatchObject({ version: 2 })
      expect(await get(`/campaigns/${campaign.id}`)).toMatchObject({ version: 2 })
      expect(await get(`/workflows/${id}`)).toMatchObject({ version: 3 })
    })
  })
}
