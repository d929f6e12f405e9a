import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  DISABLED_SECRET,
  expectEnvelope,
  OTHER_SECRET,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const emails = ({ body }: Answer): string[] => body.data.map(({ email }: { email: string }) => email)

for (const store of [STRICT]) {
  describe(`contacts on ${store.name}`, () => {
    let test: TestApp
    const make = (json: object, key = SECRET) => test.ask('POST', '/contacts', { json, key })
    const events = async (id: string) => {
      const { body } = await test.ask('GET', `/events/contact/${id}`)
      return body.events.map(({ name }: { name: string }) => name)
    }

    beforeAll(async () => {
      test = await testApp(store)
    })

    describe('POST /contacts', () => {
      it('makes a contact, subscribed unless told otherwise, with 201', async () => {
        const { status, body } = await make({ email: ' New@Example.ORG ', data: { plan: 'pro', id: 'no', empty: '' } })
        expect({ status, body }).toEqual({
          status: 201,
          body: {
            id: expect.any(String),
            email: 'new@example.org',
            subscribed: true,
            tracking: 'full',
            data: { plan: 'pro' },
            createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            updatedAt: body.createdAt,
            _meta: { isNew: true, isUpdate: false },
          },
        })
        expect((await make({ email: 'not@example.org', subscribed: false })).body.subscribed).toBe(false)
        expect(await events(body.id)).toEqual([])
      })

      it('changes the contact of a known address with 200: data by key, subscribed only when given', async () => {
        const first = await make({ email: 'up@example.org', subscribed: false, data: { a: 1, b: 2 } })
        const second = await make({ email: 'UP@example.org', data: { b: null, c: 3, a: '' } })
        expect(second.status).toBe(200)
        expect(second.body).toMatchObject({ id: first.body.id, subscribed: false, data: { a: 1, c: 3 } })
        expect(second.body.data).not.toHaveProperty('b')
        expect(second.body._meta).toEqual({ isNew: false, isUpdate: true })
        const third = await make({ email: 'up@example.org', subscribed: true })
        expect(third.body.subscribed).toBe(true)
        expect(await events(first.body.id)).toEqual(['contact.subscribed'])
      })

      it('sets how much mail the contact wants, and warns of no key of it', async () => {
        const pausedUntil = '2030-01-01T00:00:00.000Z'
        const first = await make({ email: 'less@example.org', everyDays: 366, pausedUntil })
        expect(first).toMatchObject({ status: 201, body: { everyDays: 366, pausedUntil } })
        expect(first.headers.get('mailwright-warning')).toBeNull()
        const { body } = await make({ email: 'less@example.org', everyDays: null })
        expect(body.pausedUntil).toBe(pausedUntil)
        expect(body).not.toHaveProperty('everyDays')
        const wrong = await make({ email: 'less@example.org', everyDays: 367, pausedUntil: 'soon' })
        expectEnvelope(wrong, 422, 'VALIDATION_ERROR', { everyDays: 'too_big', pausedUntil: 'invalid_date' })
      })

      it('makes one contact when the same address comes twenty times at once', async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => make({ email: 'race@example.org' })))
        expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
        expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      })

      it.each([
        ['no address', {}, { email: 'required' }],
        ['a bad address', { email: 'x' }, { email: 'invalid_string' }],
        ['null as address', { email: null }, { email: 'invalid_type' }],
        ['subscribed as text', { email: 'r@example.org', subscribed: 'no' }, { subscribed: 'invalid_type' }],
        ['data as list', { email: 'r@example.org', data: [] }, { data: 'invalid_type' }],
        ['NUL in data', { email: 'r@example.org', data: { a: 'x\0y' } }, { 'data.a': 'invalid_string' }],
        ['NUL in a key', { email: 'r@example.org', data: { 'a\0': 1 } }, { data: 'invalid_string' }],
        [
          'half a surrogate pair',
          { email: 'r@example.org', data: { a: ['\ud800'] } },
          { 'data.a.0': 'invalid_string' },
        ],
      ])('refuses %s with 422 and stores nothing', async (_what, json, fields) => {
        const before = await test.counts()
        expectEnvelope(await make(json), 422, 'VALIDATION_ERROR', fields)
        expect(await test.counts()).toEqual(before)
      })

      it('refuses data nested deeper than 64 levels with 422', async () => {
        const deep = (n: number): unknown => (n === 0 ? 1 : { a: deep(n - 1) })
        expectEnvelope(await make({ email: 'r@example.org', data: deep(80) }), 422, 'VALIDATION_ERROR')
        expect((await make({ email: 'deep@example.org', data: deep(40) })).status).toBe(201)
      })

      it('stores nothing it was not asked to: ids, dates and projects of the body are ignored', async () => {
        const evil = {
          id: UNKNOWN_ID,
          projectId: UNKNOWN_ID,
          createdAt: '2001-01-01T00:00:00Z',
          _meta: { isNew: false },
        }
        const { status, body } = await make({ email: 'mass@example.org', ...evil })
        expect(status).toBe(201)
        expect(body.id).not.toBe(UNKNOWN_ID)
        expect(body.createdAt).not.toMatch(/^2001/)
        expect(Object.keys(body).toSorted()).toEqual(
          ['_meta', 'createdAt', 'data', 'email', 'id', 'subscribed', 'tracking', 'updatedAt'].toSorted(),
        )
      })
    })

    describe('GET, PATCH and DELETE /contacts/{id}', () => {
      it('get the contact without _meta', async () => {
        const { body } = await make({ email: 'get@example.org' })
        const { _meta, ...contact } = body
        const found = await test.ask('GET', `/contacts/${body.id}`)
        expect({ status: found.status, body: found.body }).toEqual({ status: 200, body: contact })
      })

      it('change address, subscription and data, with an event when the subscription flips', async () => {
        const { body } = await make({ email: 'patch@example.org', data: { a: 1, b: 2, c: 3 } })
        const change = (json: object) => test.ask('PATCH', `/contacts/${body.id}`, { json })
        const changed = await change({ email: 'Patched@example.org', data: { a: null, b: '', d: [1], manageUrl: 'x' } })
        expect(changed.status).toBe(200)
        expect(changed.body).toMatchObject({ id: body.id, email: 'patched@example.org', subscribed: true })
        expect(changed.body.data).toEqual({ b: 2, c: 3, d: [1] })
        expect(await events(body.id)).toEqual([])
        await change({ subscribed: true })
        expect(await events(body.id)).toEqual([])
        expect((await change({ subscribed: false })).body.subscribed).toBe(false)
        expect((await change({ subscribed: true })).body.subscribed).toBe(true)
        expect(await events(body.id)).toEqual(['contact.subscribed', 'contact.unsubscribed'])
        expect((await change({})).status).toBe(200)
      })

      it('refuse the address of another contact with 409 and change nothing', async () => {
        await make({ email: 'taken@example.org' })
        const { body } = await make({ email: 'wants@example.org' })
        const json = { email: 'TAKEN@example.org', subscribed: false, data: { a: 1 } }
        expectEnvelope(await test.ask('PATCH', `/contacts/${body.id}`, { json }), 409, 'CONFLICT')
        expect((await test.ask('GET', `/contacts/${body.id}`)).body).toMatchObject({
          email: 'wants@example.org',
          subscribed: true,
          data: {},
        })
        const own = await test.ask('PATCH', `/contacts/${body.id}`, { json: { email: 'Wants@example.org' } })
        expect(own.status).toBe(200)
      })

      it('delete it for good, with 204 and no body', async () => {
        const { body } = await make({ email: 'gone@example.org' })
        await test.ask('PATCH', `/contacts/${body.id}`, { json: { subscribed: false } })
        const gone = await test.ask('DELETE', `/contacts/${body.id}`)
        expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
        expect(gone.headers.get('content-type')).toBeNull()
        expectEnvelope(await test.ask('DELETE', `/contacts/${body.id}`), 404, 'CONTACT_NOT_FOUND')
        expectEnvelope(await test.ask('GET', `/contacts/${body.id}`), 404, 'CONTACT_NOT_FOUND')
        expectEnvelope(await test.ask('GET', `/events/contact/${body.id}`), 404, 'CONTACT_NOT_FOUND')
        expect((await make({ email: 'gone@example.org' })).status).toBe(201)
      })

      it.each([
        ['an unknown id', UNKNOWN_ID],
        ['no id', 'ada'],
        ['an id in capitals', UNKNOWN_ID.toUpperCase()],
        ['an address', 'ada%40example.org'],
        ['what SQL is made of', "'%20OR%201=1--"],
        ['NUL', '%00'],
        ['a path upwards', '..%2F..%2Fetc%2Fpasswd'],
        ['broken escapes', '%ZZ'],
        ['escapes that are no UTF-8', '%ff'],
        ['a very long text', 'x'.repeat(5000)],
      ])('answer 404 for %s', async (_what, id) => {
        expectEnvelope(await test.ask('GET', `/contacts/${id}`), 404, 'CONTACT_NOT_FOUND')
        expectEnvelope(
          await test.ask('PATCH', `/contacts/${id}`, { json: { subscribed: true } }),
          404,
          'CONTACT_NOT_FOUND',
        )
        expectEnvelope(await test.ask('DELETE', `/contacts/${id}`), 404, 'CONTACT_NOT_FOUND')
      })

      it('answer 404 for the contact of another project and leave it alone', async () => {
        const { body } = await make({ email: 'mine@example.org' })
        const key = OTHER_SECRET
        expectEnvelope(await test.ask('GET', `/contacts/${body.id}`, { key }), 404, 'CONTACT_NOT_FOUND')
        const json = { email: 'stolen@example.org' }
        expectEnvelope(await test.ask('PATCH', `/contacts/${body.id}`, { key, json }), 404, 'CONTACT_NOT_FOUND')
        expectEnvelope(await test.ask('DELETE', `/contacts/${body.id}`, { key }), 404, 'CONTACT_NOT_FOUND')
        expect((await test.ask('GET', `/contacts/${body.id}`)).body.email).toBe('mine@example.org')
      })

      it.each([
        ['a bad address', { email: 'x' }, { email: 'invalid_string' }],
        ['subscribed as number', { subscribed: 1 }, { subscribed: 'invalid_type' }],
        ['data as text', { data: 'x' }, { data: 'invalid_type' }],
        ['NUL in data', { data: { a: { b: '\0' } } }, { 'data.a.b': 'invalid_string' }],
      ])('refuse %s with 422', async (_what, json, fields) => {
        const { body } = await make({ email: 'same@example.org' })
        expectEnvelope(await test.ask('PATCH', `/contacts/${body.id}`, { json }), 422, 'VALIDATION_ERROR', fields)
        expect((await test.ask('GET', `/contacts/${body.id}`)).body.updatedAt).toBe(body.updatedAt)
      })
    })

    describe('GET /contacts', () => {
      let own: TestApp
      const list = (query = '') => own.ask('GET', `/contacts${query}`)

      beforeAll(async () => {
        own = await testApp(store)
        for (const [email, subscribed] of [
          ['b@one.example', true],
          ['A@two.example', false],
          ['c_d@one.example', true],
          ['cxd@three.example', false],
          ['100%@one.example', true],
        ] as const) {
          await own.ask('POST', '/contacts', { json: { email, subscribed } })
        }
      })

      it('lists newest first; the total is on the first page only; the last page has no cursor', async () => {
        const first = await list('?limit=2')
        expect(first.body).toEqual({ data: expect.any(Array), cursor: expect.any(String), hasMore: true, total: 5 })
        expect(Object.keys(first.body.data[0]).toSorted()).toEqual([
          'createdAt',
          'data',
          'email',
          'id',
          'subscribed',
          'tracking',
          'updatedAt',
        ])
        const second = await list(`?limit=2&cursor=${first.body.cursor}`)
        expect(second.body).toMatchObject({ hasMore: true, total: 0 })
        const third = await list(`?limit=2&cursor=${second.body.cursor}`)
        expect(third.body).toMatchObject({ hasMore: false, total: 0, cursor: null })
        expect([first, second, third].flatMap(emails)).toEqual([
          '100%@one.example',
          'cxd@three.example',
          'c_d@one.example',
          'a@two.example',
          'b@one.example',
        ])
      })

      it('skips and repeats nothing while contacts are added', async () => {
        const growing = await testApp(store)
        const add = (i: number) => growing.ask('POST', '/contacts', { json: { email: `c${i}@example.org` } })
        for (let i = 0; i < 6; i++) await add(i)
        const seen: string[] = []
        let query = '?limit=2'
        for (let i = 6; query !== ''; i++) {
          const page = await growing.ask('GET', `/contacts${query}`)
          seen.push(...emails(page))
          await add(i)
          query = page.body.hasMore ? `?limit=2&cursor=${page.body.cursor}` : ''
        }
        expect(seen).toEqual([5, 4, 3, 2, 1, 0].map((i) => `c${i}@example.org`))
      })

      it('sorts by address', async () => {
        const up = await list('?sort=email&limit=3')
        const rest = await list(`?sort=email&limit=3&cursor=${up.body.cursor}`)
        const sorted = ['100%@one.example', 'a@two.example', 'b@one.example', 'c_d@one.example', 'cxd@three.example']
        expect([...emails(up), ...emails(rest)]).toEqual(sorted)
        expect(emails(await list('?sort=email&dir=desc'))).toEqual(sorted.toReversed())
      })

      it('searches parts of addresses as they are, without wildcards or case', async () => {
        expect(emails(await list('?search=ONE.example'))).toHaveLength(3)
        expect(emails(await list('?search=c_d'))).toEqual(['c_d@one.example'])
        expect(emails(await list('?search=%25'))).toEqual(['100%@one.example'])
        expect(emails(await list('?search=nobody'))).toEqual([])
        expect((await list('?search=one&limit=1')).body.total).toBe(3)
      })

      it('counts apart from the page, which does not wait for it then', async () => {
        const filter = (field: string, value: string) =>
          encodeURIComponent(JSON.stringify({ operator: 'AND', conditions: [{ field, operator: 'contains', value }] }))
        for (const query of ['', '&search=one', '&subscribed=false', `&filter=${filter('email', 'two')}`]) {
          const { total } = (await list(`?limit=1${query}`)).body
          const { data, ...page } = (await list(`?limit=1&total=false${query}`)).body
          expect([total > 0, data.length, page]).toEqual([
            true,
            1,
            { total: 0, hasMore: total > 1, cursor: page.cursor },
          ])
          expect((await list(`/count?${query.slice(1)}`)).body).toEqual({ count: total })
        }
        const wrong = await list('?total=no')
        expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'total'])
      })

      it('picks by subscription', async () => {
        expect(emails(await list('?subscribed=false'))).toEqual(['cxd@three.example', 'a@two.example'])
        expect(emails(await list('?subscribed=true'))).toHaveLength(3)
      })

      it('takes the last of repeated parameters', async () => {
        expect((await list('?limit=1&limit=2')).body.data).toHaveLength(2)
        expectEnvelope(await list('?limit=2&limit=x'), 422, 'VALIDATION_ERROR', { limit: 'invalid_type' })
      })

      it.each([
        ['?limit=0', { limit: 'too_small' }],
        ['?limit=101', { limit: 'too_big' }],
        ['?limit=-1', { limit: 'too_small' }],
        ['?limit=1e1', { limit: 'invalid_type' }],
        ['?limit=99999999999', { limit: 'invalid_type' }],
        ['?sort=id', { sort: 'invalid_enum_value' }],
        ['?dir=up', { dir: 'invalid_enum_value' }],
        ['?subscribed=maybe', { subscribed: expect.any(String) }],
        [`?search=${'x'.repeat(256)}`, { search: 'too_big' }],
        ['?search=%00', { search: 'invalid_string' }],
      ])('refuses %s with 422', async (query, fields) => {
        expectEnvelope(await list(query), 422, 'VALIDATION_ERROR', fields)
      })

      it('takes the id of a contact as a cursor, unless the list is ordered by addresses', async () => {
        for (const dir of ['desc', 'asc']) {
          const { data } = (await list(`?dir=${dir}`)).body
          const after = await list(`?dir=${dir}&limit=2&cursor=${data[1].id}`)
          expect(after.body).toMatchObject({ data: data.slice(2, 4), hasMore: true })
        }
        const { data } = (await list('?limit=1')).body
        expectEnvelope(await list(`?sort=email&cursor=${data[0].id}`), 400, 'BAD_REQUEST')
      })

      it('refuses a cursor of another project with 400, as numbered lists do', async () => {
        const template = { name: 'A', subject: 'A', body: 'A', type: 'TRANSACTIONAL' }
        for (const path of ['/contacts', '/templates']) {
          for (const key of [SECRET, OTHER_SECRET]) {
            for (const email of ['one@cursor.example', 'two@cursor.example'])
              expect((await test.ask('POST', path, { key, json: { ...template, email } })).status).toBe(201)
          }
          const { cursor } = (await test.ask('GET', `${path}?limit=1`)).body
          expect((await test.ask('GET', `${path}?limit=1&cursor=${cursor}`)).status).toBe(200)
          const foreign = await test.ask('GET', `${path}?limit=1&cursor=${cursor}`, { key: OTHER_SECRET })
          expectEnvelope(foreign, 400, 'BAD_REQUEST')
        }
      })

      it('refuses a cursor that is damaged, forged or of another order with 400', async () => {
        const { body } = await list('?limit=1')
        const [project] = JSON.parse(Buffer.from(body.cursor, 'base64url').toString())
        const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
        for (const cursor of [
          'x',
          `${body.cursor}AA`,
          `${body.cursor}!`,
          '%00',
          forged(['contacts:createdAt:desc']),
          forged({}),
          forged([project, 'contacts:createdAt:desc', '', "' OR 1=1"]),
        ]) {
          expectEnvelope(await list(`?cursor=${cursor}`), 400, 'BAD_REQUEST')
        }
        expectEnvelope(await list(`?sort=email&cursor=${body.cursor}`), 400, 'BAD_REQUEST')
      })

      it('shows a project its own contacts only', async () => {
        expect((await own.ask('GET', '/contacts', { key: OTHER_SECRET })).body).toEqual({
          data: [],
          cursor: null,
          hasMore: false,
          total: 0,
        })
      })
    })

    it('refuse writes of a disabled project with 403 but let it read', async () => {
      const key = DISABLED_SECRET
      expectEnvelope(await make({ email: 'a@example.org' }, key), 403, 'PROJECT_DISABLED')
      const json = { subscribed: true }
      expectEnvelope(await test.ask('PATCH', `/contacts/${UNKNOWN_ID}`, { key, json }), 403, 'PROJECT_DISABLED')
      expectEnvelope(await test.ask('DELETE', `/contacts/${UNKNOWN_ID}`, { key }), 403, 'PROJECT_DISABLED')
      expect((await test.ask('GET', '/contacts', { key })).status).toBe(200)
    })

    it('refuse public keys with 403', async () => {
      for (const [method, path] of [
        ['GET', '/contacts'],
        ['POST', '/contacts'],
        ['GET', `/contacts/${UNKNOWN_ID}`],
        ['PATCH', `/contacts/${UNKNOWN_ID}`],
        ['DELETE', `/contacts/${UNKNOWN_ID}`],
      ] as const) {
        expectEnvelope(await test.ask(method, path, { key: PUBLIC }), 403, 'FORBIDDEN')
      }
    })
  })
}
