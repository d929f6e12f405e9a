import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

/** Keys that a path or a query language could stumble over. */
const ODD_KEYS = [
  'a.b',
  'data.plan',
  "o'hara",
  'say "hi"',
  'a/b',
  'a b+c',
  '100%25',
  'größe 🙂',
  '$[0]',
  '__proto__',
  'constructor',
  'usage',
  'values',
  'fields',
  'subscribed',
  '?limit=1#x',
  'back\\slash',
  'x'.repeat(200),
]

for (const store of [STRICT]) {
  describe(`the fields of contacts on ${store.name}`, () => {
    let test: TestApp
    const make = (name: string, data: object, key?: string) =>
      test.ask('POST', '/contacts', { json: { email: `${name}@example.org`, data }, ...(key ? { key } : {}) })
    const values = (field: string, query = '') =>
      test.ask('GET', `/contacts/fields/${encodeURIComponent(field)}/values${query}`)
    const usage = (field: string) => test.ask('GET', `/contacts/fields/${encodeURIComponent(field)}/usage`)
    const remove = (field: string, key?: string) =>
      test.ask('DELETE', `/contacts/fields/${encodeURIComponent(field)}`, key ? { key } : {})
    const fieldOf = async (field: string) => {
      const { body } = await test.ask('GET', '/contacts/fields')
      return body.fields.find((each: { field: string }) => each.field === field)
    }

    beforeAll(async () => {
      test = await testApp(store)
      await make('ada', { plan: 'pro', seats: 5, vip: true, since: '2024-01-31', address: { city: 'Rom' }, mixed: 1 })
      await make('bob', { plan: 'free', seats: 7, since: '2024-02-01T10:00:00Z', tags: ['a'], mixed: 'x' })
      await make('cyd', { plan: 'pro', seats: 'many', mixed: true })
      await make('theirs', { secret: 'x' }, OTHER_SECRET)
    })

    it('are listed: the standard ones, then the others by key, with types and coverage', async () => {
      const { status, body } = await test.ask('GET', '/contacts/fields')
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          fields: [
            { field: 'email', type: 'string', coverage: 100 },
            { field: 'subscribed', type: 'boolean', coverage: 100 },
            { field: 'tracking', type: 'string', coverage: 100 },
            { field: 'pausedUntil', type: 'date' },
            { field: 'everyDays', type: 'number' },
            { field: 'createdAt', type: 'date', coverage: 100 },
            { field: 'updatedAt', type: 'date', coverage: 100 },
            { field: 'data.address', type: 'object', coverage: 33.33 },
            { field: 'data.mixed', type: 'string', coverage: 100 },
            { field: 'data.plan', type: 'string', coverage: 100 },
            { field: 'data.seats', type: 'number', coverage: 100 },
            { field: 'data.since', type: 'date', coverage: 66.67 },
            { field: 'data.tags', type: 'array', coverage: 33.33 },
            { field: 'data.vip', type: 'boolean', coverage: 33.33 },
          ],
          count: 14,
          total: 14,
        },
      })
    })

    it('of a project without contacts are the standard ones', async () => {
      const { body } = await test.ask('GET', '/contacts/fields', { key: DISABLED_SECRET })
      expect(body.count).toBe(7)
    })

    it('tell their different values, by their long name or the bare key', async () => {
      const answer = { field: 'data.plan', values: ['free', 'pro'], count: 2, limit: 100 }
      expect(await values('data.plan')).toMatchObject({ status: 200, body: answer })
      expect((await values('plan')).body).toEqual(answer)
      expect((await values('seats')).body.values).toEqual([5, 7, 'many'])
      expect((await values('vip')).body.values).toEqual([true])
      expect((await values('tags')).body.values).toEqual(['a'])
      expect((await values('subscribed')).body).toEqual({
        field: 'subscribed',
        values: [true, false],
        count: 2,
        limit: 100,
      })
      expect((await values('plan', '?limit=1')).body).toMatchObject({ count: 1, limit: 1 })
      expect((await values('plan', '?limit=200')).body.limit).toBe(200)
    })

    it('that nobody has have no values, also those of another project', async () => {
      for (const field of ['data.nothing', 'nothing', 'secret', 'data.', 'address.city']) {
        expect((await values(field)).body).toMatchObject({ values: [], count: 0 })
      }
    })

    it.each([
      ['email', ''],
      ['createdAt', ''],
      ['updatedAt', ''],
    ])('refuse the values of %s with 422 and say why', async (field) => {
      const answer = await values(field)
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { field: 'custom' })
      expect(answer.body.message).toContain('too many different values')
    })

    it.each([
      ['0', 'too_small'],
      ['201', 'too_big'],
      ['x', 'invalid_type'],
      ['', 'invalid_type'],
    ])('refuse limit=%s with 422', async (limit, code) => {
      expectEnvelope(await values('plan', `?limit=${limit}`), 422, 'VALIDATION_ERROR', { limit: code })
    })

    it.each(['%00', '%E0%A4%A', '%ED%A0%80'])('refuse %s, which is no text, with 422', async (path) => {
      const asked = [
        test.ask('GET', `/contacts/fields/${path}/values`),
        test.ask('GET', `/contacts/fields/${path}/usage`),
        test.ask('DELETE', `/contacts/fields/${path}`),
      ]
      for (const answer of await Promise.all(asked)) {
        expectEnvelope(answer, 422, 'VALIDATION_ERROR', { field: 'too_small' })
      }
    })

    it('tell by whom and by how many contacts they are used', async () => {
      const unused = { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [], usedInForms: [] }
      expect((await usage('data.plan')).body).toEqual({ ...unused, contactCount: 3, canDelete: true })
      expect((await usage('vip')).body).toEqual({ ...unused, contactCount: 1, canDelete: true })
      expect((await usage('data.nothing')).body).toEqual({ ...unused, contactCount: 0, canDelete: true })
      expect((await usage('email')).body).toEqual({ ...unused, contactCount: 3, canDelete: false })
    })

    it.each(['email', 'subscribed', 'createdAt', 'updatedAt'])('do not let go of %s: 422', async (field) => {
      expectEnvelope(await remove(field), 422, 'VALIDATION_ERROR', { field: 'custom' })
    })

    it.each(ODD_KEYS)('work with a key named %s', async (key) => {
      const made = await make('odd', { [key]: 'there', beside: 'kept' })
      const other = await make('odd2', { beside: 'kept' })
      const field = `data.${key}`
      expect(await fieldOf(field)).toMatchObject({ field, type: 'string' })
      expect((await values(field)).body).toMatchObject({ field, values: ['there'] })
      expect((await usage(field)).body).toMatchObject({ contactCount: 1, canDelete: true })
      expect(await remove(field)).toMatchObject({ status: 200, body: { deletedFrom: 1 } })
      expect(await fieldOf(field)).toBeUndefined()
      expect(await remove(field)).toMatchObject({ status: 200, body: { deletedFrom: 0 } })
      for (const { body } of [made, other]) {
        const left = (await test.ask('GET', `/contacts/${body.id}`)).body.data
        expect(left).toEqual({ beside: 'kept' })
      }
      for (const { body } of [made, other]) await test.ask('DELETE', `/contacts/${body.id}`)
    })

    it('are taken from every contact that has them, and from those of no other project', async () => {
      await make('ada', { shared: 1 })
      await make('bob', { shared: { deep: 'x' } })
      await make('theirs', { shared: 3 }, OTHER_SECRET)
      expect(await remove('shared')).toMatchObject({ status: 200, body: { deletedFrom: 2 } })
      const { body } = await test.ask('GET', '/contacts/fields', { key: OTHER_SECRET })
      expect(body.fields.at(-1)).toEqual({ field: 'data.shared', type: 'number', coverage: 100 })
    })

    it('are taken from more contacts than one batch has', async () => {
      const many = Array.from({ length: 401 }, (_, i) => make(`many${i}`, { wave: i }))
      const made = await Promise.all(many)
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
      expect((await usage('wave')).body.contactCount).toBe(401)
      expect(await values('wave', '?limit=200')).toMatchObject({ status: 200, body: { count: 200 } })
      expect(await remove('wave')).toMatchObject({ status: 200, body: { deletedFrom: 401 } })
      expect(await fieldOf('data.wave')).toBeUndefined()
      expect((await values('wave')).body.values).toEqual([])
    })

    it('win over the contact whose id would be "fields"', async () => {
      expect((await test.ask('GET', '/contacts/fields')).body.fields).toEqual(expect.any(Array))
      expectEnvelope(await test.ask('DELETE', '/contacts/fields'), 404, 'CONTACT_NOT_FOUND')
    })

    it('of a disabled project can be read, not deleted', async () => {
      const key = DISABLED_SECRET
      expectEnvelope(await remove('plan', key), 403, 'PROJECT_DISABLED')
      expect((await test.ask('GET', '/contacts/fields/plan/usage', { key })).status).toBe(200)
    })

    it('refuse public keys and none', async () => {
      expectEnvelope(await test.ask('GET', '/contacts/fields', { key: PUBLIC }), 403, 'FORBIDDEN')
      expectEnvelope(await test.ask('GET', '/contacts/fields', { key: null }), 401, 'MISSING_AUTH')
      expectEnvelope(await remove('plan', PUBLIC), 403, 'FORBIDDEN')
    })
  })
}
