import { createRequire } from 'node:module'
import type Plunk from '@plunk/node'
import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

const FROM = 'Acme <hello@example.com>'

/** Loaded as the CommonJS it is: bundlers and Node disagree on where the default of such a module is. */
const { default: Client }: typeof Plunk = createRequire(import.meta.url)('@plunk/node')

// These clients are used as they are, over a real socket. bknd itself is not installed, because it brings a whole
// dashboard: `plunkEmail` below sends what its driver of that name sends (app/src/core/drivers/email/plunk.ts).
describe("Plunk's clients", () => {
  let sink: SmtpSink
  let test: TestApp
  let http: HttpServer
  let seen = 0

  beforeAll(async () => {
    sink = await startSmtpSink()
    const project = { name: 'Acme', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'], from: FROM }
    test = await testApp(ANY, {}, { projects: [project], transports: [toSink(sink)] })
    await test.engine.start()
    http = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  })
  atEndOfFile(async () => {
    await http.close(0)
    await sink.close()
  })

  /** The mails that arrived since the last call, by recipient. */
  const arrived = async (count: number) => {
    const mails = (await sink.waitFor(seen + count)).slice(seen)
    seen += count
    const read = await Promise.all(
      mails.map(async ({ to, raw }) => ({ to: to[0] ?? '', mail: await simpleParser(raw) })),
    )
    return read.toSorted((a, b) => (a.to < b.to ? -1 : 1))
  }

  describe('@plunk/node', () => {
    const client = (key = SECRET) => new Client(key, { baseUrl: `${http.url}/v1/` })

    it('sends, without a sender of its own, to one and to several', async () => {
      const mail = { subject: 'Hi', body: 'Hello,\n\nthanks', type: 'html', name: 'Ada', subscribed: true } as const
      expect(await client().emails.send({ ...mail, to: 'one@example.org' })).toMatchObject({ success: true })
      await client().emails.send({ ...mail, to: ['three@example.org', 'two@example.org'] })
      const mails = await arrived(3)
      expect(mails.map(({ to }) => to)).toEqual(['one@example.org', 'three@example.org', 'two@example.org'])
      const [{ mail: sent } = mails[0]!] = mails
      expect(sent.from?.value).toEqual([{ name: 'Ada', address: 'hello@example.com' }])
      expect(sent.text).toBe('Hello,\n\nthanks')
      expect(sent.html).toContain('Hello,<br>\n<br>\nthanks')
    })

    it('tracks with either key, with data that stays and data that does not', async () => {
      const data = { plan: 'pro', code: { value: 'x', persistent: false } }
      for (const key of [SECRET, PUBLIC]) {
        const tracked = await client(key).events.track({ event: 'signed.up', email: 'one@example.org', data })
        expect(tracked).toMatchObject({ success: true })
      }
      const { body } = await test.ask('GET', '/contacts?search=one@example.org')
      expect(body.data[0]).toMatchObject({ subscribed: true, data: { plan: 'pro' } })
    })

    it('says what is wrong in its own errors', async () => {
      const mail = { to: 'one@example.org', subject: 'Hi', body: 'B' }
      await expect(client('sk_wrong').emails.send(mail)).rejects.toMatchObject({
        ...{ name: 'Error', message: 'The API key is not valid.' },
        constructor: expect.objectContaining({ name: 'TokenError' }),
      })
      await expect(client().emails.send({ ...mail, type: 'markdown' })).rejects.toThrow(/^type: must be html/)
      await expect(client().emails.send({ ...mail, from: 'a@other.example' })).rejects.toThrow(/other\.example is not/)
    })
  })

  describe("bknd's plunkEmail", () => {
    const plunkEmail = ({ apiKey = SECRET, from }: { apiKey?: string; from?: string } = {}) => ({
      async send(to: string, subject: string, body: string | { text: string; html: string }, options: object = {}) {
        const payload = { from, to, subject, body: typeof body === 'string' ? body : body.html }
        const response = await fetch(`${http.url}/v1/send`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
          body: JSON.stringify({ ...payload, ...options }),
        })
        if (!response.ok) throw new Error(`Plunk API error: ${await response.text()}`)
        return response.json()
      },
    })

    it('sends text and HTML, with and without a sender and options', async () => {
      const none = await plunkEmail().send('a@example.org', 'Test Email', 'This is a test email')
      expect(none).toMatchObject({ success: true, data: { emails: [{ contact: { email: 'a@example.org' } }] } })
      const both = { text: 'This is text', html: '<p>This is HTML</p>' }
      await plunkEmail({ from: 'Own <own@example.com>' }).send('b@example.org', 'HTML', both)
      const options = { subscribed: true, name: 'Ada', reply: 'r@example.org', headers: { 'X-Own': '1' } }
      await plunkEmail({ from: 'own@example.com' }).send('c@example.org', 'Options', '<b>B</b>', options)
      const [a, b, c] = (await arrived(3)).map(({ mail }) => mail)
      expect(a?.from?.text).toBe('"Acme" <hello@example.com>')
      expect(b?.from?.text).toBe('"Own" <own@example.com>')
      expect(b?.html).toContain('<p>This is HTML</p>')
      expect([c?.from?.text, c?.replyTo?.text]).toEqual(['"Ada" <own@example.com>', 'r@example.org'])
      expect(c?.headers.get('x-own')).toBe('1')
      await expect(plunkEmail({ apiKey: 'invalid' }).send('foo@bar.com', 'Test', 'Test')).rejects.toThrow('401')
    })
  })

  // what Plunk's documentation and its dashboard send, in their shapes; answers are read as Plunk's clients read them
  it('take a whole project over: contacts, segments, campaigns, workflows', async () => {
    const ask = async (method: string, path: string, json?: object) => {
      const { status, body, text, headers } = await test.ask(method, path, json ? { json } : {})
      expect([path, status < 300, text]).toEqual([path, true, text])
      // a body that names some fields changes those and says so
      if (method !== 'PUT') expect(headers.get('mailwright-warning')).toBeNull()
      return body
    }
    const contact = await ask('POST', '/contacts', {
      ...{ email: 'user@example.org', subscribed: true, data: { firstName: 'John', plan: 'pro' } },
    })
    const send = await ask('POST', '/v1/send', {
      to: [{ name: 'Jane Doe', email: 'jane@example.org' }, 'john@example.org'],
      ...{ subject: 'Password Reset', body: '<p>Reset code: {{resetCode}}</p>' },
      from: { name: 'My App', email: 'noreply@example.com' },
      data: { firstName: 'John', resetCode: { value: 'ABC123', persistent: false } },
    })
    expect(send.data.emails).toHaveLength(2)
    for (const { mail } of await arrived(2)) expect(mail.html).toContain('Reset code: ABC123')

    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
    }
    const segment = await ask('POST', '/segments', { name: 'Pro', condition, trackMembership: false })
    expect(segment).toMatchObject({ condition, filters: { operator: 'AND' } })
    const { data: campaign } = await ask('POST', '/campaigns', {
      ...{ name: 'News', subject: 'Hi {{firstName}}', body: '<p>News</p>', from: 'news@example.com' },
      ...{ audienceType: 'FILTERED', audienceCondition: condition },
    })
    expect(campaign.audienceCondition).toEqual(condition)
    await ask('PUT', `/campaigns/${campaign.id}`, { subject: 'New' })
    const { data: campaigns } = await ask('GET', '/campaigns?page=1&pageSize=10')
    expect(campaigns[0]).toMatchObject({ id: campaign.id, name: 'News', subject: 'New', audienceCondition: condition })

    const template = await ask('POST', '/templates', {
      ...{ name: 'Welcome', subject: 'Welcome', body: '<p>Hi {{firstName}}</p>', type: 'TRANSACTIONAL' },
      ...{ from: 'hello@example.com', fromName: 'Acme', replyTo: 'help@example.com' },
    })
    const workflow = await ask('POST', '/workflows', { name: 'Onboarding', eventName: 'welcome', allowReentry: false })
    const steps = `/workflows/${workflow.id}/steps`
    const config = { templateId: template.id, recipient: { type: 'CONTACT' } }
    const position = { x: 100, y: 200 }
    await ask('POST', steps, { type: 'SEND_EMAIL', name: 'Mail', position, config, templateId: template.id })
    const branch = await ask('POST', steps, {
      ...{
        type: 'CONDITION',
        name: 'Pro?',
        position,
        config: { field: 'data.plan', operator: 'equals', value: 'pro' },
      },
    })
    const exit = await ask('POST', steps, { type: 'EXIT', name: 'End', position, config: {}, autoConnect: false })
    const yes = { fromStepId: branch.id, toStepId: exit.id, condition: { branch: 'yes' }, priority: 0 }
    await ask('POST', `/workflows/${workflow.id}/transitions`, yes)
    await ask('PATCH', `/workflows/${workflow.id}`, { enabled: true })
    await ask('POST', '/v1/track', { email: contact.email, event: 'welcome' })
    const [{ to, mail } = { to: '', mail: undefined }] = await arrived(1)
    expect([to, mail?.subject, mail?.html]).toEqual(['user@example.org', 'Welcome', expect.stringContaining('Hi John')])
  })
})
