import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { type Answer, expectEnvelope, MAIL, PROJECT, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

describe.each([QUICK])('faults that a test orders, on $name', (store) => {
  let test: TestApp
  let server: HttpServer
  let key = ''

  beforeAll(async () => {
    test = await testApp(store, { requestsPerMinute: 500 })
    const json = { name: 'tests', kind: 'secret', scopes: ['send', 'read'], test: true }
    key = (await test.ask('POST', `/projects/${PROJECT}/keys`, { json })).body.key
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, silentLog)
    atEndOfFile(() => server.close(0))
  })
  afterEach(() => void vi.useRealTimers())

  const order = (fault: string, more: object = {}) =>
    test.ask('POST', '/v1/send', { key, json: MAIL, headers: { 'X-Mailwright-Simulate': fault }, ...more })
  const emails = async () => (await test.ask('GET', '/emails?limit=100', { key })).body.data.length
  /** By a connection of its own, which is cut when the signal is aborted. */
  const byNet = (fault: string, signal?: AbortSignal) =>
    fetch(`${server.url}/v1/send`, {
      ...{ method: 'POST', body: JSON.stringify(MAIL), ...(signal ? { signal } : {}) },
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-mailwright-simulate': fault },
      },
    })

  it('are the answers of the limit and of an internal error, and nothing is stored under the key of the request', async () => {
    const before = await emails()
    const limited = await order('429', { headers: { 'X-Mailwright-Simulate': '429', 'Idempotency-Key': 'order-1' } })
    expectEnvelope(limited, 429, 'RATE_LIMIT_EXCEEDED')
    expect(limited.body.message).toBe('Too many requests: at most 500 a minute.')
    expect(Object.fromEntries(limited.headers)).toMatchObject({
      ...{ 'retry-after': '1', 'ratelimit-limit': '500', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' },
    })
    const failed = await byNet('500')
    const body = await failed.json()
    const answer = { status: failed.status, headers: failed.headers, text: JSON.stringify(body), body } satisfies Answer
    expectEnvelope(answer, 500, 'INTERNAL_SERVER_ERROR')
    // no operator is to look for what a test wanted
    expect(test.lines.filter(({ level }) => level === 'error')).toEqual([])
    expect(await emails()).toBe(before)
    const again = await order('', { headers: { 'Idempotency-Key': 'order-1' } })
    expect(again.status).toBe(200)
    expect(again.headers.get('ratelimit-remaining')).not.toBe('0')
    expect(await emails()).toBe(before + 1)
  })

  it('are refused by name with a live key, a session or a public key, and when there is none such', async () => {
    const field = 'X-Mailwright-Simulate'
    const refusedAs = async (code: string, fault: string, by: { readonly key?: string }) => {
      const refused = await test.ask('POST', '/v1/send', { ...by, json: MAIL, headers: { [field]: fault } })
      expectEnvelope(refused, 422, 'VALIDATION_ERROR')
      expect(refused.body.error.errors).toMatchObject([{ field, code }])
    }
    await refusedAs('custom', '500', {})
    for (const fault of ['503', '429, 500', '', 'constructor']) await refusedAs('invalid_enum_value', fault, { key })
    const json = { email: 'ada@example.org', event: 'e' }
    const tracked = await test.ask('POST', '/v1/track', { key: PUBLIC, json, headers: { [field]: '500' } })
    expectEnvelope(tracked, 422, 'VALIDATION_ERROR')
  })

  it('may come late: five seconds for an answer, sixty for a connection that is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let [slow, lost] = ['waits', 'waits']
    const answered = byNet('slow').then(({ status }) => {
      slow = String(status)
    })
    const closed = byNet('timeout').catch(() => {
      lost = 'closed'
    })
    await vi.waitUntil(() => vi.getTimerCount() >= 2)
    await vi.advanceTimersByTimeAsync(4_999)
    expect([slow, lost]).toEqual(['waits', 'waits'])
    await vi.advanceTimersByTimeAsync(1)
    await answered
    await vi.advanceTimersByTimeAsync(54_999)
    expect([slow, lost]).toEqual(['200', 'waits'])
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(lost).toBe('closed')
  })

  it('wait twenty at a time in a project, and end with their client', async () => {
    const clients = new AbortController()
    const statuses: (number | string)[] = []
    const note = (asked: Promise<Response>) =>
      asked.then(
        ({ status }) => void statuses.push(status),
        () => void statuses.push('gone'),
      )
    const begun = Array.from({ length: 23 }, () => note(byNet('timeout', clients.signal)))
    await until('three are too many', () => statuses.length === 3)
    expect(statuses).toEqual([429, 429, 429])
    clients.abort()
    await Promise.all(begun)
    const next = new AbortController()
    // those who are gone leave their places once their connections are seen to be closed
    await until('there is room again', async () => {
      const asked = byNet('timeout', next.signal).then(
        ({ status }) => status === 429,
        () => false,
      )
      const isRefused = await Promise.race([asked, new Promise((done) => setTimeout(done, 500, false))])
      return !isRefused
    })
    next.abort()
  })
})
