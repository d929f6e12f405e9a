import { beforeAll, describe, expect, it } from 'vitest'
import {
  DISABLED_PUBLIC,
  DISABLED_SECRET,
  expectEnvelope,
  MAIL,
  OTHER_SECRET,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const EVENT = { email: 'ada@example.org', event: 'signed-up' }

for (const store of [STRICT]) {
  describe(`POST /v1/track on ${store.name}`, () => {
    let test: TestApp

    const track = (change: object = {}, key = SECRET, headers: Record<string, string> = {}) =>
      test.ask('POST', '/v1/track', { json: { ...EVENT, ...change }, key, headers })
    const contact = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body
    const events = async (id: string) => (await test.ask('GET', `/events/contact/${id}`)).body.events

    beforeAll(async () => {
      test = await testApp(store)
    })

    it('takes the contact by its address only; the other form is for /events/track', async () => {
      const json = { name: 'by-name', email: 'ada@example.org' }
      expectEnvelope(await test.ask('POST', '/v1/track', { json, key: PUBLIC }), 422, 'VALIDATION_ERROR', {
        event: 'required',
      })
    })

    it('records an event, makes the contact subscribed, and emits nothing else', async () => {
      const answer = await track({ email: 'new@example.org', data: { plan: 'pro' } })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        success: true,
        data: { contact: expect.any(String), event: expect.any(String), timestamp: expect.stringMatching(/^\d{4}-/) },
      })
      const { contact: id, event } = answer.body.data
      expect(await contact(id)).toMatchObject({ email: 'new@example.org', subscribed: true, data: { plan: 'pro' } })
      expect(await events(id)).toEqual([
        {
          id: event,
          name: 'signed-up',
          contactId: id,
          data: { plan: 'pro' },
          createdAt: expect.stringMatching(/Z$/),
          contact: { id, email: 'new@example.org' },
        },
      ])
    })

    it('is not idempotent by itself', async () => {
      const first = await track({ email: 'twice@example.org' })
      const second = await track({ email: 'twice@example.org' })
      expect(second.body.data.contact).toBe(first.body.data.contact)
      expect(second.body.data.event).not.toBe(first.body.data.event)
    })

    it('is idempotent with a key, and refuses the key for anything else', async () => {
      const headers = { 'idempotency-key': 'event-1' }
      const first = await track({ email: 'once@example.org' }, SECRET, headers)
      const second = await track({ email: 'once@example.org' }, SECRET, headers)
      expect(second.body).toEqual(first.body)
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expectEnvelope(await track({ event: 'other' }, SECRET, headers), 422, 'IDEMPOTENCY_KEY_REUSED')
      expectEnvelope(await track({}, SECRET, { 'idempotency-key': 'k'.repeat(256) }), 400, 'BAD_REQUEST')
    })

    it('keeps the idempotency keys of public and secret keys, and of each path, apart', async () => {
      const headers = { 'idempotency-key': 'order-1' }
      const byPublic = await track({}, PUBLIC, headers)
      const send = await test.ask('POST', '/v1/send', { json: MAIL, headers })
      const bySecret = await track({}, SECRET, headers)
      const other = await test.ask('POST', '/events/track', { json: EVENT, headers })
      const answers = [byPublic, send, bySecret, other]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, null, null, null])
      expect((await track({}, PUBLIC, headers)).body).toEqual(byPublic.body)
      expect((await track({}, SECRET, headers)).body).toEqual(bySecret.body)
    })

    it('refuses events of webhooks, and others that the engine makes, under a public key', async () => {
      for (const event of ['webhook.delivered', 'contact.created', 'form.attacked'])
        expectEnvelope(await track({ event }, PUBLIC), 422, 'VALIDATION_ERROR', { event: 'reserved_event' })
      expect((await track({ event: 'contact.viewed' }, PUBLIC)).status).toBe(200)
      expect((await track({ event: 'webhook.delivered' })).status).toBe(200)
    })

    it('stores data by the rules of the specification; the event keeps what the contact does not', async () => {
      const email = 'data@example.org'
      await track({ email, data: { gone: 1, kept: 'old' } })
      const data = {
        ...{ gone: null, kept: '', deep: { a: [1] }, id: 'no', email: 'no' },
        ...{ once: { value: 'x', persistent: false }, wrapped: { value: 7, persistent: true } },
      }
      const { body } = await track({ email, data })
      expect((await contact(body.data.contact)).data).toEqual({ kept: 'old', deep: { a: [1] }, wrapped: 7 })
      const [event] = await events(body.data.contact)
      expect(event.data).toEqual({ gone: null, kept: '', deep: { a: [1] }, once: 'x', wrapped: 7 })
    })

    it('changes the subscription with a secret key both ways, with an event each', async () => {
      const email = 'flip@example.org'
      const { body } = await track({ email, subscribed: false })
      const { contact: id } = body.data
      const names = async () => (await events(id)).map(({ name }: { name: string }) => name)
      expect((await contact(id)).subscribed).toBe(false)
      expect(await names()).toEqual(['signed-up'])
      await track({ email, subscribed: true })
      expect((await contact(id)).subscribed).toBe(true)
      await track({ email })
      expect((await contact(id)).subscribed).toBe(true)
      await track({ email, subscribed: false })
      expect((await contact(id)).subscribed).toBe(false)
      expect((await names()).filter((name: string) => name.startsWith('contact.'))).toEqual([
        'contact.unsubscribed',
        'contact.subscribed',
      ])
    })

    it('with a public key ends a subscription but never begins one', async () => {
      const email = 'public@example.org'
      const { body } = await track({ email }, PUBLIC)
      const { contact: id } = body.data
      expect((await contact(id)).subscribed).toBe(true)
      await track({ email, subscribed: false }, PUBLIC)
      expect((await contact(id)).subscribed).toBe(false)
      const ignored = await track({ email, subscribed: true }, PUBLIC)
      expect(ignored.status).toBe(200)
      expect((await contact(id)).subscribed).toBe(false)
    })

    describe('refuses with 422 and stores nothing', () => {
      const cases: [what: string, change: object, fields: Record<string, string>][] = [
        ['no address', { email: undefined }, { email: 'required' }],
        ['a bad address', { email: 'nobody' }, { email: 'invalid_string' }],
        ['an address that is no string', { email: { email: 'a@b.example' } }, { email: 'invalid_type' }],
        ['no event', { event: undefined }, { event: 'required' }],
        ['an empty event', { event: '' }, { event: 'too_small' }],
        ['an event of 256 characters', { event: 'e'.repeat(256) }, { event: 'too_big' }],
        ['an event that is no string', { event: 7 }, { event: 'invalid_type' }],
        ['subscribed that is no boolean', { subscribed: 'true' }, { subscribed: 'invalid_type' }],
        ['data that is text', { data: 'x' }, { data: 'invalid_type' }],
        ['data that is a list', { data: [] }, { data: 'invalid_type' }],
        ...[
          'email.sent',
          'email.anything',
          'contact.subscribed',
          'contact.unsubscribed',
          'segment.vip.entry',
          'segment.vip.exit',
        ].map((event): [string, object, Record<string, string>] => [
          `the reserved name ${event}`,
          { event },
          { event: 'reserved_event' },
        ]),
      ]
      it.each(cases)('%s', async (_what, change, fields) => {
        const own = await test.counts()
        expectEnvelope(await track({ email: 'refused@example.org', ...change }), 422, 'VALIDATION_ERROR', fields)
        expect(await test.counts()).toEqual(own)
      })
    })

    it('takes names that only look reserved', async () => {
      for (const event of ['emailed', 'contact.created', 'segment.entry', 'segments.vip.entry', 'a.email.sent']) {
        expect({ event, status: (await track({ event })).status }).toEqual({ event, status: 200 })
      }
    })

    it('refuses a disabled project with 403 for either key', async () => {
      for (const key of [DISABLED_SECRET, DISABLED_PUBLIC])
        expectEnvelope(await track({}, key), 403, 'PROJECT_DISABLED')
      expect(await test.counts(DISABLED_SECRET)).toEqual({ contacts: 0, emails: 0, events: 0 })
    })

    it('answers 400 and 401 as envelopes', async () => {
      const raw = { raw: '{', headers: { 'content-type': 'application/json' } }
      expectEnvelope(await test.ask('POST', '/v1/track', raw), 400, 'INVALID_JSON')
      expectEnvelope(await test.ask('POST', '/v1/track', { json: EVENT, key: null }), 401, 'MISSING_AUTH')
      expectEnvelope(await test.ask('POST', '/v1/track', { json: EVENT, key: 'pk_wrong' }), 401, 'INVALID_API_KEY')
    })
  })

  describe(`the events of a project on ${store.name}`, () => {
    let test: TestApp
    let ada: string

    beforeAll(async () => {
      test = await testApp(store)
      const made = await test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event: 'a' } })
      ada = made.body.data.contact
      for (const event of ['b', 'c', 'b', 'b', 'c']) {
        await test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event } })
      }
      await test.ask('POST', '/v1/track', { json: { email: 'bob@example.org', event: 'b' } })
    })

    it('POST /events/track is the same under another name', async () => {
      const own = await testApp(store)
      const { status, body } = await own.ask('POST', '/events/track', { json: EVENT })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { success: true, data: { event: expect.any(String) } },
      })
      const byId = await own.ask('POST', '/events/track', { json: { name: 'by-id', contactId: body.data.contact } })
      expect(byId.body.data.contact).toBe(body.data.contact)
      const byEmail = await own.ask('POST', '/events/track', { json: { name: 'by-mail', email: EVENT.email } })
      expect(byEmail.body.data.contact).toBe(body.data.contact)
      expect((await own.ask('GET', '/events/names')).body.eventNames.toSorted()).toEqual([
        'by-id',
        'by-mail',
        'signed-up',
      ])
    })

    it('POST /events/track refuses public keys, unknown contacts and what is incomplete', async () => {
      const ask = (json: object, key = SECRET) => test.ask('POST', '/events/track', { json, key })
      expectEnvelope(await ask(EVENT, PUBLIC), 403, 'FORBIDDEN')
      expectEnvelope(await ask({ name: 'x', contactId: 'nobody' }), 404, 'CONTACT_NOT_FOUND')
      expectEnvelope(await ask({ name: 'x', contactId: ada }, OTHER_SECRET), 404, 'CONTACT_NOT_FOUND')
      expectEnvelope(await ask({ name: 'x' }), 422, 'VALIDATION_ERROR', { contactId: 'required' })
      expectEnvelope(await ask({ name: 'email.open', contactId: ada }), 422, 'VALIDATION_ERROR', {
        name: 'reserved_event',
      })
      expectEnvelope(await ask({ name: 'x', contactId: 5 }), 422, 'VALIDATION_ERROR', { contactId: 'invalid_type' })
    })

    it('GET /events lists them newest first with their contacts, page by page', async () => {
      const seen: string[] = []
      let cursor = ''
      for (let page = 0; page < 4; page++) {
        const { body } = await test.ask('GET', `/events?limit=2${cursor && `&cursor=${cursor}`}`)
        for (const { name, contact } of body.events) seen.push(`${name} ${contact.email}`)
        expect(body.hasMore).toBe(page < 3)
        expect(body.cursor === null).toBe(page === 3)
        cursor = body.cursor
      }
      const ofAda = ['c', 'b', 'b', 'c', 'b', 'a'].map((name) => `${name} ada@example.org`)
      expect(seen).toEqual(['b bob@example.org', ...ofAda])
    })

    it('GET /events picks one name', async () => {
      const { body } = await test.ask('GET', '/events?eventName=c')
      expect(body.events.map(({ name }: { name: string }) => name)).toEqual(['c', 'c'])
      expect((await test.ask('GET', '/events?eventName=none')).body).toEqual({
        events: [],
        cursor: null,
        hasMore: false,
      })
    })

    it('GET /events/contact lists those of one contact and knows no foreign ones', async () => {
      const { body } = await test.ask('GET', `/events/contact/${ada}?limit=4`)
      expect(body.events.map(({ name }: { name: string }) => name)).toEqual(['c', 'b', 'b', 'c'])
      const rest = await test.ask('GET', `/events/contact/${ada}?limit=4&cursor=${body.cursor}`)
      expect(rest.body.events.map(({ name }: { name: string }) => name)).toEqual(['b', 'a'])
      expectEnvelope(await test.ask('GET', '/events/contact/nobody'), 404, 'CONTACT_NOT_FOUND')
      expectEnvelope(await test.ask('GET', `/events/contact/${ada}`, { key: OTHER_SECRET }), 404, 'CONTACT_NOT_FOUND')
    })

    it('GET /events/stats and /events/names count by name, most frequent first', async () => {
      const { body } = await test.ask('GET', '/events/stats')
      expect(body.map(({ name, count }: { name: string; count: number }) => [name, count])).toEqual([
        ['b', 4],
        ['c', 2],
        ['a', 1],
      ])
      for (const { lastAt } of body) expect(lastAt).toMatch(/^\d{4}-.*Z$/)
      expect((await test.ask('GET', '/events/names')).body).toEqual({ eventNames: ['b', 'c', 'a'] })
      expect((await test.ask('GET', '/events/stats?endDate=2020-01-01')).body).toEqual([])
      expect((await test.ask('GET', '/events/names', { key: OTHER_SECRET })).body).toEqual({ eventNames: [] })
    })

    it.each([
      ['/events?limit=0', 'limit', 'too_small'],
      ['/events?limit=101', 'limit', 'too_big'],
      ['/events?limit=ten', 'limit', 'invalid_type'],
      ['/events?limit=1.5', 'limit', 'invalid_type'],
      ['/events?limit=', 'limit', 'invalid_type'],
      ['/events/stats?startDate=yesterday', 'startDate', 'invalid_date'],
      ['/events/stats?endDate=2026-13-45', 'endDate', 'invalid_date'],
    ])('%s is refused with 422', async (path, field, code) => {
      expectEnvelope(await test.ask('GET', path), 422, 'VALIDATION_ERROR', { [field]: code })
    })

    it('a cursor that is damaged or of another list is 400', async () => {
      const { body } = await test.ask('GET', '/events?limit=1')
      const ofContacts = (await test.ask('GET', '/contacts?limit=1')).body.cursor
      for (const cursor of ['x', '', body.cursor.slice(0, -1), body.cursor.slice(1), ofContacts]) {
        expectEnvelope(await test.ask('GET', `/events?cursor=${cursor}`), 400, 'BAD_REQUEST')
      }
      expectEnvelope(await test.ask('GET', `/events?eventName=b&cursor=${body.cursor}`), 400, 'BAD_REQUEST')
    })
  })
}
