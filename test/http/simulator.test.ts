import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const HOST = 'simulator.mail.example.net'
const LONG = 20_000

/** The statuses that the mail to each address ends with, and the names of its events in their order. */
const ENDS: Readonly<Record<string, { readonly status: string; readonly events: readonly string[] }>> = {
  delivered: { status: 'DELIVERED', events: ['email.sent', 'email.delivery'] },
  bounce: { status: 'BOUNCED', events: ['email.sent', 'email.bounce'] },
  soft: { status: 'DELIVERED', events: ['email.sent', 'email.delivery'] },
  full: { status: 'FAILED', events: ['email.sent', 'email.bounce'] },
  complaint: { status: 'COMPLAINED', events: ['email.sent', 'email.delivery', 'email.complaint'] },
  delay: { status: 'DELIVERED', events: ['email.sent', 'email.delivery'] },
  ooo: { status: 'DELIVERED', events: ['email.sent', 'email.delivery', 'email.received'] },
  reply: { status: 'DELIVERED', events: ['email.sent', 'email.delivery', 'email.received', 'email.replied'] },
  unknown: { status: 'BOUNCED', events: ['email.bounce'] },
}

describe.each([STRICT])('the simulator on $name', (store) => {
  let test: TestApp
  let sink: SmtpSink
  let lateMs = 0

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    const clock = { now: () => new Date(Date.now() + lateMs) }
    const projects = [
      { id: PROJECT, name: 'Test', secretKey: SECRET, trustedDomains: ['example.com'], quotas: { daily: 2 } },
    ]
    test = await testApp(
      store,
      {},
      {
        ...{ projects, clock, publicUrl: 'https://mail.example.net', egress: { allow: ['127.0.0.1'] } },
        ...{ transports: [toSink(sink)], delivery: { threads: 0, retryDelays: [1] } },
      },
    )
    await test.engine.start()
  })

  const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, json?: object) => {
    const { status, text, body } = await test.ask(method, path, json === undefined ? {} : { json })
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }
  const MAIL = { from: 'hello@example.com', subject: 'Grüße, {{ name }}', body: '<p>Hi</p>', data: { name: 'Ada' } }
  const send = async (to: string, more: object = {}): Promise<string> =>
    (await ask('POST', '/v1/send', { ...MAIL, to, ...more })).data.emails[0].email
  const get = (id: string) => ask('GET', `/emails/${id}`)
  const becomes = (id: string, status: string) =>
    until(`${id} is ${status}`, async () => (await get(id)).status === status, LONG)

  it('does at each address what it stands for, by real reports and answers, and sends nothing', async () => {
    const hook = await startReceiver()
    await ask('POST', '/webhooks', { url: hook.url, events: ['email.*', 'contact.unsubscribed'] })
    const inbox = await ask('POST', '/inboxes', { name: 'Help', address: 'help@example.com' })
    const names = Object.keys(ENDS)
    // each name in its own letter case, with something after a plus, at one of the two hosts
    const addressOf = (name: string, i: number) =>
      i % 2 === 0 ? `${name}+${store.name}.1@SIMULATOR.localhost` : `${name.toUpperCase()}@${HOST}`
    const ids = new Map<string, string>()
    for (const [i, name] of names.entries())
      ids.set(name, await send(addressOf(name, i), { reply: 'Help <help@example.com>' }))
    await until('the delayed mail was handed over', async () => (await get(ids.get('delay') ?? '')).status === 'SENT')
    lateMs += 31_000
    for (const [name, { status }] of Object.entries(ENDS)) await becomes(ids.get(name) ?? '', status)
    for (const [i, [name, { events }]] of Object.entries(ENDS).entries()) {
      const address = addressOf(name, i).toLowerCase()
      const seen = () =>
        hook.requests
          .map(({ body }) => JSON.parse(body))
          .filter(({ type, data }) => type.startsWith('email.') && data.contact.email === address)
          .map(({ type }) => type)
      await until(`all events of ${name} were posted`, () => seen().length >= events.length, LONG)
      expect([name, ...seen().toSorted()]).toEqual([name, ...events.toSorted()])
    }

    const { data: suppressed } = await ask('GET', '/suppressions?limit=100')
    const reasons = Object.fromEntries(
      suppressed.map(({ email, reason }: { email: string; reason: string }) => [email.split(/[+@]/)[0], reason]),
    )
    expect(reasons).toEqual({ bounce: 'BOUNCE', unknown: 'BOUNCE', complaint: 'COMPLAINT' })
    // a second mail to an address that bounced is left out, as anywhere; another word after the plus is another address
    const again = await send(addressOf('bounce', names.indexOf('bounce')))
    expect(await until('it ends', async () => ['SKIPPED'].includes((await get(again)).status))).toBe(true)
    await becomes(await send(`bounce+another@${HOST}`), 'BOUNCED')

    const { data: threads } = await ask('GET', `/inboxes/${inbox.id}/threads`)
    const froms = threads.map(({ participants }: { participants: { email: string }[] }) => participants[0]?.email)
    expect(froms.map((email: string) => email.split(/[+@]/)[0]).toSorted()).toEqual(['ooo', 'reply'])
    const [replied] = threads.filter(({ subject }: { subject: string }) => subject.includes('Grüße, Ada'))
    expect(replied).toMatchObject({ messageCount: expect.any(Number) })

    expect(sink.messages).toEqual([])
    expect((await ask('GET', `/projects/${PROJECT}/limits`)).quotas).toMatchObject([{ used: 0, left: 2 }])
    expect(await ask('GET', '/deliverability')).toEqual([])
  })

  it('takes a whole campaign and its brake, and mails of whole messages, to no quota and no figure', async () => {
    const people = Array.from({ length: 30 }, (_, i) => ({ email: `unknown+c${i}@${HOST}`, data: { group: 'braked' } }))
    for (const json of people) await ask('POST', '/contacts', { ...json, subscribed: true })
    const audienceFilter = {
      operator: 'AND',
      conditions: [{ field: 'data.group', operator: 'equals', value: 'braked' }],
    }
    const news = { name: 'News', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'FILTERED' }
    const { id } = (await ask('POST', '/campaigns', { ...news, audienceFilter })).data
    await ask('POST', `/campaigns/${id}/send`)
    await until('it is braked', async () => (await ask('GET', `/campaigns/${id}`)).status === 'PAUSED', LONG)
    const raw = ['From: hello@example.com', `To: delivered@${HOST}`, 'Subject: Whole', '', 'Text', ''].join('\r\n')
    const whole = await ask('POST', '/v1/send/message', {
      message: Buffer.from(raw).toString('base64'),
      to: [`complaint+whole@${HOST}`],
    })
    await becomes(whole.data.emails[0].email, 'COMPLAINED')
    expect(sink.messages).toEqual([])
    expect((await ask('GET', `/projects/${PROJECT}/limits`)).quotas).toMatchObject([{ used: 0 }])
    expect(await ask('GET', '/deliverability')).toEqual([])
  })

  it('answers in a project for tests, but not to a test key, which starts nothing', async () => {
    await ask('PATCH', `/projects/${PROJECT}`, { mode: 'test' })
    await becomes(await send(`bounce+mode@${HOST}`), 'BOUNCED')
    const given = { name: 'vitest', kind: 'secret', scopes: ['send', 'read'], test: true }
    const { key } = await ask('POST', `/projects/${PROJECT}/keys`, given)
    const json = { ...MAIL, to: `bounce+key@${HOST}` }
    const { body } = await test.ask('POST', '/v1/send', { key, json })
    await becomes(body.data.emails[0].email, 'SKIPPED')
    expect((await get(body.data.emails[0].email)).skipReason).toBe('caught')
    await ask('PATCH', `/projects/${PROJECT}`, { mode: 'live' })
  })

  it('is never mixed with real mail: not in one mail, and not by a name that looks alike', async () => {
    for (const [field, json] of Object.entries({
      cc: { to: `delivered@${HOST}`, cc: 'ada@real.example' },
      bcc: { to: 'ada@real.example', bcc: [`bounce@${HOST}`] },
      to: { to: ['ada@real.example', 'delivered@simulator.localhost'], together: true },
    })) {
      const refused = await test.ask('POST', '/v1/send', { json: { ...MAIL, ...json } })
      expectEnvelope(refused, 422, 'VALIDATION_ERROR')
      expect(refused.body.error.errors ?? refused.text).toMatchObject([{ field }])
    }
    for (const real of [`bounce@mail.example.net`, `bounce@x${HOST}`]) await send(real)
    const messages = await sink.waitFor(2)
    expect(messages.map(({ to }) => to[0]?.split('@')[1]).toSorted()).toEqual(['mail.example.net', `x${HOST}`])
    expect((await ask('GET', `/projects/${PROJECT}/limits`)).quotas).toMatchObject([{ used: 2 }])
  })
})
