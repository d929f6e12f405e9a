import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, silentLog } from '../../config/library.ts'
import { newWebhookSecret } from '../../core/values/webhook-secret.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import {
  DISABLED_SECRET,
  expectEnvelope,
  OTHER_SECRET,
  ownProject,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { QUICK } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const HOOK = { url: 'https://hooks.example.com/mail?a=b', events: ['email.*', 'signed up'] }
const SETTINGS = { egress: { allow: ['127.0.0.0/8'] }, webhooks: { retryDelays: [0] } }

describe('webhook endpoints', () => {
  let test: TestApp
  /** One that may reach public addresses alone. */
  let closed: TestApp
  const make = (change: object = {}, key = SECRET) =>
    test.ask('POST', '/webhooks', { json: { ...HOOK, ...change }, key })
  const change = (id: string, json: object, key = SECRET) => test.ask('PATCH', `/webhooks/${id}`, { json, key })

  beforeAll(async () => {
    test = await testApp(store, {}, SETTINGS)
    closed = await testApp(store)
  })

  it('are made with 201, listed newest first, changed and deleted', async () => {
    const own = await ownProject(closed)
    const first = await own.ask('POST', '/webhooks', { json: HOOK })
    expect(first).toMatchObject({ status: 201 })
    expect(first.body).toEqual({
      ...{ id: expect.any(String), ...HOOK, enabled: true },
      ...{ createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), updatedAt: first.body.createdAt },
    })
    const json = { url: 'http://b.example', events: ['*', '*'], description: 'All', enabled: false }
    const second = await own.ask('POST', '/webhooks', { json })
    expect(second.body).toMatchObject({ url: 'http://b.example/', events: ['*'], description: 'All', enabled: false })
    expect((await own.ask('GET', '/webhooks')).body).toEqual([second.body, first.body])
    const { id } = second.body
    expect((await own.ask('GET', `/webhooks/${id}`)).body).toEqual(second.body)
    const changed = await own.ask('PATCH', `/webhooks/${id}`, { json: { description: null, enabled: true } })
    const { description: _, ...rest } = second.body
    expect(changed).toMatchObject({ status: 200 })
    expect(changed.body).toEqual({ ...rest, enabled: true, updatedAt: expect.any(String) })
    expect(await own.ask('DELETE', `/webhooks/${id}`)).toMatchObject({ status: 204, text: '' })
    expectEnvelope(await own.ask('GET', `/webhooks/${id}`), 404, 'WEBHOOK_NOT_FOUND')
    expect((await own.ask('GET', '/webhooks')).body).toEqual([first.body])
  })

  it.each<[string, object, Record<string, string>]>([
    ['no url', { url: undefined }, { url: 'required' }],
    ['a url that is none', { url: 'x' }, { url: 'invalid_string' }],
    ['another scheme', { url: 'ftp://a.example/' }, { url: 'invalid_string' }],
    ['a script', { url: 'javascript:alert(1)' }, { url: 'invalid_string' }],
    ['no host', { url: 'http://' }, { url: 'invalid_string' }],
    ['a scheme without slashes', { url: 'http:a.example' }, { url: 'invalid_string' }],
    ['a user', { url: 'https://u@a.example/' }, { url: 'invalid_string' }],
    ['a password', { url: 'https://u:p@a.example/' }, { url: 'invalid_string' }],
    ['a placeholder', { url: 'https://{{ host }}/' }, { url: 'invalid_string' }],
    ['a long url', { url: `https://a.example/${'x'.repeat(2048)}` }, { url: 'too_big' }],
    ['a url that is long when written', { url: `https://a.example/${'ж'.repeat(500)}` }, { url: 'too_big' }],
    ['no events', { events: undefined }, { events: 'required' }],
    ['an empty list of events', { events: [] }, { events: 'too_small' }],
    ['too many events', { events: Array(101).fill('a') }, { events: 'too_big' }],
    ['an event that is no text', { events: [1] }, { 'events.0': 'invalid_type' }],
    ['a star in the middle', { events: ['a', 'email*'] }, { 'events.1': 'custom' }],
    ['a long description', { description: 'x'.repeat(501) }, { description: 'too_big' }],
    ['enabled as a text', { enabled: 'yes' }, { enabled: 'invalid_type' }],
  ])('are refused with 422: %s', async (_what, json, fields) => {
    expectEnvelope(await make(json), 422, 'VALIDATION_ERROR', fields)
  })

  it.each([
    ...[
      'http://127.0.0.1:3000/hook',
      'http://localhost/',
      'http://a.localhost./',
      'http://0x7f.1/',
      'http://[::1]:80/',
    ],
    ...['http://10.0.0.7/', 'https://192.168.1.1/', 'http://169.254.169.254/latest', 'http://[::ffff:10.0.0.1]/'],
  ])('are refused at once where only egress.allow could let them: %s', async (url) => {
    const answer = await closed.ask('POST', '/webhooks', { json: { ...HOOK, url } })
    expectEnvelope(answer, 422, 'VALIDATION_ERROR', { url: 'custom' })
    expect(answer.body.message).toContain('egress.allow')
    const { id } = (await closed.ask('POST', '/webhooks', { json: HOOK })).body
    const changed = await closed.ask('PATCH', `/webhooks/${id}`, { json: { url } })
    expectEnvelope(changed, 422, 'VALIDATION_ERROR', { url: 'custom' })
    const workflow = (await closed.ask('POST', '/workflows', { json: { name: 'W', eventName: 'bought' } })).body
    for (const path of ['', '{{ id }}']) {
      const json = { type: 'WEBHOOK', config: { url: url.replace(/\/\w*$/, `/${path}`) } }
      const step = await closed.ask('POST', `/workflows/${workflow.id}/steps`, { json })
      expectEnvelope(step, 422, 'VALIDATION_ERROR', { 'config.url': 'custom' })
    }
  })

  it('are taken where the name decides, and where egress.allow lets them', async () => {
    const named = { ...HOOK, url: 'http://app.internal:3000/hook' }
    expect((await closed.ask('POST', '/webhooks', { json: named })).status).toBe(201)
    for (const url of ['http://127.0.0.1:3000/', 'http://localhost:3000/']) {
      expect((await make({ url })).status).toBe(201)
    }
  })

  it('are refused with the same words when they are changed', async () => {
    const { body } = await make()
    expectEnvelope(await change(body.id, { url: 'ftp://x' }), 422, 'VALIDATION_ERROR', { url: 'invalid_string' })
    expectEnvelope(await change(body.id, { events: [] }), 422, 'VALIDATION_ERROR', { events: 'too_small' })
    expect((await change(body.id, {})).body).toMatchObject(HOOK)
  })

  it("of another project, and unknown ones, are not there; a disabled project's cannot be changed", async () => {
    const { id } = (await make()).body
    for (const [method, path] of [
      ['GET', `/webhooks/${id}`],
      ['PATCH', `/webhooks/${id}`],
      ['DELETE', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/test`],
      ['GET', `/webhooks/${UNKNOWN_ID}`],
      ['GET', '/webhooks/x'],
    ] as const) {
      const json = method === 'PATCH' ? { json: {} } : {}
      expectEnvelope(await test.ask(method, path, { ...json, key: OTHER_SECRET }), 404, 'WEBHOOK_NOT_FOUND')
    }
    expect((await test.ask('GET', '/webhooks', { key: OTHER_SECRET })).body).toEqual([])
    expectEnvelope(await make({}, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    expectEnvelope(await make({}, PUBLIC), 403, 'FORBIDDEN')
    const rotate = await test.ask('POST', '/webhooks/secret/rotate', { key: DISABLED_SECRET })
    expectEnvelope(rotate, 403, 'PROJECT_DISABLED')
  })

  it('are at most 50', async () => {
    const own = await ownProject(closed)
    for (let i = 0; i < 50; i++) await own.ask('POST', '/webhooks', { json: HOOK })
    expectEnvelope(await own.ask('POST', '/webhooks', { json: HOOK }), 409, 'CONFLICT')
  })
})

describe('the secret of webhooks', () => {
  it('is made on first need, stays, and can be rotated; each project has its own', async () => {
    const test = await testApp(store)
    const first = await test.ask('GET', '/webhooks/secret')
    expect(first).toMatchObject({
      status: 200,
      body: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
    })
    expect((await test.ask('GET', '/webhooks/secret')).body).toEqual(first.body)
    expect((await test.ask('GET', '/webhooks/secret', { key: OTHER_SECRET })).body).not.toEqual(first.body)
    const second = await test.ask('POST', '/webhooks/secret/rotate')
    expect(second.status).toBe(200)
    expect(second.body.secret).not.toBe(first.body.secret)
    expect((await test.ask('GET', '/webhooks/secret')).body).toEqual(second.body)
    expectEnvelope(await test.ask('GET', '/webhooks/secret', { key: PUBLIC }), 403, 'FORBIDDEN')
  })

  it('comes from the config when it stands there, and is changed there alone', async () => {
    const webhookSecret = newWebhookSecret()
    const projects = [{ name: 'Test', secretKey: SECRET, webhookSecret }]
    const test = await testApp(store, {}, { projects })
    expect((await test.ask('GET', '/webhooks/secret')).body).toEqual({ secret: webhookSecret })
    expectEnvelope(await test.ask('POST', '/webhooks/secret/rotate'), 409, 'CONFLICT')
    const next = newWebhookSecret()
    await test.engine.projects.applySettings([{ name: 'Test', webhookSecret: next }])
    expect((await test.ask('GET', '/webhooks/secret')).body).toEqual({ secret: next })
  })
})

describe('secrets of webhooks', () => {
  it('are shown to keys with `full` alone, and `…` sent back keeps them', async () => {
    const test = await testApp(store, {}, SETTINGS)
    const made = await test.engine.projects.keys.create((await test.engine.projects.list())[0]!, {
      name: 'reader',
      kind: 'secret',
      scopes: ['read'],
    })
    const read = async (path: string) => (await test.ask('GET', path, { key: made.key })).body
    const hook = (await test.ask('POST', '/webhooks', { json: HOOK })).body
    expect(hook.url).toBe(HOOK.url)
    const hidden = 'https://hooks.example.com/mail?…'
    expect(await read(`/webhooks/${hook.id}`)).toEqual({ ...hook, url: hidden })
    expect(await read('/webhooks')).toMatchObject([{ url: hidden }])
    expect(await test.ask('GET', '/webhooks/secret', { key: made.key })).toMatchObject({ status: 403 })
    const kept = await test.ask('PATCH', `/webhooks/${hook.id}`, { json: { url: hidden, description: 'x' } })
    expect(kept.body).toMatchObject({ url: HOOK.url, description: 'x' })
    for (const asked of [
      test.ask('PATCH', `/webhooks/${hook.id}`, { json: { url: 'https://other.example/?…' } }),
      test.ask('POST', '/webhooks', { json: { ...HOOK, url: hidden } }),
    ])
      expect(await asked).toMatchObject({
        status: 422,
        body: { error: { errors: [{ field: 'url', code: 'custom' }] } },
      })

    const config = {
      url: 'https://{{ data.host | default: "a?b" }}.example.com/x?key=k',
      headers: { Authorization: 'Bearer secret', 'content-type': 'text/plain' },
      body: { a: 1 },
    }
    const flow = (await test.ask('POST', '/workflows', { json: { name: 'F', eventName: 'go' } })).body
    const path = `/workflows/${flow.id}/steps`
    const step = (await test.ask('POST', path, { json: { type: 'WEBHOOK', config } })).body
    expect(step.config).toEqual(config)
    const shown = (await read(`/workflows/${flow.id}`)).steps[1].config
    const place = 'https://{{ data.host | default: "a?b" }}.example.com/x?…'
    expect(shown).toEqual({ ...config, url: place, headers: { Authorization: '…', 'content-type': 'text/plain' } })
    const change = (next: object) => test.ask('PATCH', `${path}/${step.id}`, { json: { config: next } })
    expect((await change({ ...shown, timeoutSeconds: 3 })).body.config).toEqual({ ...config, timeoutSeconds: 3 })
    for (const [next, field] of [
      [{ ...shown, headers: { 'X-New': '…' } }, 'config.headers.X-New'],
      [{ ...shown, url: 'https://b.example/?…', headers: {} }, 'config.url'],
      // a secret goes to no other address than the one that it was stored with
      [{ ...shown, url: 'https://thief.example/' }, 'config.headers.Authorization'],
      [{ ...shown, url: `${config.url}&more=1` }, 'config.headers.Authorization'],
    ] as const)
      expect(await change(next)).toMatchObject({
        status: 422,
        body: { error: { errors: [{ field, code: 'custom' }] } },
      })

    const sent = (await test.ask('POST', `/webhooks/${hook.id}/test`)).body
    expect((await read('/webhooks/deliveries')).data[0].url).toBe(hidden)
    const detail = await read(`/webhooks/deliveries/${sent.id}`)
    expect(detail).toMatchObject({ url: hidden, requestHeaders: { 'content-type': 'application/json' } })
  })

  it('are encrypted with SECRET, also those that stood there in the clear, and wait for the right one', async () => {
    const [url, secret] = [await freshDatabase(), 'the secret of this server']
    const start = (settings: object) => createEngine({ store: postgres({ url }), log: silentLog, ...settings })
    const stored = async () => {
      const client = new Client(url)
      await client.connect()
      const { rows } = await client.query('select secret, earlier from mailwright.webhook_secrets')
      await client.end()
      return rows[0]
    }
    const receiver = await startReceiver()
    const projects = [{ name: 'Test' }]
    const first = await start({ projects })
    const [project] = await first.projects.list()
    if (!project) throw new Error('there is no project')
    await first.stop()
    // as an earlier version wrote them
    const [plain, before] = [newWebhookSecret(), newWebhookSecret()]
    const client = new Client(url)
    await client.connect()
    const row = [project.id, plain, before]
    await client.query(`insert into mailwright.webhook_secrets values ($1, $2, $3, now() + interval '1 day')`, row)
    await client.end()
    const right = { projects, secret, egress: { allow: ['127.0.0.0/8'] } }
    const sealed = await start(right)
    expect(await sealed.webhooks.secret(project)).toBe(plain)
    await sealed.stop()
    expect(Object.values(await stored())).toEqual([expect.stringMatching(/^v1:/), expect.stringMatching(/^v1:/)])

    const errors: string[] = []
    const log = { ...silentLog, error: (message: string) => void errors.push(message) }
    const wrong = await start({ ...right, secret: 'another secret of a server', log: { ...log, with: () => log } })
    expect(errors).toEqual(['the secrets of webhooks cannot be read: their requests wait'])
    await expect(wrong.webhooks.secret(project)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      suggestion: expect.stringContaining('secret (SECRET)'),
    })
    await wrong.start()
    const { id } = await wrong.webhooks.create(project, { url: receiver.url, events: ['*'] })
    const test = await wrong.webhooks.test(project, id, { wait: 1 })
    expect(test).toMatchObject({ status: 'PENDING', attempts: 0 })
    await wrong.stop()
    expect(receiver.requests).toEqual([])

    const again = await start({ ...right, clock: { now: () => new Date(Date.now() + 120_000) } })
    await again.start()
    await until('it is made', () => receiver.requests.length === 1)
    expect(receiver.verify(plain)).toHaveLength(1)
    expect(receiver.verify(before)).toHaveLength(1)
    await again.stop()
  })
})

describe('deliveries of webhooks', () => {
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        bodies.push({ body: Buffer.concat(chunks).toString(), headers: request.headers as Record<string, string> })
        if (request.url === '/moved') return void response.writeHead(301, { location: '/login' }).end()
        response.writeHead(request.url === '/no' ? 400 : 202, { 'x-a': 'b' }).end('thanks')
      })
  })
  const bodies: { body: string; headers: Record<string, string> }[] = []
  let test: TestApp
  /** One that is not started: what waits goes on waiting. */
  let idle: TestApp
  let base: string
  const get = async (path: string) => (await test.ask('GET', path)).body
  const done = (id: string) =>
    until('it has ended', async () => {
      const body = await get(`/webhooks/deliveries/${id}`)
      return body.status !== 'PENDING' && body
    })

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    test = await testApp(store, {}, SETTINGS)
    await test.engine.start()
    idle = await testApp(store)
  })
  atEndOfFile(() => void receiver.close())

  it('are listed and shown with what was asked and answered, and are made again by a replay', async () => {
    const json = { url: `${base}/yes`, events: ['signed up'] }
    const { id: endpointId } = (await test.ask('POST', '/webhooks', { json })).body
    await test.ask('POST', '/v1/track', {
      json: { email: 'ada@example.org', event: 'signed up', data: { plan: 'pro' } },
    })
    const [brief] = await until('it is dispatched', async () => {
      const { data } = await get(`/webhooks/deliveries?endpointId=${endpointId}&status=SUCCEEDED`)
      return data.length === 1 && data
    })
    expect(brief).toEqual({
      ...{ id: expect.any(String), endpointId, eventId: expect.any(String), eventName: 'signed up' },
      ...{ url: `${base}/yes`, method: 'POST', status: 'SUCCEEDED', attempts: 1, responseStatus: 202 },
      ...{ createdAt: expect.any(String), completedAt: expect.any(String) },
    })
    const whole = await get(`/webhooks/deliveries/${brief.id}`)
    expect(whole).toEqual({
      ...brief,
      requestHeaders: {
        ...{ 'content-type': 'application/json', 'user-agent': 'Mailwright', 'webhook-id': brief.id },
      },
      requestBody: bodies[0]?.body,
      responseBody: 'thanks',
    })
    const replay = await test.ask('POST', `/webhooks/deliveries/${brief.id}/replay`)
    expect(replay).toMatchObject({ status: 202, body: { status: 'PENDING', attempts: 0, replayOf: brief.id } })
    expect(await done(replay.body.id)).toMatchObject({ status: 'SUCCEEDED', requestBody: whole.requestBody })
    expect((await get(`/webhooks/deliveries?endpointId=${endpointId}`)).total).toBe(2)
    const { secret } = await get('/webhooks/secret')
    for (const { body, headers } of bodies) {
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'signed up' })
    }
    expect(bodies.map(({ headers }) => headers['webhook-id'])).toEqual([brief.id, replay.body.id])
  })

  it('test an endpoint, also one that is not enabled', async () => {
    const json = { url: `${base}/no`, events: ['*'], enabled: false }
    const { id } = (await test.ask('POST', '/webhooks', { json })).body
    const sent = await test.ask('POST', `/webhooks/${id}/test`)
    expect(sent).toMatchObject({
      status: 202,
      body: { eventName: 'webhook.test', endpointId: id, status: 'PENDING' },
    })
    expect(await done(sent.body.id)).toMatchObject({
      ...{ status: 'FAILED', attempts: 1, error: 'The receiver answered 400.', responseStatus: 400 },
      requestBody: expect.stringContaining('"type":"webhook.test"'),
    })
    expect((await get(`/webhooks/${id}`)).failingSince).toMatch(/Z$/)
  })

  it('tell of a redirect to a login, at saving and by a test that waits', async () => {
    const json = { url: `${base}/moved`, events: ['*'], test: true }
    const made = await test.ask('POST', '/webhooks', { json })
    expect(made.status).toBe(201)
    const warned = /^url: is saved but the test event .* 301 and points to http:\/\/.*\/login; where/
    expect(made.headers.get('mailwright-warning')).toMatch(warned)
    const { body } = await test.ask('POST', `/webhooks/${made.body.id}/test?wait=10`)
    expect(body).toMatchObject({ status: 'FAILED', responseStatus: 301, attempts: 1 })
    expect(body.error).toContain('/login')
    const change = (url: string) => test.ask('PATCH', `/webhooks/${made.body.id}`, { json: { url, test: true } })
    expect((await change(`${base}/yes`)).headers.get('mailwright-warning')).toBeNull()
    expect((await change(`${base}/no`)).headers.get('mailwright-warning')).toContain('The receiver answered 400.')
    for (const wait of ['-1', '31', 'x']) {
      const refusal = await test.ask('POST', `/webhooks/${made.body.id}/test?wait=${wait}`)
      expect(refusal).toMatchObject({ status: 422, body: { error: { errors: [{ field: 'wait' }] } } })
    }
  })

  it('that wait are not made again, and are given up when their endpoint is deleted', async () => {
    const own = await ownProject(idle)
    const { id } = (await own.ask('POST', '/webhooks', { json: HOOK })).body
    const waiting = (await own.ask('POST', `/webhooks/${id}/test`)).body
    expect(waiting.dueAt).toMatch(/Z$/)
    expectEnvelope(await own.ask('POST', `/webhooks/deliveries/${waiting.id}/replay`), 409, 'CONFLICT')
    await own.ask('DELETE', `/webhooks/${id}`)
    const { body } = await own.ask('GET', `/webhooks/deliveries/${waiting.id}`)
    expect(body).toMatchObject({ status: 'FAILED', error: 'The endpoint was removed.', responseBody: null })
  })

  it('come in pages', async () => {
    const own = await ownProject(idle)
    const { id } = (await own.ask('POST', '/webhooks', { json: HOOK })).body
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await own.ask('POST', `/webhooks/${id}/test`)).body.id)
    const first = (await own.ask('GET', '/webhooks/deliveries?limit=2')).body
    expect(first).toMatchObject({ hasMore: true, total: 3 })
    const rest = (await own.ask('GET', `/webhooks/deliveries?limit=2&cursor=${first.cursor}`)).body
    expect(rest).toMatchObject({ hasMore: false, cursor: null })
    expect([...first.data, ...rest.data].map((each: { id: string }) => each.id)).toEqual(ids)
    expect((await own.ask('GET', '/webhooks/deliveries?workflowId=x')).body).toMatchObject({ data: [], total: 0 })
    expectEnvelope(await own.ask('GET', '/webhooks/deliveries?cursor=x'), 400, 'BAD_REQUEST')
    expectEnvelope(await own.ask('GET', '/webhooks/deliveries?status=LOST'), 422, 'VALIDATION_ERROR', {
      status: 'invalid_enum_value',
    })
  })

  it('of another project, and unknown ones, are not there', async () => {
    const [{ id }] = (await get('/webhooks/deliveries?limit=1')).data
    for (const each of [id, UNKNOWN_ID, 'x']) {
      const asked = { key: OTHER_SECRET }
      expectEnvelope(await test.ask('GET', `/webhooks/deliveries/${each}`, asked), 404, 'DELIVERY_NOT_FOUND')
      const replay = await test.ask('POST', `/webhooks/deliveries/${each}/replay`, asked)
      expectEnvelope(replay, 404, 'DELIVERY_NOT_FOUND')
    }
    expect((await test.ask('GET', '/webhooks/deliveries', { key: OTHER_SECRET })).body.data).toEqual([])
  })
})
