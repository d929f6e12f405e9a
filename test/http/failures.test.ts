import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { createApp } from '../../server/index.ts'
import { askApp, expectEnvelope, MAIL, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

for (const store of [QUICK]) {
  describe(`health on ${store.name}`, () => {
    it('tells of every part, without a key', async () => {
      const test = await testApp(store)
      expect((await test.ask('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' })
      const before = await test.ask('GET', '/health', { key: null })
      expect(before.status).toBe(503)
      expect(before.body).toEqual({
        status: 'down',
        parts: { store: 'ok', queue: 'ok', worker: 'down', scheduler: expect.any(String), transports: 'ok' },
        message: expect.any(String),
      })
      expect(before.headers.get('retry-after')).toMatch(/^\d+$/)
      await test.engine.start()
      const after = await test.ask('GET', '/health', { key: null })
      expect({ status: after.status, body: after.body }).toEqual({
        status: 200,
        body: { status: 'ok', parts: { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok', transports: 'ok' } },
      })
    })
  })

  describe(`health that is asked again and again on ${store.name}`, () => {
    it('is looked at ten times a second at most, and is never older than the question', async () => {
      let [looks, works] = [0, true]
      const plugin = store.store()
      const counted = definePlugin({
        ...{ name: 'counted', provides: ['store'], options: v.object({}) },
        async open(_options, kit) {
          const opened = await plugin.open(kit)
          const check = async () => {
            looks++
            if (!works) throw new Error('gone')
            await opened.store.check()
          }
          return { ...opened, store: Object.assign(Object.create(opened.store), { check }) as typeof opened.store }
        },
      })
      const { engine } = await testApp({ ...store, store: () => counted() } as typeof store)
      await engine.start()
      const begun = performance.now()
      while (performance.now() - begun < 500) await Promise.all(Array.from({ length: 10 }, () => engine.health()))
      expect(looks).toBeLessThanOrEqual(7)
      expect((await engine.health()).ok).toBe(true)
      works = false
      expect((await engine.health()).ok).toBe(false)
      works = true
      expect((await engine.health()).ok).toBe(true)
    })
  })
}

// The door that answers an error does not care where it came up.
describe('errors that are not the caller’s', () => {
  const store = QUICK
  let whole: TestApp
  beforeAll(async () => {
    whole = await testApp(store)
  })

  /** The app over an engine one of whose rooms throws this, with the lines that are logged from now on. */
  const broken = (error: unknown) => {
    const before = whole.lines.length
    const contacts = Object.assign(Object.create(whole.engine.contacts), {
      list: () => Promise.reject(error),
    }) as typeof whole.engine.contacts
    const sending = Object.assign(Object.create(whole.engine.sending), {
      send: () => Promise.reject(error),
    }) as typeof whole.engine.sending
    const app = createApp({ ...whole.engine, contacts, sending })
    return { app, lines: () => whole.lines.slice(before) }
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
    const test = broken(error)
    for (const [method, path] of [
      ['GET', '/contacts'],
      ['POST', '/v1/send'],
    ] as const) {
      const json = method === 'POST' ? { json: MAIL } : {}
      const answer = await askApp(test.app, method, path, { ...json, headers: { 'x-request-id': `r ${path}` } })
      expectEnvelope(answer, 500, 'INTERNAL_SERVER_ERROR')
      expect(answer.text).not.toMatch(/SELECT|\/srv|at .*\.ts|stack/)
      expect(test.lines()).toContainEqual({
        level: 'error',
        message: 'a request failed',
        fields: { requestId: `r ${path}`, error },
      })
    }
  })

  it('an unavailable service becomes a 503 with Retry-After', async () => {
    const test = broken(new EngineError('SERVICE_UNAVAILABLE', secretText, { retryAfter: 17 }))
    const answer = await askApp(test.app, 'GET', '/contacts')
    expectEnvelope(answer, 503, 'SERVICE_UNAVAILABLE')
    expect(answer.headers.get('retry-after')).toBe('17')
    expect(answer.text).not.toContain('SELECT')
    expect(answer.body.error.suggestion).toEqual(expect.any(String))
    const told = broken(new EngineError('SERVICE_UNAVAILABLE', secretText, { suggestion: 'Ask for less.' }))
    expect((await askApp(told.app, 'GET', '/contacts')).body.error.suggestion).toBe('Ask for less.')
    expect(told.lines().filter(({ level }) => level === 'error')).toHaveLength(1)
    // what was written for the caller, and logged where it came up
    const ours = broken(new EngineError('SERVICE_UNAVAILABLE', 'Amazon is away.', { isTold: true }))
    expect((await askApp(ours.app, 'GET', '/contacts')).body.message).toBe('Amazon is away.')
    expect(ours.lines().filter(({ level }) => level === 'error')).toEqual([])
    const plain = broken(new EngineError('SERVICE_UNAVAILABLE', 'x'))
    expect((await askApp(plain.app, 'GET', '/contacts')).headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
