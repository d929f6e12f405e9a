import { createTransport } from 'nodemailer'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import type { SubmissionListener } from '../../plugins/submission-smtp/submission-listener.ts'
import { listen } from '../../server/http/http-server.ts'
import { MAIL, PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS, mailToken } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { STRICT } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { listenerPlugin } from '../support/submission.ts'
import { until } from '../support/until.ts'

const ACCOUNTS = { passwordCost: 10, signup: true, from: 'accounts@example.com' }
const PROJECTS = [{ id: PROJECT, name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }]

describe('mail that is caught', () => {
  let test: TestApp
  let sink: SmtpSink
  let listener: SubmissionListener
  let testKey = ''
  let seen = 0
  const arrived = () => sink.messages.slice(seen).flatMap(({ to }) => to)

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    test = await testApp(
      STRICT,
      {},
      {
        ...LINK_SETTINGS,
        ...{ accounts: ACCOUNTS, projects: PROJECTS, transports: [toSink(sink)], egress: { allow: ['127.0.0.1'] } },
        submission: [
          listenerPlugin((opened) => {
            listener = opened
          }),
        ],
      },
    )
    await test.engine.start()
    // without scopes it has those that a test key may have
    const made = await ask('POST', `/projects/${PROJECT}/keys`, { name: 'vitest', kind: 'secret', test: true }, 201)
    expect(made.scopes).toEqual(['send', 'read'])
    testKey = made.key
    const bare = await ask('POST', `/projects/${PROJECT}/keys`, { name: 'no test', kind: 'secret' }, 422)
    expect(bare.error.errors).toMatchObject([{ field: 'scopes', code: 'required' }])
  })
  beforeEach(async () => {
    await mode('live', null)
    seen = sink.messages.length
  })

  const ask = async (method: string, path: string, json?: unknown, expected = 200, key = SECRET) => {
    const { status, body } = await test.ask(method, path, { key, json })
    expect(status, JSON.stringify(body)).toBe(expected)
    return body?.data ?? body
  }
  const mode = (mode: string, allowedRecipients: readonly string[] | null = null) =>
    ask('PATCH', `/projects/${PROJECT}`, { mode, allowedRecipients })
  const send = async (change: object = {}, key = SECRET): Promise<string> =>
    (await ask('POST', '/v1/send', { ...MAIL, ...change }, 200, key)).emails[0].email
  const ended = (id: string) =>
    until(`a result of ${id}`, async () => {
      const mail = await ask('GET', `/emails/${id}`)
      return ['QUEUED', 'SENDING'].includes(mail.status) ? undefined : mail
    })
  const CAUGHT = { status: 'SKIPPED', skipReason: 'caught' }

  it('is all of a project for tests, also what waits when the mode changes, and it is whole', async () => {
    const later = await send({ to: 'later@example.org', scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    await mode('test')
    await ask('PATCH', `/emails/${later}`, { scheduledFor: new Date().toISOString() })
    const id = await send({ subject: 'Hi {{ name }}', data: { name: 'Ada' }, cc: 'copy@example.org' })
    expect(await ended(id)).toMatchObject({ ...CAUGHT, subject: 'Hi Ada', attempts: 1, tries: [], events: [] })
    expect(await ended(later)).toMatchObject(CAUGHT)
    const { text } = await test.ask('GET', `/emails/${id}/raw`)
    expect(text).toContain('Subject: Hi Ada')
    expect(text).toContain('copy@example.org')
    expect(arrived()).toEqual([])
    await mode('live')
    expect((await ended(await send())).status).toBe('DELIVERED')
    expect(arrived()).toHaveLength(1)
  })

  it('goes to those whom the mode members allows, if all of its recipients are among them', async () => {
    await mode('members', ['ADA@example.org', '@Friends.example'])
    const to = async (change: object) => (await ended(await send(change))).skipReason ?? 'sent'
    expect(await to({ to: 'ada@example.org' })).toBe('sent')
    expect(await to({ to: 'any@friends.example', cc: 'ada@example.org' })).toBe('sent')
    expect(await to({ to: 'ada@example.org', bcc: 'eve@example.org' })).toBe('caught')
    expect(await to({ to: 'eve@sub.friends.example' })).toBe('caught')
    expect(arrived().sort()).toEqual(['ada@example.org', 'ada@example.org', 'any@friends.example'])
  })

  it('is all of a test key, which changes no contact, starts nothing, and reads and sends alone', async () => {
    await ask('POST', '/contacts', { email: 'known@example.org', subscribed: true, data: { plan: 'pro' } }, 201)
    const change = { to: ['known@example.org', 'new@example.org'], subscribed: true, data: { plan: 'free' } }
    const id = await send({ ...change, subject: '{{ plan }}' }, testKey)
    expect(await ended(id)).toMatchObject({ ...CAUGHT, toFolder: true, subject: 'free' })
    const contacts = await ask('GET', '/contacts?limit=100')
    const of = (email: string) => contacts.find((one: { email: string }) => one.email === email)
    expect(of('known@example.org')).toMatchObject({ subscribed: true, data: { plan: 'pro' } })
    expect(of('new@example.org')).toMatchObject({ subscribed: false, data: {} })
    const happened = (await ask('GET', '/events?limit=100')).events.map((one: { contactId: string }) => one.contactId)
    expect(happened).not.toContain(of('new@example.org').id)
    // a key of a live request is another than that of a test
    const once = async (key: string) =>
      (await test.ask('POST', '/v1/send', { key, json: MAIL, headers: { 'idempotency-key': 'order-1' } })).body.data
        .emails[0].email
    expect(await once(testKey)).not.toBe(await once(SECRET))
    const refusal = await ask('POST', '/contacts', { email: 'x@example.org' }, 403, testKey)
    expect(refusal.error.message).toContain('test key')
    await ask('POST', '/events/track', { email: 'x@example.org', event: 'e' }, 403, testKey)
    const live = await send({ scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    await ask('POST', `/emails/${live}/cancel`, undefined, 403, testKey)
    await ask('POST', `/emails/${live}/cancel`)
    const again = await ask('POST', `/emails/${id}/resend`, { to: 'third@example.org' }, 201, testKey)
    expect(await ended(again.id)).toMatchObject(CAUGHT)
    expect(arrived()).toEqual(['ada@example.org'])
  })

  it('is that of a workflow and of a program that submits it by SMTP, and endpoints hear of each', async () => {
    const receiver = await startReceiver()
    const asked = { url: receiver.url, events: ['email.caught', 'email.sent'] }
    const endpoint = await ask('POST', '/webhooks', asked, 201)
    await mode('test')
    const workflow = await ask('POST', '/workflows', { name: 'Welcome', eventName: 'signed_up' }, 201)
    const config = { from: 'hello@example.com', subject: 'Of a workflow', body: '<p>Hi</p>', contentMode: 'inline' }
    const afterStepId = workflow.steps[0].id
    await ask('POST', `/workflows/${workflow.id}/steps`, { type: 'SEND_EMAIL', config, afterStepId }, 201)
    await ask('PATCH', `/workflows/${workflow.id}`, { enabled: true })
    await ask('POST', '/v1/track', { email: 'flow@example.org', event: 'signed_up', subscribed: true })
    const auth = { user: PROJECT, pass: testKey }
    const program = (pass: string) =>
      createTransport({ host: '127.0.0.1', port: listener.port ?? 0, ignoreTLS: true, auth: { ...auth, pass } })
    const submitted = { from: 'shop@example.com', to: 'program@example.org', subject: 'Of a program', text: 'Hi' }
    await program(SECRET).sendMail(submitted)
    const heard = () => receiver.requests.map(({ body }) => JSON.parse(body))
    const ofTo = (to: string) => heard().filter(({ data }) => data.event.to === to)
    const heardOf = (to: string) => until(`endpoints heard of ${to}`, () => ofTo(to).length > 0)
    await heardOf('flow@example.org')
    await heardOf(submitted.to)
    await mode('live')
    // of a test key, whatever the mode is
    await program(testKey).sendMail({ ...submitted, to: 'tested@example.org' })
    await heardOf('tested@example.org')
    const [event] = ofTo('program@example.org')
    const [caught] = (await ask('GET', '/sandbox/messages?to=program@example.org')) as [{ id: string }]
    expect(event).toMatchObject({
      type: 'email.caught',
      data: {
        emailId: caught.id,
        event: { emailId: caught.id, subject: 'Of a program', from: 'shop@example.com', byTestKey: false },
      },
    })
    expect(ofTo('tested@example.org')).toMatchObject([{ data: { event: { byTestKey: true } } }])
    expect(ofTo('flow@example.org')).toMatchObject([
      { data: { event: { sourceType: 'WORKFLOW', subject: 'Of a workflow' } } },
    ])
    expect(heard().map(({ type }) => type)).not.toContain('email.sent')
    expect((await ask('GET', '/events/names')).eventNames).not.toContain('email.caught')
    expect(arrived()).toEqual([])
    // one is cleared alone
    await ask('DELETE', `/sandbox/messages/${caught.id}`, undefined, 204, testKey)
    await ask('DELETE', `/sandbox/messages/${caught.id}`, undefined, 404)
    await ask('DELETE', '/sandbox/messages/x', undefined, 404)
    expect(await ask('GET', '/sandbox/messages?to=program@example.org')).toEqual([])
    expect(await ask('GET', '/sandbox/messages?to=flow@example.org')).toHaveLength(1)
    await ask('DELETE', `/webhooks/${endpoint.id}`, undefined, 204)
  })

  it('is that of a campaign, which is over then', async () => {
    await mode('test')
    await ask('POST', '/contacts', { email: 'reader@example.org', subscribed: true }, 201)
    const campaign = {
      name: 'News',
      subject: 'News',
      body: '<p>News</p>',
      from: 'news@example.com',
      audienceType: 'ALL',
    }
    const { id } = await ask('POST', '/campaigns', campaign, 201)
    const { findings } = await ask('POST', '/templates/check', {
      type: 'MARKETING',
      body: '<p>News</p>',
      subject: 'News',
    })
    expect(findings.map(({ code }: { code: string }) => code)).toContain('project_test')
    expect((await test.ask('POST', `/campaigns/${id}/send`)).status).toBeLessThan(300)
    const stats = await until('the end of the campaign', async () => {
      const campaign = await ask('GET', `/campaigns/${id}`)
      return campaign.status === 'SENT' ? ask('GET', `/campaigns/${id}/stats`) : undefined
    })
    expect(stats).toMatchObject({ sent: 0, queued: 0, skipped: { caught: expect.any(Number) } })
    expect(arrived()).toEqual([])
  })

  it('is none about accounts', async () => {
    await mode('test')
    const json = { email: 'person@example.org', password: 'a long password', name: 'Per' }
    const headers = { origin: LINK_SETTINGS.publicUrl }
    expect((await test.ask('POST', '/auth/signup', { key: null, json, headers })).status).toBe(200)
    await until('the mail to the new user', () => arrived().includes(json.email))
  })

  describe('as tests read it', () => {
    const messages = async (query: string, key = testKey) =>
      (await test.ask('GET', `/sandbox/messages?${query}`, { key })).body
    const CODE = {
      subject: 'Sign in to Acme',
      body: '<p>Your code is:</p><p><b>{{ code }}</b></p><p><a href="https://acme.example/in?u=1&amp;v=2">Or press <i>here</i></a></p>',
    }

    it('has what they look for, is waited for, and is cleared', async () => {
      const to = 'wait@example.org'
      expect(await messages(`to=${to}&wait=0`)).toMatchObject({ data: [], total: 0, hasMore: false })
      const begun = performance.now()
      const waiting = messages(`to=${to}&wait=20`)
      await send({ to: 'another@example.org' }, testKey)
      const id = await send({ to, ...CODE, data: { code: { value: '482 913', persistent: false } } }, testKey)
      const { data } = await waiting
      expect(performance.now() - begun).toBeLessThan(15_000)
      expect(data).toMatchObject([{ id, to, subject: CODE.subject, code: '482913', byTestKey: true, files: 0 }])
      expect(data[0].links).toEqual([{ url: 'https://acme.example/in?u=1&v=2', text: 'Or press here' }])
      const whole = await ask('GET', `/sandbox/messages/${id}`, undefined, 200, testKey)
      expect(whole.html).toContain('<b>482 913</b>')
      expect(whole.headers).toContainEqual({ name: 'Subject', value: CODE.subject })
      // what came before `since` is not what the next test waits for
      const since = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
      expect((await messages(`to=${to}&since=${since}&wait=1`)).data).toEqual([])
      expect((await messages('limit=1')).total).toBeGreaterThan(1)
      const { cleared } = await ask('DELETE', '/sandbox/messages', undefined, 200, testKey)
      expect(cleared).toBeGreaterThan(1)
      expect((await messages('')).data).toEqual([])
      expect(await ask('GET', `/emails/${id}`)).toMatchObject({ status: 'SKIPPED', skipReason: 'cleared' })
      await ask('GET', `/sandbox/messages/${id}`, undefined, 404)
    })

    it('is waited for in one process while another sends', async () => {
      const url = await freshDatabase()
      const shared = { store: () => postgres({ url }) }
      const given = {
        ...LINK_SETTINGS,
        queue: postgresQueue({ url }),
        scheduler: postgresScheduler({ url }),
        projects: PROJECTS,
      }
      const api = await testApp(shared, {}, { ...given, role: 'api', transports: [toSink(sink)] })
      const worker = await testApp(shared, {}, { ...given, role: 'worker', transports: [toSink(sink)] })
      await api.engine.start()
      await worker.engine.start()
      await api.ask('PATCH', `/projects/${PROJECT}`, { json: { mode: 'test' } })
      const waiting = api.ask('GET', '/sandbox/messages?to=ada@example.org&wait=20')
      await api.ask('POST', '/v1/send', { json: MAIL })
      expect((await waiting).body.data).toMatchObject([{ to: MAIL.to, byTestKey: false }])
      expect(arrived()).toEqual([])
    })

    it('counts what is opened and clicked, and has nothing of live mail', async () => {
      const live = await send()
      await ended(live)
      await ask('GET', `/sandbox/messages/${live}`, undefined, 404)
      const id = await send({ to: 'opens@example.org' }, testKey)
      await ended(id)
      expect((await test.ask('GET', `/t/o/${mailToken(PROJECT, id)}`, { key: null })).status).toBe(200)
      const opened = () => ask('GET', `/sandbox/messages/${id}`)
      expect(await until('the opening', async () => ((await opened()).opens > 0 ? opened() : undefined))).toBeTruthy()
      const { contactId } = await ask('GET', `/emails/${id}`)
      // an event could start a workflow, whose mail would be live
      expect(await ask('GET', `/emails/${id}`)).toMatchObject({ ...CAUGHT, events: [] })
      // the text goes with the contact, and the mail stays
      await ask('DELETE', `/contacts/${contactId}`, undefined, 204)
      const bare = { to: 'deleted', contactId: null, subject: null, text: null, html: null, links: [], headers: [] }
      const erased = async () => {
        const mail = await ask('GET', `/sandbox/messages/${id}`)
        return mail.text === null ? mail : undefined
      }
      expect(await until('it is erased', erased)).toMatchObject(bare)
    })

    it('refuses what it cannot read, and more who wait than there is room for', async () => {
      const refused = async (query: string) =>
        (await messages(query)).error.errors.map((one: { field: string }) => one.field)
      expect(await refused('to=nobody')).toEqual(['to'])
      expect(await refused('wait=31')).toEqual(['wait'])
      expect(await refused('since=yesterday')).toEqual(['since'])
      await ask('GET', '/sandbox/messages/x', undefined, 404)
      const asked = Array.from({ length: 51 }, () => messages('to=none@example.org&wait=2'))
      const all = await Promise.all(asked)
      expect(all.filter(({ error }) => error?.code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(1)
      expect((await messages('to=none@example.org&wait=1')).data).toEqual([])
    })

    it('is no more waited for by clients that have gone', async () => {
      const server = await listen(test.app, { host: '127.0.0.1', port: 0 }, silentLog)
      atEndOfFile(() => server.close(0))
      const clients = Array.from({ length: 50 }, async () => {
        const given = { signal: AbortSignal.timeout(1_000), headers: { authorization: `Bearer ${testKey}` } }
        return fetch(`${server.url}/sandbox/messages?to=none@example.org&wait=30`, given).catch(() => 'gone')
      })
      expect(new Set(await Promise.all(clients))).toEqual(new Set(['gone']))
      const isFree = async () => (await messages('to=none@example.org&wait=1')).data !== undefined
      await until('there is room again', isFree, 10_000)
    })
  })
})
