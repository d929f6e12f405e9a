import { describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

for (const store of [QUICK]) {
  describe(`the rate limit on ${store.name}`, () => {
    const left = ({ headers }: { headers: Headers }) => headers.get('ratelimit-remaining')
    const track = (test: TestApp, key: string, from?: string) =>
      test.ask('POST', '/v1/track', {
        key,
        json: { email: 'a@example.org', event: 'seen' },
        headers: from === undefined ? {} : { 'x-forwarded-for': from },
      })

    it('counts every answer to a key, tells what is left, and refuses with 429', async () => {
      const test = await testApp(store, { requestsPerMinute: 5 })
      const asked = [
        await test.ask('GET', '/contacts'),
        await test.ask('POST', '/v1/send', { json: {} }),
        await test.ask('GET', '/contacts', { key: PUBLIC }),
        await test.ask('POST', '/contacts', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        await test.ask('GET', `/contacts/${ID}`),
      ]
      expect(asked.map(({ status }) => status)).toEqual([200, 422, 403, 415, 404])
      expect(asked.map(left)).toEqual(['4', '3', '4', '2', '1'])
      expect(left(await test.ask('GET', '/contacts'))).toBe('0')
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
      expect(await test.engine.mails.list((await test.engine.projects.list())[0]!, {})).toMatchObject({ total: 0 })
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
      expect(left(await track(test, SECRET, from))).toBe('99')
    })

    it('leaves the project its own requests, however many strangers use its public key', async () => {
      const test = await testApp(store, { requestsPerMinute: 20, trackPerMinutePerIp: 3, trustProxy: true })
      const strangers = Array.from({ length: 30 }, (_, i) => track(test, PUBLIC, `198.51.100.${i}`))
      const statuses = (await Promise.all(strangers)).map(({ status }) => status)
      expect([200, 429].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([20, 10])
      // pages, forms, pixels and archives are counted by address alone
      for (const path of ['/t/o/x', '/f/x', '/archive/x', '/unsubscribe/x']) await test.ask('GET', path, { key: null })
      const own = await test.ask('POST', '/v1/send', { json: MAIL })
      expect([own.status, left(own)]).toEqual([200, '19'])
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
