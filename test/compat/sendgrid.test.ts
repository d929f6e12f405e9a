import client from '@sendgrid/client'
import sgMail from '@sendgrid/mail'
import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sendgrid as api } from '../../server/compat/sendgrid/sendgrid-api.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'
import { expectTable } from './tables.ts'

const PART = { type: 'text/plain', value: 'Hello' }
const TO = { to: [{ email: 'ada@example.org' }] }
const MAIL = { from: { email: 'hello@example.com' }, subject: 'Hi', content: [PART], personalizations: [TO] }

const HERE = 'changes only the object'
/** Methods of the packages that make no request. */
const LOCAL = Object.fromEntries(
  [
    ...['setClient', 'setApiKey', 'setTwilioEmailAuth', 'setTimeout', 'setSubstitutionWrappers', 'setSecretRules'],
    ...['filterSecrets', 'client.setApiKey', 'client.setTwilioEmailAuth', 'client.isValidApiKey'],
    ...['client.isValidTwilioAuth', 'client.isString', 'client.setImpersonateSubuser', 'client.setDefaultHeader'],
    ...['client.setDefaultRequest', 'client.setDataResidency', 'client.createHeaders', 'client.createRequest'],
  ].map((name) => [name, HERE]),
)

it('lists all methods of the packages in the documentation', async () => {
  const namesOf = (given: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(given)).filter((name) => name !== 'constructor')
  const methods = [...namesOf(sgMail), ...namesOf(client).map((name) => `client.${name}`)]
  const local = { ...LOCAL, 'client.request': 'makes any request of this table' }
  await expectTable({ api, methods, page: 'docs/compat-sendgrid.md', local })
})

describe(`SendGrid's own packages on ${QUICK.name}`, () => {
  let server: CompatServer
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/compat/sendgrid/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, id: answer.headers.get('x-message-id'), body: text && JSON.parse(text) }
  }

  beforeAll(async () => {
    // its clients warn of keys that do not begin as those of SendGrid
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    server = await compatServer(QUICK)
    sgMail.setClient(client)
    sgMail.setApiKey(SECRET)
    client.setDefaultRequest('baseUrl', `${server.url}/compat/sendgrid`)
  })
  afterAll(() => {
    vi.restoreAllMocks()
    return server.close()
  })

  it('sends the mail of its quick start', async () => {
    const msg = {
      to: 'test@example.com',
      from: 'test@example.com', // Use the email address or domain you verified above
      subject: 'Sending with Twilio SendGrid is Fun',
      text: 'and easy to do anywhere, even with Node.js',
      html: '<strong>and easy to do anywhere, even with Node.js</strong>',
    }
    const [answer] = await sgMail.send(msg)
    expect(answer.statusCode).toBe(202)
    expect(answer.headers['x-message-id']).toMatch(/^[0-9a-f-]{36}$/)
    const [mail] = await server.sink.waitFor(1)
    const { html, text, subject } = await simpleParser(mail!.raw)
    expect(subject).toBe('Sending with Twilio SendGrid is Fun')
    expect(html).toContain('<strong>and easy to do anywhere')
    expect(text).toContain('and easy to do anywhere, even with Node.js')
  })

  it('makes a mail of each personalization, with its own recipients, words and headers', async () => {
    const msg: Parameters<typeof sgMail.send>[0] = {
      from: { name: 'Doe, J.', email: 'hello@example.com' },
      replyToList: [{ name: 'Help', email: 'help@example.com' }, { email: 'sales@example.com' }],
      subject: 'Order {{order}} for -name-',
      text: 'Dear {{name}}, {% this stays %} -sec-',
      html: '<p>Dear {{name}} <img src="cid:logo"></p>',
      sections: { '-block-': 'of a section' },
      headers: { 'X-All': 'a' },
      customArgs: { run: '7' },
      categories: ['a', 'b'],
      trackingSettings: { clickTracking: { enable: false } },
      attachments: [
        { content: 'aGVsbG8=', filename: 'a.png', type: 'image/png', disposition: 'inline', contentId: 'logo' },
      ],
      personalizations: [
        {
          to: [{ name: 'Bob', email: 'bob@example.org' }, 'cy@example.org'],
          cc: 'di@example.org',
          bcc: 'ed@example.org',
          substitutions: { name: 'B & C', order: '1', sec: '{{x}}' },
          headers: { 'X-One': '1' },
        },
        { to: 'fay@example.org', subject: 'For {{name}}', substitutions: { name: 'Fay' }, customArgs: { run: '8' } },
      ],
    }
    await sgMail.send(msg)
    const mails = await server.sink.waitFor(3)
    const bob = mails.find(({ to }) => to.includes('bob@example.org'))
    expect(bob?.to).toEqual(['bob@example.org', 'cy@example.org', 'di@example.org', 'ed@example.org'])
    const parsed = await simpleParser(bob!.raw, { skipImageLinks: true })
    expect(parsed.subject).toBe('Order 1 for -name-')
    expect(parsed.replyTo?.text).toBe('"Help" <help@example.com>, sales@example.com')
    expect(parsed.text).toContain('Dear B & C, {% this stays %} -sec-')
    expect(parsed.headers.get('x-one')).toBe('1')
    expect(parsed.headers.get('x-all')).toBe('a')
    expect(parsed.attachments).toMatchObject([{ contentId: '<logo>', related: true }])
    const fay = mails.find(({ to }) => to.includes('fay@example.org'))
    const second = await simpleParser(fay!.raw)
    expect(second.subject).toBe('For Fay')
    expect(second.headers.has('x-one')).toBe(false)
    const { body } = await server.test.ask('GET', '/emails?search=to:fay@example.org')
    expect(body.data).toMatchObject([{ tags: { run: '8', _category: 'a', '_category-2': 'b' } }])
  })

  it('fills in templates, and names within sections', async () => {
    const name = 'D 0a1b'
    const template = { name, subject: 'Hi {{ name }}', body: '<p>{{ n.of }} left</p>', type: 'TRANSACTIONAL' }
    const made = await server.test.ask('POST', '/templates', { json: template })
    expect(made.body.slug).toBe('d-0a1b')
    const data = { name: 'Eve', n: { of: 3 } }
    await sgMail.send({
      to: 'eve@example.org',
      from: MAIL.from.email,
      templateId: 'd-0a1b',
      dynamicTemplateData: data,
    })
    const mails = await server.sink.waitFor(4)
    const eve = mails.find(({ to }) => to.includes('eve@example.org'))
    const parsed = await simpleParser(eve!.raw)
    expect(parsed.subject).toBe('Hi Eve')
    expect(parsed.text).toContain('3 left')
    const sections = { '-block-': 'of a section' }
    const own = { ...TO, to: [{ email: 'sec@example.org' }], substitutions: { '-a-': 'x -block-', '-ab-': 'y' } }
    await post({ ...MAIL, subject: '-a- -ab- -abc-', sections, personalizations: [own] })
    const sec = (await server.sink.waitFor(5)).find(({ to }) => to.includes('sec@example.org'))
    expect((await simpleParser(sec!.raw)).subject).toBe('x of a section y -abc-')
  })

  it('sends later, only checks in a sandbox, and sends once for an Idempotency-Key', async () => {
    const at = Math.floor(Date.now() / 1000) + 3600
    const later = { ...MAIL, send_at: at, personalizations: [{ to: [{ email: 'later@example.org' }] }] }
    expect((await post(later)).status).toBe(202)
    const listed = (await server.test.ask('GET', '/emails?search=to:later@example.org')).body.data
    expect(listed).toMatchObject([{ status: 'QUEUED', dueAt: new Date(at * 1000).toISOString() }])
    const sandbox = { mail_settings: { sandbox_mode: { enable: true } } }
    const total = async () => (await server.test.ask('GET', '/emails')).body.total
    const before = await total()
    expect((await post({ ...MAIL, ...sandbox })).status).toBe(200)
    expect((await post({ ...MAIL, ...sandbox, subject: undefined })).status).toBe(400)
    expect(await total()).toBe(before)
    const keyed = { 'idempotency-key': 'once' }
    const two = { ...MAIL, send_at: at, personalizations: [TO, { to: [{ email: 'bob@example.org' }] }] }
    const [one, again] = [await post(two, keyed), await post(two, keyed)]
    expect(one.status).toBe(202)
    expect(again).toEqual(one)
    expect(await total()).toBe(before + 2)
  })

  it('lists, adds and removes suppressed addresses', async () => {
    const suppress = (json: object) => server.test.ask('POST', '/suppressions', { json })
    const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => {
      const [answer, read] = await client.request({ method, url, ...(body ? { body } : {}) })
      return { status: answer.statusCode, body: read }
    }
    await suppress({ email: 'loud@example.org', reason: 'COMPLAINT' })
    await suppress({ email: 'full@example.org', reason: 'BOUNCE', detail: '550 5.1.1 no such user' })
    const bounce = { created: expect.any(Number), email: 'full@example.org', reason: '550 5.1.1 no such user' }
    expect((await ask('GET', '/v3/suppression/bounces')).body).toEqual([{ ...bounce, status: '550' }])
    expect((await ask('GET', '/v3/suppression/bounces?start_time=9999999999')).body).toEqual([])
    expect((await ask('GET', '/v3/suppression/bounces/full@example.org')).body).toMatchObject([bounce])
    expect((await ask('GET', '/v3/suppression/bounces/loud@example.org')).body).toEqual([])
    expect((await ask('GET', '/v3/suppression/spam_reports')).body).toMatchObject([{ email: 'loud@example.org' }])
    const global = '/v3/asm/suppressions/global'
    const emails = { recipient_emails: ['Left@example.org', 'loud@example.org'] }
    expect(await ask('POST', global, emails)).toMatchObject({ status: 201, body: emails })
    expect((await ask('GET', '/v3/suppression/unsubscribes')).body).toMatchObject([{ email: 'left@example.org' }])
    expect((await ask('GET', `${global}/left@example.org`)).body).toEqual({ recipient_email: 'left@example.org' })
    expect((await ask('GET', `${global}/new@example.org`)).body).toEqual({})
    expect(await ask('DELETE', `${global}/left@example.org`)).toMatchObject({ status: 204 })
    await expect(ask('DELETE', `${global}/loud@example.org`)).rejects.toMatchObject({ code: 404 })
    const both = { emails: ['full@example.org', 'loud@example.org'] }
    expect(await ask('DELETE', '/v3/suppression/bounces', both)).toMatchObject({ status: 204 })
    expect((await server.test.ask('GET', '/suppressions')).body.data).toMatchObject([{ email: 'loud@example.org' }])
    expect(await ask('DELETE', '/v3/suppression/spam_reports/loud@example.org')).toMatchObject({ status: 204 })
    await expect(ask('DELETE', '/v3/suppression/bounces', { delete_all: true })).rejects.toMatchObject({ code: 400 })
    await expect(ask('POST', global, { recipient_emails: ['x'] })).rejects.toMatchObject({ code: 400 })
    await expect(ask('GET', '/v3/suppression/bounces?limit=501')).rejects.toMatchObject({ code: 400 })
  })

  it('answers errors as SendGrid does', async () => {
    const stranger = post(MAIL, { authorization: 'Bearer SG.x' })
    const unknown = 'The provided authorization grant is invalid, expired, or revoked'
    expect(await stranger).toMatchObject({ status: 401, body: { errors: [{ message: unknown, field: null }] } })
    expect(await post(MAIL, { authorization: '' })).toMatchObject({ status: 401 })
    const to = (change: object) => ({ personalizations: [{ ...TO, ...change }] })
    /** Of 100 characters each. */
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`.padStart(100, '-'), 'x']))
    expect((await post({ ...MAIL, ...to({ substitutions: named(100) }) })).status).toBe(202)
    const wrong: readonly (readonly [change: object, field: string])[] = [
      [{ personalizations: undefined }, 'personalizations'],
      [{ personalizations: [] }, 'personalizations'],
      [{ personalizations: Array(1001).fill(TO) }, 'personalizations'],
      [{ personalizations: Array(501).fill(TO) }, 'personalizations'],
      [to({ to: undefined }), 'personalizations.0.to'],
      [to({ to: [] }), 'personalizations.0.to'],
      [to({ to: [{ email: 'nobody' }] }), 'personalizations.0.to.0.email'],
      [{ personalizations: [TO, { to: [{ email: 'x' }] }] }, 'personalizations.1.to.0.email'],
      [to({ cc: [{ email: 'Ada@example.org' }] }), 'personalizations.0'],
      [to({ substitutions: { ['x'.repeat(101)]: 'y' } }), `personalizations.0.substitutions.${'x'.repeat(101)}`],
      [to({ substitutions: named(101) }), 'personalizations.0.substitutions'],
      [{ sections: named(101) }, 'sections'],
      [{ sections: { a: 'x'.repeat(600_000) }, ...to({ substitutions: { b: 'a'.repeat(20) } }) }, 'sections'],
      [{ from: undefined }, 'from'],
      [{ from: {} }, 'from.email'],
      [{ subject: undefined }, 'subject'],
      [{ content: undefined }, 'content'],
      [{ content: [{ type: 'text/plain', value: '' }] }, 'content.0.value'],
      [{ content: [{ type: 'text/html', value: 'x' }, PART] }, 'content.1.type'],
      [{ content: [{ type: 'text/calendar', value: 'x' }] }, 'content.0.type'],
      [{ attachments: [{ content: '?', filename: 'a' }] }, 'attachments.0.content'],
      [{ headers: { To: 'x' } }, 'headers.To'],
      [{ send_at: 'soon' }, 'send_at'],
      [{ send_at: Math.floor(Date.now() / 1000) + 40 * 86_400 }, 'send_at'],
      [{ batch_id: 'x' }, 'batch_id'],
      [{ asm: { group_id: 7 } }, 'asm'],
      [{ mail_settings: { bypass_list_management: { enable: true } } }, 'mail_settings.bypass_list_management'],
      [{ categories: Array(11).fill('a') }, 'categories'],
    ]
    for (const [change, field] of wrong) {
      const { status, body } = await post({ ...MAIL, ...change })
      expect({ status, body }, field).toMatchObject({ status: 400, body: { errors: [{ field }] } })
    }
    expect(await post('{')).toMatchObject({ status: 400, body: { errors: [{ field: null }] } })
    const foreign = await post({ ...MAIL, from: { email: 'a@unknown.example' } })
    expect(foreign).toMatchObject({ status: 403, body: { errors: [{ field: 'from' }] } })
    const noTemplate = await post({ ...MAIL, template_id: 'd-none' })
    expect(noTemplate).toMatchObject({ status: 400, body: { errors: [{ field: 'template_id' }] } })
    await expect(client.request({ method: 'GET', url: '/v3/nothing' })).rejects.toMatchObject({ code: 404 })
  })
})
