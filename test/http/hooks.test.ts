import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { definePlugin, EngineError, type HookAnswer, type HookRequest } from '../../config/library.ts'
import { signedHook } from '../../plugins/hook-signed/index.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { type HookEvent, watchTurns } from '../contracts/http-hook.ts'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { type SentMail, sentMail } from '../support/hooks.ts'
import { QUICK } from '../support/matrix.ts'
import { MAILGUN, POSTMARK, PROVIDERS } from '../support/provider-hooks.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const MEGABYTE = 1024 * 1024

/** A hook that does as it is told. */
const odd = (answer: () => unknown) =>
  definePlugin({
    name: 'hook-odd',
    provides: ['hook'],
    open: () => ({ hook: { receive: () => answer() as HookAnswer } }),
  })()

function headers(body: string, id = 'msg_1', secret = SECRET) {
  const now = new Date()
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  }
}

for (const store of [QUICK]) {
  describe(`what providers tell by HTTP, on ${store.name}`, () => {
    let test: TestApp
    let told: readonly unknown[] = []
    const tell = (reports: unknown, name = 'bridge') => {
      const raw = JSON.stringify(reports)
      return test.ask('POST', `/hooks/${name}`, { raw, headers: headers(raw), key: null })
    }

    beforeAll(async () => {
      test = await testApp(
        store,
        { failuresPerMinutePerIp: 1000 },
        {
          publicUrl: 'https://mail.example',
          hooks: [
            { name: 'bridge', plugin: signedHook({ secret: SECRET }) },
            { name: 'odd', plugin: odd(() => ({ outcome: 'taken', reports: told })) },
          ],
        },
      )
      await test.engine.start()
    })

    it('ends a mail and its address when it bounced, once', async () => {
      const mail = await sentMail(test)
      const bounce = { diagnostic: '550 5.1.1 User unknown' }
      const report = { kind: 'bounced', mail: { messageId: mail.messageId }, recipient: mail.to, bounce }
      const answers = await Promise.all([tell(report), tell(report)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(({ body }) => body.data.changed).toSorted()).toEqual([0, 1])
      expect((await tell(report)).body).toEqual({ success: true, data: { reports: 1, changed: 0 } })
      expect(await mail.status()).toBe('BOUNCED')
      expect(await mail.isSuppressed()).toBe(true)
      expect(await mail.eventData('email.bounce')).toMatchObject([
        { bounceType: 'Permanent', bounceClass: 'permanent' },
      ])
    })

    it('takes a bounce of an address that was merged away for no matter of the contact, and a complaint for one', async () => {
      for (const kind of ['bounced', 'complained']) {
        const mail = await sentMail(test)
        const post = async (path: string, json: object) => (await test.ask('POST', path, { json })).body
        const old = await post('/contacts', { email: mail.to, subscribed: true })
        const { id } = await post('/contacts', { email: `new-${old.id}@example.org` })
        await post(`/contacts/${id}/merge`, { from: old.id })
        const bounce = { diagnostic: '550 5.1.1 User unknown' }
        expect((await tell({ kind, mail: { emailId: mail.id }, recipient: mail.to, bounce })).body.data.changed).toBe(1)
        expect(await mail.isSuppressed()).toBe(true)
        expect((await test.ask('GET', `/contacts/${id}`)).body.subscribed).toBe(kind === 'bounced')
      }
    })

    it('notes a complaint, and openings and clicks as often as they were, each once', async () => {
      const mail = await sentMail(test)
      const about = { mail: { emailId: mail.id }, userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
      const opened = { kind: 'opened', ...about }
      const clicked = { kind: 'clicked', ...about, link: 'https://example.com/' }
      const list = [opened, opened, clicked]
      expect((await tell(list)).body.data).toEqual({ reports: 3, changed: 3 })
      expect((await tell(list)).body.data).toEqual({ reports: 3, changed: 0 })
      expect((await test.ask('GET', `/emails/${mail.id}`)).body).toMatchObject({
        status: 'CLICKED',
        opens: 2,
        clicks: 1,
      })
      expect(await mail.eventData('email.click')).toMatchObject([{ link: 'https://example.com/' }])
      expect(await mail.eventData('email.open')).toHaveLength(1)
      await tell({ kind: 'complained', ...about })
      expect(await mail.status()).toBe('COMPLAINED')
      expect(await mail.isSuppressed()).toBe(true)
    })

    it('unsubscribes whoever left at the provider, once, and nobody else', async () => {
      const mail = await sentMail(test)
      const { id, ...person } = (await test.ask('POST', '/contacts', { json: { email: mail.to, subscribed: true } }))
        .body
      expect(person.subscribed).toBe(true)
      const report = { kind: 'unsubscribed', mail: { emailId: mail.id }, recipient: mail.to }
      expect((await tell({ ...report, recipient: 'other@example.org' })).body.data.changed).toBe(0)
      expect((await tell(report)).body.data.changed).toBe(1)
      expect((await tell(report)).body.data.changed).toBe(0)
      expect((await test.ask('GET', `/contacts/${id}`)).body.subscribed).toBe(false)
      expect(await mail.eventData('contact.unsubscribed')).toEqual([{ subscribed: false, reason: 'link' }])
      expect(await mail.isSuppressed()).toBe(false)
    })

    it('unsubscribes whoever the provider did not send to because of having left there', async () => {
      for (const hasLeft of [true, false]) {
        const mail = await sentMail(test)
        const { id } = (await test.ask('POST', '/contacts', { json: { email: mail.to, subscribed: true } })).body
        const report = { kind: 'rejected', hasLeft, mail: { emailId: mail.id }, recipient: mail.to }
        expect((await tell({ ...report, kind: 'delayed' })).body.data.changed).toBe(0)
        expect((await tell(report)).body.data.changed).toBe(hasLeft ? 1 : 0)
        expect((await tell(report)).body.data.changed).toBe(0)
        expect((await test.ask('GET', `/contacts/${id}`)).body.subscribed).toBe(!hasLeft)
        expect(await mail.eventData('contact.unsubscribed')).toHaveLength(hasLeft ? 1 : 0)
        expect(await mail.isSuppressed()).toBe(false)
      }
    })

    it('changes nothing for a wrong signature, and nothing of mail that is none of ours', async () => {
      const mail = await sentMail(test)
      const report = { kind: 'complained', mail: { messageId: mail.messageId } }
      const raw = JSON.stringify(report)
      for (const wrong of [
        headers(`${raw} `),
        headers(raw, 'msg_1', `whsec_${Buffer.alloc(32, 9).toString('base64')}`),
        {},
      ]) {
        const answer = await test.ask('POST', '/hooks/bridge', { raw, headers: wrong, key: null })
        expectEnvelope(answer, 401, 'INVALID_SIGNATURE')
        // an API key would not help
        expect(answer.headers.get('www-authenticate')).toBe('Signature')
      }
      const nobodys = [
        { kind: 'complained', mail: { messageId: mail.messageId.replace('example.com', 'example.net') } },
        { kind: 'complained', mail: { providerId: 'nobody’s' } },
        { kind: 'complained', mail: { emailId: 'x' } },
      ]
      expect((await tell(nobodys)).body).toEqual({ success: true, data: { reports: 3, changed: 0 } })
      // one that is not understood takes the others with it: nothing is half done
      const odd = [
        { kind: 'complained', mail: { emailId: mail.id } },
        { kind: 'a kind of tomorrow', mail: { emailId: mail.id } },
      ]
      const refused = await tell(odd)
      expectEnvelope(refused, 422, 'VALIDATION_ERROR')
      expect(refused.body.error.errors).toMatchObject([{ field: '1.kind' }])
      expect(await mail.status()).toBe('DELIVERED')
      expect(await mail.isSuppressed()).toBe(false)
    })

    it('stores what a hook tells without what no database takes', async () => {
      const mail = await sentMail(test)
      const about = { mail: { emailId: mail.id }, at: new Date(Number.NaN), key: '\u0000\ud800' }
      const bounce = { status: '5.1.1\u0000', diagnostic: `no such\u0000 user \ud800${'x'.repeat(5000)}` }
      told = [
        { kind: 'clicked', ...about, link: 'https://example.com/\u0000\ud800', userAgent: '\u0000' },
        { kind: 'bounced', ...about, recipient: `${mail.to}\u0000`, bounce },
        { kind: 'bounced', ...about, mail: { providerId: '\u0000\ud800' }, bounce },
      ]
      const answer = await test.ask('POST', '/hooks/odd', { raw: '', key: null })
      expect(answer.body.data).toEqual({ reports: 3, changed: 2 })
      expect(await mail.status()).toBe('BOUNCED')
    })

    it('refuses what is no report, names the field, and stores nothing of the list', async () => {
      const mail = await sentMail(test)
      const answer = await tell([
        { kind: 'complained', mail: { emailId: mail.id } },
        { kind: 'complained', mail: {} },
      ])
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { '1.mail': 'custom' })
      expect(await mail.status()).toBe('DELIVERED')
      expectEnvelope(
        await tell(Array(10_001).fill({ kind: 'opened', mail: { emailId: 'x' } })),
        413,
        'PAYLOAD_TOO_LARGE',
      )
    })

    // SQLite alone writes on the event loop of others
    if (store.name === 'SQLite')
      it('takes ten thousand openings at once, while others have their turn, and counts each', async () => {
        const mail = await sentMail(test)
        const list = Array.from({ length: 10_000 }, (_, i) => ({
          kind: 'opened',
          mail: { emailId: mail.id },
          key: `${i}`,
        }))
        const turns = watchTurns()
        expect((await tell(list)).body.data).toEqual({ reports: 10_000, changed: 10_000 })
        expect(turns.longest()).toBeLessThan(250)
        expect((await test.ask('GET', `/emails/${mail.id}`)).body).toMatchObject({ status: 'OPENED', opens: 10_000 })
      })

    it('takes a megabyte, and not an octet more', async () => {
      const most = `"${'x'.repeat(MEGABYTE - 2)}"`
      const send = (raw: string) => test.ask('POST', '/hooks/bridge', { raw, headers: headers(raw), key: null })
      expectEnvelope(await send(most), 422, 'VALIDATION_ERROR')
      expectEnvelope(await send(`${most} `), 413, 'PAYLOAD_TOO_LARGE')
    })

    it('shows no names: what is not there is 404 whatever is sent, and only POST is taken', async () => {
      for (const name of ['nobody', 'Bridge', 'bridge%00', '__proto__', 'constructor']) {
        expectEnvelope(await test.ask('POST', `/hooks/${name}`, { json: {} }), 404, 'RESOURCE_NOT_FOUND')
      }
      for (const name of ['bridge', 'nobody']) {
        expectEnvelope(await test.ask('GET', `/hooks/${name}`), 405, 'METHOD_NOT_ALLOWED')
      }
    })
  })
}

/** Every event of a mail, as a provider tells it. */
function eventsOf({ id, to, messageId }: SentMail): Record<Exclude<HookEvent['kind'], 'nonsense'>, HookEvent> {
  const about = { mail: { emailId: id, messageId, providerId: id }, recipient: to, link: 'https://example.com/' }
  const make = (kind: HookEvent['kind']) => ({
    ...{ kind, id: `${id} ${kind}`, at: new Date(), diagnostic: '550 5.1.1 User unknown', ...about },
  })
  return {
    ...{ delivered: make('delivered'), bounced: make('bounced'), complained: make('complained') },
    ...{ opened: make('opened'), clicked: make('clicked') },
  }
}

describe.each(PROVIDERS)(`what $name tells by HTTP`, (provider) => {
  let test: TestApp
  /** Sends it as the provider does, once or, where that is another request, as often as it is asked. */
  const post = ({ headers, body }: HookRequest) =>
    test.ask('POST', `/hooks/${provider.name}`, { raw: new Uint8Array(body), headers, key: null })
  const tell = (event: HookEvent) => post(provider.tell([event], new Date()) as HookRequest)

  beforeAll(async () => {
    const hooks = [{ name: provider.name, plugin: provider.plugin() }]
    const { webhooks } = provider
    const sender = webhooks && definePlugin({ name: 'fake', provides: ['webhooks'], open: () => ({ webhooks }) })
    const settings = { publicUrl: 'https://mail.example', hooks, ...(sender && { webhookSender: sender() }) }
    // what becomes of a report is seen on both above; here it is how each provider words it
    test = await testApp(QUICK, {}, settings)
    await test.engine.start()
  })

  it('is written down: a bounce, a complaint, openings and clicks, each once however often it is told', async () => {
    const bounced = eventsOf(await sentMail(test)).bounced
    const twice = [await tell(bounced), await tell(bounced)]
    expect(twice.map(({ status, body }) => [status, body.data.changed])).toEqual([
      [200, 1],
      [200, 0],
    ])
    const read = async (id: string) => (await test.ask('GET', `/emails/${id}`)).body
    expect(await read(bounced.mail.emailId)).toMatchObject({
      status: 'BOUNCED',
      error: expect.stringMatching('5.1.1'),
    })
    const { body } = await test.ask('GET', '/suppressions')
    expect(body.data).toMatchObject([{ email: bounced.recipient, reason: 'BOUNCE' }])
    const { events } = (await test.ask('GET', '/events?eventName=email.bounce')).body
    expect(events).toMatchObject([{ emailId: bounced.mail.emailId, data: { bounceType: 'Permanent' } }])

    const mail = await sentMail(test)
    const { opened, clicked, complained } = eventsOf(mail)
    for (const event of [opened, clicked, opened, clicked, complained, complained]) {
      expect((await tell(event)).status).toBe(200)
    }
    expect(await read(mail.id)).toMatchObject({ status: 'COMPLAINED', opens: 1, clicks: 1 })
    expect(await mail.isSuppressed()).toBe(true)
    expect((await mail.events()).toSorted()).toEqual(
      ['email.click', 'email.complaint', 'email.delivery', 'email.open', 'email.sent'].toSorted(),
    )
  })

  it('changes nothing when it is forged, and nothing of mail that is none of ours', async () => {
    const mail = await sentMail(test)
    const { complained } = eventsOf(mail)
    for (const forged of provider.forge(provider.tell([complained], new Date()) as HookRequest)) {
      const answer = await post(forged)
      expectEnvelope(answer, 401, 'INVALID_SIGNATURE')
      const scheme = provider === POSTMARK ? 'Basic realm="hooks"' : 'Signature'
      expect(answer.headers.get('www-authenticate')).toBe(scheme)
    }
    const ids = { emailId: randomUUID(), messageId: `<${randomUUID()}@example.com>`, providerId: randomUUID() }
    expect((await tell({ ...complained, mail: ids })).body.data).toEqual({ reports: 1, changed: 0 })
    expect((await tell({ ...complained, kind: 'nonsense' })).body.data).toEqual({ reports: 0, changed: 0 })
    expect(await mail.status()).toBe('DELIVERED')
    expect(await mail.isSuppressed()).toBe(false)
  })
})

it('a token of Mailgun counts once, whatever event is told with it', async () => {
  const test = await testApp(QUICK, {}, { hooks: [{ name: 'mailgun', plugin: MAILGUN.plugin() }] })
  await test.engine.start()
  const mail = await sentMail(test)
  const { delivered, complained } = eventsOf(mail)
  const [first, second] = [delivered, complained].map((event) => MAILGUN.tell([event], new Date()) as HookRequest)
  const [one, other] = [first, second].map((request) => JSON.parse(Buffer.from(request?.body ?? '').toString()))
  const post = (json: object) => test.ask('POST', '/hooks/mailgun', { json, key: null })
  expect((await post(one)).status).toBe(200)
  expectEnvelope(await post(one), 406, 'ALREADY_USED')
  expectEnvelope(await post({ ...other, signature: one.signature }), 406, 'ALREADY_USED')
  expect(await mail.status()).toBe('DELIVERED')
  expect((await post(other)).body.data.changed).toBe(1)
})

describe('a hook', () => {
  const setUp = async (answer: () => unknown, options = {}) => {
    const test = await testApp(QUICK, options, { hooks: [{ name: 'odd', plugin: odd(answer) }] })
    return { ...test, call: (headers = {}) => test.ask('POST', '/hooks/odd', { raw: 'x', headers, key: null }) }
  }

  it('whose caller is not proven is limited by address; who is proven always passes', async () => {
    let answer: unknown = { outcome: 'refused', status: 401, message: 'no' }
    const { call, lines } = await setUp(() => answer, { hookFailuresPerMinutePerIp: 2, trustProxy: true })
    const one = { 'x-forwarded-for': '192.0.2.1' }
    expect((await call(one)).status).toBe(401)
    answer = { outcome: 'refused', status: 503, message: 'not now' }
    expect((await call(one)).status).toBe(503)
    answer = { outcome: 'refused', status: 403, message: 'no' }
    const limited = await call(one)
    expectEnvelope(limited, 429, 'RATE_LIMIT_EXCEEDED')
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await call({ 'x-forwarded-for': '192.0.2.2' })).status).toBe(403)
    answer = { outcome: 'taken', reports: [] }
    expect((await call(one)).status).toBe(200)
    // the operator learns why, and is not drowned in it
    expect(lines.filter(({ message }) => message === 'a hook refused a request').length).toBeLessThanOrEqual(5)
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ reason: 'no' }) }),
    )
  })

  it('that hangs is given up after ten seconds, and told so', async () => {
    let given: AbortSignal | undefined
    const plugin = definePlugin({
      name: 'hook-slow',
      provides: ['hook'],
      open: () => ({
        hook: {
          receive(_request, signal) {
            given = signal
            return new Promise<HookAnswer>(() => {})
          },
        },
      }),
    })
    const { engine } = await testApp(QUICK, {}, { hooks: [plugin()] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const request = { method: 'POST', headers: {}, query: new URLSearchParams(), body: new Uint8Array() }
    const asked = engine.feedback.hooks.receive('hook-slow', { ...request, receivedAt: new Date() })
    await Promise.all([
      expect(asked).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }),
      vi.advanceTimersByTimeAsync(10_000),
    ])
    expect(given?.aborted).toBe(true)
  })

  it('tells of the delivery of what a relay has only taken', async () => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    const relay = smtp({
      host: '127.0.0.1',
      port: sink.port,
      reportsDelivery: true,
      requireTls: false,
      headers: { 'X-Id': '{id}' },
    })
    const test = await testApp(
      QUICK,
      {},
      {
        transports: [relay],
        hooks: [{ name: 'postmark', plugin: POSTMARK.plugin() }],
      },
    )
    await test.engine.start()
    const mail = await sentMail(test)
    expect(await mail.status()).toBe('SENT')
    expect((await sink.waitFor(1))[0]?.raw.toString()).toMatch(new RegExp(`^X-Id: ${mail.id}\r\n`))
    const { headers, body } = POSTMARK.tell([eventsOf(mail).delivered], new Date()) as HookRequest
    const answer = await test.ask('POST', '/hooks/postmark', { raw: new Uint8Array(body), headers, key: null })
    expect(answer.body.data).toEqual({ reports: 1, changed: 1 })
    expect(await mail.status()).toBe('DELIVERED')
    expect(await mail.events()).toContain('email.delivery')
  })

  it('that breaks or says nonsense asks the provider to come again, and the operator is told', async () => {
    let answer: () => unknown = () => ({})
    const { call, lines } = await setUp(() => answer())
    const html = { contentType: 'text/html', body: '<script>' }
    for (const each of [
      () => Promise.reject(new Error('broken')),
      () => undefined,
      () => ({ outcome: 'taken' }),
      () => ({ outcome: 'refused', status: 200, message: 'x' }),
      () => ({ outcome: 'taken', reports: [], reply: html }),
      () => ({ outcome: 'taken', reports: [{}] }),
    ]) {
      answer = each
      const before = lines.filter(({ level }) => level === 'error').length
      const got = await call()
      expectEnvelope(got, 503, 'SERVICE_UNAVAILABLE')
      expect(got.headers.get('retry-after')).toBeTruthy()
      expect(lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(before)
    }
  })

  it('may say with which words it is refused, and what its provider wants to read', async () => {
    let answer = () => Promise.reject<unknown>(new EngineError('INVALID_JSON', 'No.'))
    const { call } = await setUp(() => answer())
    expectEnvelope(await call(), 400, 'INVALID_JSON')
    answer = async () => ({ outcome: 'taken', reports: [], reply: { contentType: 'text/plain', body: 'token' } })
    const got = await call()
    expect([got.status, got.text, got.headers.get('content-type')]).toEqual([200, 'token', 'text/plain; charset=utf-8'])
    expect(got.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('has what only one request may bear refused the second time, but not when the first was not stored', async () => {
    const report = {
      kind: 'opened',
      mail: { emailId: '01900000-0000-7000-8000-000000000000' },
      at: new Date(),
      key: 'k',
    }
    const taken = { outcome: 'taken', once: 'token 1', reports: [report] }
    let answer: unknown = { ...taken, reports: [{ ...report, mail: undefined }] }
    const { call } = await setUp(() => answer)
    expect((await call()).status).toBe(503)
    answer = taken
    const both = await Promise.all([call(), call()])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 406])
    expectEnvelope(await call(), 406, 'ALREADY_USED')
    answer = { ...taken, once: 'token 2' }
    expect((await call()).status).toBe(200)
  })

  it('asks the provider to come again when nothing can be stored, and then takes the same request', async () => {
    let isAway = false
    const store = definePlugin({
      name: 'store-that-goes-away',
      provides: ['store'],
      open: async (_options: object, kit) => {
        const opened = await QUICK.store().open(kit)
        const inner = opened.store
        const transaction: typeof inner.transaction = (work) =>
          isAway ? Promise.reject(new EngineError('SERVICE_UNAVAILABLE', 'The disk is full.')) : inner.transaction(work)
        return {
          ...opened,
          store: new Proxy(inner, {
            get: (on, name) => (name === 'transaction' ? transaction : Reflect.get(on, name)),
          }),
        }
      },
    })
    const hooks = [{ name: 'bridge', plugin: signedHook({ secret: SECRET }) }]
    const test = await testApp({ store: () => store() }, {}, { hooks })
    await test.engine.start()
    const mail = await sentMail(test)
    const raw = JSON.stringify({ kind: 'complained', mail: { emailId: mail.id } })
    const call = () => test.ask('POST', '/hooks/bridge', { raw, headers: headers(raw), key: null })
    isAway = true
    const refused = await call()
    expectEnvelope(refused, 503, 'SERVICE_UNAVAILABLE')
    expect(refused.headers.get('retry-after')).toBeTruthy()
    isAway = false
    expect((await call()).body.data).toEqual({ reports: 1, changed: 1 })
    expect(await mail.status()).toBe('COMPLAINED')
  })
})
