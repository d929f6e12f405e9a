import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { ENDPOINTS, ID } from './endpoints.ts'

for (const store of [QUICK]) {
  describe(`paths and methods on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
    })

    it.each([
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
      '/events/contact/a/b',
      '/../etc/passwd',
    ])('%s is 404, with a key or without', async (path) => {
      for (const key of [SECRET, null]) expectEnvelope(await test.ask('GET', path, { key }), 404, 'RESOURCE_NOT_FOUND')
    })

    it('lead people who open the address to the dashboard, and say to programs where things are', async () => {
      const page = await test.ask('GET', '/', { key: null, headers: { accept: 'text/html,*/*' } })
      expect({ status: page.status, location: page.headers.get('location') }).toEqual({ status: 302, location: 'app/' })
      const { status, body } = await test.ask('GET', '/', { key: null })
      expect({ status, body }).toEqual({
        status: 200,
        body: { name: 'Mailwright', documentation: 'docs', openapi: 'openapi.json', health: 'health' },
      })
    })

    it.each([
      ['GET', '/v1/send', 'POST, OPTIONS'],
      ['DELETE', '/v1/track', 'POST, OPTIONS'],
      ['DELETE', '/contacts', 'GET, HEAD, POST, OPTIONS'],
      ['PUT', `/contacts/${ID}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['POST', '/events/names', 'GET, HEAD, DELETE, OPTIONS'],
      ['GET', '/events/contact', 'DELETE, OPTIONS'],
      ['POST', '/contacts/fields', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['GET', '/contacts/fields/plan', 'DELETE, OPTIONS'],
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
}
