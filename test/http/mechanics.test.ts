import { beforeAll, describe, expect, it } from 'vitest'
import { type GivenSettings } from '../../config/library.ts'
import { EngineError } from '../../core/errors.ts'
import { createApp } from '../../server/index.ts'
import { askApp, expectEnvelope, expectFlat, MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { STORES } from '../support/matrix.ts'

const ID = '01900000-0000-7000-8000-000000000000'
const JSON_TYPE = { 'content-type': 'application/json' }

/** Every endpoint for callers with a key, with a path that matches it. */
const ENDPOINTS = [
  ['POST', '/v1/send'],
  ['POST', '/v1/track'],
  ['GET', '/contacts'],
  ['POST', '/contacts'],
  ['GET', `/contacts/${ID}`],
  ['PATCH', `/contacts/${ID}`],
  ['DELETE', `/contacts/${ID}`],
  ['GET', '/templates'],
  ['POST', '/templates'],
  ['GET', `/templates/${ID}`],
  ['PATCH', `/templates/${ID}`],
  ['DELETE', `/templates/${ID}`],
  ['POST', `/templates/${ID}/duplicate`],
  ['GET', `/templates/${ID}/usage`],
  ['POST', '/events/track'],
  ['GET', '/events'],
  ['GET', '/events/stats'],
  ['GET', `/events/contact/${ID}`],
  ['GET', '/events/names'],
  ['GET', '/emails'],
  ['GET', `/emails/${ID}`],
  ['GET', '/suppressions'],
  ['POST', '/suppressions'],
  ['DELETE', `/suppressions/${ID}`],
] as const
const WITH_BODY = ENDPOINTS.filter(
  ([method, path]) => (method === 'POST' || method === 'PATCH') && !path.endsWith('/duplicate'),
)

for (const store of STORES) {
  describe(`every endpoint on ${store.name}`, () => {
    let test: TestApp

    beforeAll(async () => {
      test = await testApp(store)
    })

    it.each(ENDPOINTS)('%s %s needs a key', async (method, path) => {
      const json = method === 'GET' || method === 'DELETE' ? {} : { json: MAIL }
      const expect401 = (answer: Parameters<typeof expectFlat>[0], code: string) => {
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
        expect(answer.headers.get('ratelimit-limit')).toBeNull()
        if (path === '/v1/send') expectFlat(answer, 401)
        else expectEnvelope(answer, 401, code)
      }
      expect401(await test.ask(method, path, { ...json, key: null }), 'MISSING_AUTH')
      for (const authorization of ['', 'Bearer', 'Bearer  ', `Basic ${SECRET}`, SECRET, `Token ${SECRET}`]) {
        expect401(await test.ask(method, path, { ...json, headers: { authorization } }), 'MISSING_AUTH')
      }
      for (const key of [
        `sk_${'x'.repeat(48)}`,
        `${SECRET}x`,
        SECRET.toUpperCase(),
        'null',
        "' OR 1=1 --",
        'k'.repeat(5000),
      ]) {
        expect401(await test.ask(method, path, { ...json, key }), 'INVALID_API_KEY')
      }
    })

    it('takes the scheme in any letter case', async () => {
      const answer = await test.ask('GET', '/contacts', { headers: { authorization: `bearer   ${SECRET}` } })
      expect(answer.status).toBe(200)
    })

    it.each(ENDPOINTS.filter(([, path]) => path !== '/v1/track'))('%s %s refuses public keys', async (method, path) => {
      expectEnvelope(await test.ask(method, path, { key: PUBLIC }), 403, 'FORBIDDEN')
    })

    it.each(WITH_BODY)('%s %s refuses bodies that are no JSON with 400', async (method, path) => {
      const bad = [
        '',
        ' ',
        '{',
        '{"a":}',
        'undefined',
        "{'a':1}",
        '{"a":1}}',
        'to=a@b.example',
        '\ufeff',
        'NaN',
        '[1,]',
      ]
      const invalid: Uint8Array[] = [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), new Uint8Array([0x22, 0xc3, 0x22])]
      for (const raw of [...bad, ...invalid] as (string | Uint8Array<ArrayBuffer>)[]) {
        const answer = await test.ask(method, path, { raw, headers: JSON_TYPE })
        if (path === '/v1/send') expectFlat(answer, 400)
        else expectEnvelope(answer, 400, 'INVALID_JSON')
      }
    })

    it.each(WITH_BODY)('%s %s refuses JSON that is no object with 422', async (method, path) => {
      for (const raw of ['null', '[]', '"x"', '1', 'true', '[{}]', '0', '""']) {
        const answer = await test.ask(method, path, { raw, headers: JSON_TYPE })
        const code = path.endsWith(ID) && method === 'PATCH' ? answer.body.error.code : 'VALIDATION_ERROR'
        expectEnvelope(answer, code === 'VALIDATION_ERROR' ? 422 : 404, code)
      }
    })

    it.each(WITH_BODY)('%s %s takes JSON by its content type alone', async (method, path) => {
      const right = ['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json ;x=y']
      const wrong = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'application/vnd.api+json',
        'json',
        'application/json/x',
      ]
      for (const type of right) {
        const answer = await test.ask(method, path, { raw: '{}', headers: { 'content-type': type } })
        expect({ type, status: answer.status }).not.toEqual({ type, status: 415 })
      }
      const none = await test.ask(method, path, { raw: new Uint8Array(Buffer.from('{}')) })
      expect(none.status).not.toBe(415)
      for (const type of wrong) {
        const answer = await test.ask(method, path, { raw: '{}', headers: { 'content-type': type } })
        expectEnvelope(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      }
    })

    it('reads a body behind a byte order mark', async () => {
      const json = '\ufeff{"email":"bom@example.org"}'
      expect((await test.ask('POST', '/contacts', { raw: json, headers: JSON_TYPE })).status).toBe(201)
    })
  })

  describe(`the size of a body on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
    })
    const MB = 1024 * 1024
    /** A body of so many bytes without a Content-Length, in pieces; counts what was taken of it. */
    const stream = (bytes: number) => {
      const piece = new Uint8Array(64 * 1024).fill(0x20)
      const taken = { bytes: 0 }
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (taken.bytes >= bytes) return controller.close()
          const size = Math.min(piece.length, bytes - taken.bytes)
          taken.bytes += size
          controller.enqueue(piece.subarray(0, size))
        },
      })
      return { body, taken }
    }

    it.each(WITH_BODY.filter(([, path]) => path !== '/v1/send'))('%s %s is at most 1 MB', async (method, path) => {
      const whole = `{"a":"${'x'.repeat(MB - 8)}"}`
      const right = await test.ask(method, path, { raw: whole, headers: JSON_TYPE })
      expect(right.status).not.toBe(413)
      const over = await test.ask(method, path, { raw: `${whole} `, headers: JSON_TYPE })
      expectEnvelope(over, 413, 'PAYLOAD_TOO_LARGE')
      const { body, taken } = stream(5 * MB)
      expectEnvelope(await test.ask(method, path, { raw: body, headers: JSON_TYPE }), 413, 'PAYLOAD_TOO_LARGE')
      expect(taken.bytes).toBeLessThan(2 * MB)
    })

    it('POST /v1/send is at most 50 MB', async () => {
      const { body, taken } = stream(60 * MB)
      expectEnvelope(await test.ask('POST', '/v1/send', { raw: body, headers: JSON_TYPE }), 413, 'PAYLOAD_TOO_LARGE')
      expect(taken.bytes).toBeLessThan(51 * MB)
    })

    it('is told by Content-Length before anything is read', async () => {
      const { body, taken } = stream(100)
      const headers = { ...JSON_TYPE, 'content-length': String(50 * MB + 1) }
      expectEnvelope(await test.ask('POST', '/v1/send', { raw: body, headers }), 413, 'PAYLOAD_TOO_LARGE')
      expect(taken.bytes).toBeLessThan(101)
    })

    it('a body that breaks off is 400', async () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array([0x7b]))
          controller.error(new Error('gone'))
        },
      })
      expectEnvelope(await test.ask('POST', '/contacts', { raw: body, headers: JSON_TYPE }), 400, 'BAD_REQUEST')
    })
  })

  describe(`paths and methods on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
    })

    it.each([
      '/',
      '/nope',
      '/v1',
      '/v1/',
      '/v2/send',
      '/contacts/a/b',
      '//contacts',
      '/v1%2Fsend',
      '/%',
      '/%00',
      '/CONTACTS',
      '/events/contact',
      '/../etc/passwd',
    ])('%s is 404, with a key or without', async (path) => {
      for (const key of [SECRET, null]) expectEnvelope(await test.ask('GET', path, { key }), 404, 'RESOURCE_NOT_FOUND')
    })

    it.each([
      ['GET', '/v1/send', 'POST, OPTIONS'],
      ['DELETE', '/v1/track', 'POST, OPTIONS'],
      ['DELETE', '/contacts', 'GET, HEAD, POST, OPTIONS'],
      ['PUT', `/contacts/${ID}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['POST', '/events/names', 'GET, HEAD, OPTIONS'],
      ['POST', '/health', 'GET, HEAD, OPTIONS'],
      ['PROPFIND', '/contacts', 'GET, HEAD, POST, OPTIONS'],
      ['HEAD', '/v1/send', 'POST, OPTIONS'],
    ])('%s %s is 405 and tells what is possible', async (method, path, allow) => {
      for (const key of [SECRET, null]) {
        const answer = await test.ask(method, path, { key })
        expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({ status: 405, allow })
        if (method !== 'HEAD') expectEnvelope(answer, 405, 'METHOD_NOT_ALLOWED')
      }
    })

    it('a slash at the end changes nothing', async () => {
      expect((await test.ask('GET', '/contacts/')).status).toBe(200)
      expectEnvelope(await test.ask('PUT', '/contacts/'), 405, 'METHOD_NOT_ALLOWED')
    })

    it.each(
      ENDPOINTS.filter(([method]) => method === 'GET'),
    )('HEAD answers as %s %s does, without a body', async (_, path) => {
      const get = await test.ask('GET', path)
      const head = await test.ask('HEAD', path)
      expect({ status: head.status, text: head.text }).toEqual({ status: get.status, text: '' })
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect((await test.ask('HEAD', path, { key: null })).status).toBe(401)
    })

    it('OPTIONS tells the methods without a key, and 404 where nothing is', async () => {
      const answer = await test.ask('OPTIONS', '/contacts', { key: null })
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' })
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
      expectEnvelope(await test.ask('OPTIONS', '/nope', { key: null }), 404, 'RESOURCE_NOT_FOUND')
    })
  })

  describe(`the request id on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
    })

    it.each([
      ['GET', '/contacts'],
      ['GET', '/nope'],
      ['PUT', '/contacts'],
      ['OPTIONS', '/v1/track'],
      ['GET', '/health/live'],
    ])('is on the answer to %s %s: the caller’s own, or a new one', async (method, path) => {
      for (const id of ['abc-123', 'with space', '~'.repeat(128)]) {
        const answer = await test.ask(method, path, { headers: { 'x-request-id': id } })
        expect(answer.headers.get('x-request-id')).toBe(id)
      }
      const made = new Set<string | null>()
      for (const id of [undefined, '', 'x'.repeat(129), 'caf\u00e9', 'tab\tinside']) {
        const answer = await test.ask(method, path, { headers: id === undefined ? {} : { 'x-request-id': id } })
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
        made.add(answer.headers.get('x-request-id'))
      }
      expect(made.size).toBe(5)
    })

    it('is in the error body and in the one line that each request logs', async () => {
      const headers = { 'x-request-id': 'req-7' }
      const answer = await test.ask('GET', `/contacts/${ID}?secret=1`, { headers })
      expect(answer.body.error.requestId).toBe('req-7')
      const lines = test.lines.filter(({ fields }) => fields.requestId === 'req-7')
      expect(lines).toEqual([
        {
          level: 'info',
          message: 'request',
          fields: {
            ...{ method: 'GET', path: `/contacts/${ID}`, status: 404, ms: expect.any(Number) },
            ...{ requestId: 'req-7', projectId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
          },
        },
      ])
    })

    it('and nothing else is logged when the app is told not to', async () => {
      const silent = await testApp(store, { log: false })
      await silent.ask('GET', '/contacts')
      expect(silent.lines.filter(({ message }) => message === 'request')).toEqual([])
    })
  })

  describe(`CORS on ${store.name}`, () => {
    const PAGE = 'https://app.example.com'
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store, { corsOrigins: [PAGE] })
    })
    const allowed = (answer: { headers: Headers }) => answer.headers.get('access-control-allow-origin')
    const preflight = (path: string, origin: string) =>
      test.ask('OPTIONS', path, {
        key: null,
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      })

    it('lets any page track, also when it is refused', async () => {
      const flight = await preflight('/v1/track', 'https://anywhere.example')
      expect(flight.status).toBe(204)
      expect(allowed(flight)).toBe('*')
      expect(flight.headers.get('access-control-allow-methods')).toContain('POST')
      expect(flight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
      expect(flight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type')
      const origin = 'https://anywhere.example'
      const json = { email: 'a@example.org', event: 'seen' }
      for (const key of [PUBLIC, null, 'pk_wrong']) {
        const answer = await test.ask('POST', '/v1/track', { key, json, headers: { origin } })
        expect({ key, allowed: allowed(answer) }).toEqual({ key, allowed: '*' })
        expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
      }
    })

    it.each(['/v1/send', '/contacts', `/templates/${ID}`])('lets only known pages use %s', async (path) => {
      const known = await preflight(path, PAGE)
      expect(allowed(known)).toBe(PAGE)
      expect(known.headers.get('vary')).toBe('Origin')
      for (const origin of [
        'https://evil.example',
        'null',
        'https://app.example.com.evil.example',
        'http://app.example.com',
      ]) {
        const unknown = await preflight(path, origin)
        expect(allowed(unknown)).toBeNull()
        expect(unknown.headers.get('access-control-allow-methods')).toBeNull()
        expect(unknown.headers.get('vary')).toBe('Origin')
      }
    })

    it('marks the answers themselves the same way', async () => {
      expect(allowed(await test.ask('GET', '/contacts', { headers: { origin: PAGE } }))).toBe(PAGE)
      expect(allowed(await test.ask('GET', '/contacts', { headers: { origin: PAGE }, key: null }))).toBe(PAGE)
      expect(allowed(await test.ask('GET', '/contacts', { headers: { origin: 'https://evil.example' } }))).toBeNull()
      expect(allowed(await test.ask('GET', '/contacts'))).toBeNull()
    })

    it('without configured pages opens nothing but tracking', async () => {
      const closed = await testApp(store)
      const headers = { origin: PAGE }
      expect(allowed(await closed.ask('GET', '/contacts', { headers }))).toBeNull()
      expect(allowed(await closed.ask('OPTIONS', '/v1/track', { headers }))).toBe('*')
    })
  })

  describe(`health on ${store.name}`, () => {
    it('tells of every part, without a key', async () => {
      const test = await testApp(store)
      expect((await test.ask('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' })
      const before = await test.ask('GET', '/health', { key: null })
      expect(before.status).toBe(503)
      expect(before.body).toEqual({
        status: 'down',
        parts: { store: 'ok', queue: 'ok', worker: 'down', scheduler: expect.any(String) },
        message: expect.any(String),
      })
      expect(before.headers.get('retry-after')).toMatch(/^\d+$/)
      await test.engine.start()
      const after = await test.ask('GET', '/health', { key: null })
      expect({ status: after.status, body: after.body }).toEqual({
        status: 200,
        body: { status: 'ok', parts: { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok' } },
      })
    })
  })

  describe(`errors that are not the caller’s on ${store.name}`, () => {
    /** The app over an engine one of whose rooms throws this. */
    const broken = async (error: unknown) => {
      const test = await testApp(store)
      const contacts = Object.assign(Object.create(test.engine.contacts), {
        list: () => Promise.reject(error),
      }) as typeof test.engine.contacts
      const sending = Object.assign(Object.create(test.engine.sending), {
        send: () => Promise.reject(error),
      }) as typeof test.engine.sending
      return { ...test, app: createApp({ ...test.engine, contacts, sending }) }
    }
    const secretText = 'SELECT * FROM contacts -- /srv/secret/data.db'

    it.each([
      ['an Error', () => new Error(secretText)],
      ['a text', () => secretText],
      ['nothing', () => undefined],
      ['an EngineError of a plugin', () => new EngineError('STORE_NESTED', secretText)],
      [
        'an INTERNAL_SERVER_ERROR',
        () => new EngineError('INTERNAL_SERVER_ERROR', secretText, { suggestion: secretText }),
      ],
    ])('%s becomes a 500 that tells nothing, and a log line that tells all', async (_what, make) => {
      const error = make()
      const test = await broken(error)
      for (const [method, path] of [
        ['GET', '/contacts'],
        ['POST', '/v1/send'],
      ] as const) {
        const json = method === 'POST' ? { json: MAIL } : {}
        const answer = await askApp(test.app, method, path, { ...json, headers: { 'x-request-id': `r ${path}` } })
        expectEnvelope(answer, 500, 'INTERNAL_SERVER_ERROR')
        expect(answer.text).not.toMatch(/SELECT|\/srv|at .*\.ts|stack/)
        expect(test.lines).toContainEqual({
          level: 'error',
          message: 'a request failed',
          fields: { requestId: `r ${path}`, error },
        })
      }
    })

    it('an unavailable service becomes a 503 with Retry-After', async () => {
      const test = await broken(new EngineError('SERVICE_UNAVAILABLE', secretText, { retryAfter: 17 }))
      const answer = await askApp(test.app, 'GET', '/contacts')
      expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE')
      expect(answer.headers.get('retry-after')).toBe('17')
      expect(answer.text).not.toContain('SELECT')
      const plain = await broken(new EngineError('SERVICE_UNAVAILABLE', 'x'))
      expect((await askApp(plain.app, 'GET', '/contacts')).headers.get('retry-after')).toMatch(/^\d+$/)
    })
  })

  describe(`the rate limit on ${store.name}`, () => {
    const settings: GivenSettings = {}
    const left = ({ headers }: { headers: Headers }) => headers.get('ratelimit-remaining')
    const track = (test: TestApp, key: string, from?: string) =>
      test.ask('POST', '/v1/track', {
        key,
        json: { email: 'a@example.org', event: 'seen' },
        headers: from === undefined ? {} : { 'x-forwarded-for': from },
      })

    it('counts every answer to a key, tells what is left, and refuses with 429', async () => {
      const test = await testApp(store, { requestsPerMinute: 5 }, settings)
      const asked = [
        await test.ask('GET', '/contacts'),
        await test.ask('POST', '/v1/send', { json: {} }),
        await test.ask('GET', '/contacts', { key: PUBLIC }),
        await test.ask('POST', '/contacts', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        await test.ask('GET', `/contacts/${ID}`),
      ]
      expect(asked.map(({ status }) => status)).toEqual([200, 422, 403, 415, 404])
      expect(asked.map(left)).toEqual(['4', '3', '2', '1', '0'])
      for (const { headers } of asked) {
        expect(headers.get('ratelimit-limit')).toBe('5')
        expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0)
        expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
      }
      for (const [method, path] of [
        ['POST', '/v1/send'],
        ['GET', '/contacts'],
      ] as const) {
        const refused = await test.ask(method, path, method === 'POST' ? { json: MAIL } : {})
        expectEnvelope(refused, 429, 'RATE_LIMIT_EXCEEDED')
        expect(left(refused)).toBe('0')
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect(await test.engine.sending.list((await test.engine.projects.list())[0]!, {})).toMatchObject({ total: 0 })
    })

    it('is one per project, and asks nothing of health, 404 and 401', async () => {
      const test = await testApp(store, { requestsPerMinute: 1 })
      for (let i = 0; i < 5; i++) {
        await test.ask('GET', '/health/live')
        await test.ask('GET', '/nope')
        await test.ask('GET', '/contacts', { key: null })
        await test.ask('GET', '/contacts', { key: 'sk_wrong' })
      }
      expect((await test.ask('GET', '/contacts')).status).toBe(200)
      expect((await test.ask('GET', '/contacts')).status).toBe(429)
      expect((await test.ask('GET', '/contacts', { key: `sk_${'b'.repeat(48)}` })).status).toBe(200)
    })

    it('holds public keys to so many a minute per address, without using up the project', async () => {
      const test = await testApp(store, { requestsPerMinute: 100, trackPerMinutePerIp: 2, trustProxy: true })
      const from = '203.0.113.7'
      expect((await track(test, PUBLIC, from)).status).toBe(200)
      expect((await track(test, PUBLIC, from)).status).toBe(200)
      const refused = await track(test, PUBLIC, from)
      expectEnvelope(refused, 429, 'RATE_LIMIT_EXCEEDED')
      expect(refused.headers.get('access-control-allow-origin')).toBe('*')
      expect(refused.headers.get('ratelimit-limit')).toBe('2')
      expect((await track(test, PUBLIC, '203.0.113.8')).status).toBe(200)
      expect(left(await track(test, SECRET, from))).toBe('96')
    })

    it('goes by the last address of X-Forwarded-For, which the client cannot choose', async () => {
      const test = await testApp(store, { trackPerMinutePerIp: 1, trustProxy: true })
      expect((await track(test, PUBLIC, '198.51.100.1, 203.0.113.7')).status).toBe(200)
      expect((await track(test, PUBLIC, '198.51.100.2, 203.0.113.7')).status).toBe(429)
      expect((await track(test, PUBLIC, '::ffff:203.0.113.7')).status).toBe(429)
    })

    it('counts an IPv6 network of 64 bits as one address', async () => {
      const test = await testApp(store, { trackPerMinutePerIp: 1, trustProxy: true })
      expect((await track(test, PUBLIC, '2001:db8:1:2::1')).status).toBe(200)
      expect((await track(test, PUBLIC, '2001:DB8:1:2:ffff:ffff:ffff:ffff')).status).toBe(429)
      expect((await track(test, PUBLIC, '2001:0db8:0001:0002::')).status).toBe(429)
      expect((await track(test, PUBLIC, '2001:db8:1:3::1')).status).toBe(200)
    })
  })
}
