import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'

/*
 * Wrong requests, and how the services document that they answer them: the status, the form, and the name or number of the
 * error. The words are ours, but for those that clients look for.
 */

interface Wrong {
  readonly what: string
  readonly ask: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The status and the error that the service documents. */
  readonly documented: readonly [status: number, error: unknown]
}

interface Service {
  readonly name: string
  /** Where the errors are documented. */
  readonly page: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: readonly Wrong[]
  /** The name or number of the error in a body, whose form is checked. */
  read(body: unknown): unknown
}

const UUID = '01900000-0000-7000-8000-00000000ffff'
const LONG = 'x'.repeat(300)
const NOBODY = `sk_${'9'.repeat(48)}`
const basic = (key: string) => `Basic ${Buffer.from(`api:${key}`).toString('base64')}`

const EMAIL = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hello' }
const { subject: _, ...UNTITLED } = EMAIL
const MESSAGE = { From: 'hello@example.com', To: 'ada@example.org', Subject: 'Hi', TextBody: 'Hello' }
const TO = { to: [{ email: 'ada@example.org' }] }
const CONTENT = [{ type: 'text/plain', value: 'Hello' }]
const MAIL = { personalizations: [TO], from: { email: 'hello@example.com' }, subject: 'Hi', content: CONTENT }
const FORM = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hello' }
const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields)
const without = (fields: object, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

const SERVICES: readonly Service[] = [
  {
    name: 'resend',
    page: 'https://resend.com/docs/api-reference/errors',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    read: (body) => {
      expect(body).toEqual({ statusCode: expect.any(Number), name: expect.any(String), message: expect.any(String) })
      return (body as { name: string }).name
    },
    requests: [
      {
        what: 'no key',
        ask: 'POST /emails',
        body: EMAIL,
        headers: { authorization: '' },
        documented: [401, 'missing_api_key'],
      },
      {
        what: 'an unknown key',
        ask: 'POST /emails',
        body: EMAIL,
        headers: { authorization: `Bearer ${NOBODY}` },
        documented: [403, 'invalid_api_key'],
      },
      {
        what: 'a domain that is not verified',
        ask: 'POST /emails',
        body: { ...EMAIL, from: 'a@elsewhere.example' },
        documented: [403, 'validation_error'],
      },
      {
        what: 'no sender',
        ask: 'POST /emails',
        body: without(EMAIL, 'from'),
        documented: [422, 'missing_required_field'],
      },
      {
        what: 'no recipient',
        ask: 'POST /emails',
        body: without(EMAIL, 'to'),
        documented: [422, 'missing_required_field'],
      },
      { what: 'no subject', ask: 'POST /emails', body: UNTITLED, documented: [422, 'missing_required_field'] },
      {
        what: 'no text',
        ask: 'POST /emails',
        body: without(EMAIL, 'text'),
        documented: [422, 'missing_required_field'],
      },
      {
        what: 'a sender that is no address',
        ask: 'POST /emails',
        body: { ...EMAIL, from: 'Acme' },
        documented: [422, 'invalid_from_address'],
      },
      {
        what: 'a recipient that is no address',
        ask: 'POST /emails',
        body: { ...EMAIL, to: 'ada' },
        documented: [422, 'validation_error'],
      },
      {
        what: '51 recipients',
        ask: 'POST /emails',
        body: { ...EMAIL, to: Array.from({ length: 51 }, (__, i) => `a${i}@example.org`) },
        documented: [422, 'validation_error'],
      },
      {
        what: 'a file without content',
        ask: 'POST /emails',
        body: { ...EMAIL, attachments: [{ filename: 'a.txt' }] },
        documented: [422, 'invalid_attachment'],
      },
      {
        what: 'a tag with a blank',
        ask: 'POST /emails',
        body: { ...EMAIL, tags: [{ name: 'a b', value: 'c' }] },
        documented: [422, 'validation_error'],
      },
      {
        what: 'a time that is none',
        ask: 'POST /emails',
        body: { ...EMAIL, scheduled_at: 'soon' },
        documented: [422, 'validation_error'],
      },
      {
        what: 'a key of 300 characters',
        ask: 'POST /emails',
        body: EMAIL,
        headers: { 'idempotency-key': LONG },
        documented: [400, 'invalid_idempotency_key'],
      },
      {
        what: 'a key of another request',
        ask: 'POST /emails',
        body: { ...EMAIL, subject: 'Other' },
        headers: { 'idempotency-key': 'used' },
        documented: [409, 'invalid_idempotent_request'],
      },
      {
        what: '101 mails of a batch',
        ask: 'POST /emails/batch',
        body: Array.from({ length: 101 }, () => EMAIL),
        documented: [422, 'validation_error'],
      },
      { what: 'a mail that is not there', ask: `GET /emails/${UUID}`, documented: [404, 'not_found'] },
      { what: 'a method that an address has not', ask: 'PUT /emails', documented: [405, 'method_not_allowed'] },
      { what: 'an address that is not there', ask: 'GET /emailz', documented: [404, 'not_found'] },
      {
        what: 'a permission that is none',
        ask: 'POST /api-keys',
        body: { name: 'a', permission: 'all' },
        documented: [422, 'invalid_access'],
      },
      {
        what: 'a domain that is none',
        ask: 'POST /domains',
        body: { name: 'not a domain' },
        documented: [422, 'validation_error'],
      },
      { what: 'JSON that is none', ask: 'POST /emails', body: '{"from":', documented: [400, 'validation_error'] },
    ],
  },
  {
    name: 'postmark',
    page: 'https://postmarkapp.com/developer/api/overview#error-codes',
    headers: { 'x-postmark-server-token': SECRET, 'content-type': 'application/json' },
    read: (body) => {
      expect(body).toEqual({ ErrorCode: expect.any(Number), Message: expect.any(String) })
      return (body as { ErrorCode: number }).ErrorCode
    },
    requests: [
      {
        what: 'no token',
        ask: 'POST /email',
        body: MESSAGE,
        headers: { 'x-postmark-server-token': '' },
        documented: [401, 10],
      },
      {
        what: 'an unknown token',
        ask: 'POST /email',
        body: MESSAGE,
        headers: { 'x-postmark-server-token': NOBODY },
        documented: [401, 10],
      },
      { what: 'no sender', ask: 'POST /email', body: without(MESSAGE, 'From'), documented: [422, 300] },
      { what: 'no recipient', ask: 'POST /email', body: without(MESSAGE, 'To'), documented: [422, 300] },
      { what: 'no text', ask: 'POST /email', body: without(MESSAGE, 'TextBody'), documented: [422, 300] },
      {
        what: 'a sender that is no address',
        ask: 'POST /email',
        body: { ...MESSAGE, From: 'Acme' },
        documented: [422, 300],
      },
      {
        what: 'a recipient that is no address',
        ask: 'POST /email',
        body: { ...MESSAGE, To: 'ada' },
        documented: [422, 300],
      },
      {
        what: 'a domain that is not verified',
        ask: 'POST /email',
        body: { ...MESSAGE, From: 'a@elsewhere.example' },
        documented: [422, 400],
      },
      { what: 'JSON that is none', ask: 'POST /email', body: '{"From":', documented: [422, 402] },
      { what: 'a value of another type', ask: 'POST /email', body: { ...MESSAGE, Subject: 7 }, documented: [422, 403] },
      {
        what: 'an address that is suppressed',
        ask: 'POST /email',
        body: { ...MESSAGE, To: 'gone@example.org' },
        documented: [422, 406],
      },
      {
        what: '501 messages of a batch',
        ask: 'POST /email/batch',
        body: Array.from({ length: 501 }, () => MESSAGE),
        documented: [422, 410],
      },
      {
        what: 'a stream that is not there',
        ask: 'POST /email',
        body: { ...MESSAGE, MessageStream: 'nowhere' },
        documented: [422, 1235],
      },
      {
        what: 'a template that is not there',
        ask: 'POST /email/withTemplate',
        body: { ...without(MESSAGE, 'TextBody'), TemplateAlias: 'none', TemplateModel: {} },
        documented: [422, 1101],
      },
      { what: 'a template to read that is not there', ask: 'GET /templates/none', documented: [422, 1101] },
      { what: 'a bounce that is not there', ask: 'GET /bounces/1', documented: [422, 1001] },
      { what: 'a message that is not there', ask: `GET /messages/outbound/${UUID}/details`, documented: [422, 701] },
      { what: 'too many to list', ask: 'GET /messages/outbound?count=501&offset=0', documented: [422, 700] },
      { what: 'an address that is not there', ask: 'GET /emailz', documented: [404, 404] },
      { what: 'a method that an address has not', ask: 'PUT /email', documented: [405, 405] },
    ],
  },
  {
    name: 'sendgrid',
    page: 'https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    read: (body) => {
      const { errors } = body as { errors: { message: string; field: string | null }[] }
      const one = {
        message: expect.any(String),
        field: expect.toSatisfy((field) => field === null || typeof field === 'string'),
        help: expect.toSatisfy((help) => help === null || typeof help === 'string'),
      }
      expect(errors).toEqual(errors.map(() => one))
      for (const { message } of errors) expect(message).not.toMatch(/ {2}/)
      return errors[0]?.field
    },
    requests: [
      {
        what: 'no key',
        ask: 'POST /v3/mail/send',
        body: MAIL,
        headers: { authorization: '' },
        documented: [401, null],
      },
      {
        what: 'an unknown key',
        ask: 'POST /v3/mail/send',
        body: MAIL,
        headers: { authorization: `Bearer ${NOBODY}` },
        documented: [401, null],
      },
      {
        what: 'a sender that is not verified',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, from: { email: 'a@elsewhere.example' } },
        documented: [403, 'from'],
      },
      { what: 'no sender', ask: 'POST /v3/mail/send', body: without(MAIL, 'from'), documented: [400, 'from'] },
      {
        what: 'no personalizations',
        ask: 'POST /v3/mail/send',
        body: without(MAIL, 'personalizations'),
        documented: [400, 'personalizations'],
      },
      {
        what: 'empty personalizations',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, personalizations: [] },
        documented: [400, 'personalizations'],
      },
      {
        what: 'no recipient',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, personalizations: [{}] },
        documented: [400, 'personalizations.0.to'],
      },
      { what: 'no content', ask: 'POST /v3/mail/send', body: without(MAIL, 'content'), documented: [400, 'content'] },
      { what: 'no subject', ask: 'POST /v3/mail/send', body: without(MAIL, 'subject'), documented: [400, 'subject'] },
      {
        what: 'a recipient that is no address',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, personalizations: [{ to: [{ email: 'ada' }] }] },
        documented: [400, 'personalizations.0.to.0.email'],
      },
      {
        what: 'a recipient twice',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, personalizations: [{ ...TO, cc: TO.to }] },
        documented: [400, 'personalizations.0'],
      },
      {
        what: 'HTML before plain text',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, content: [{ type: 'text/html', value: 'x' }, ...CONTENT] },
        documented: [400, 'content.1.type'],
      },
      {
        what: 'an empty content',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, content: [{ type: 'text/plain', value: '' }] },
        documented: [400, 'content.0.value'],
      },
      {
        what: 'a file without content',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, attachments: [{ filename: 'a.txt' }] },
        documented: [400, 'attachments.0.content'],
      },
      {
        what: 'a header field that is reserved',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, headers: { Subject: 'x' } },
        documented: [400, 'headers.Subject'],
      },
      {
        what: 'eleven categories',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, categories: Array.from({ length: 11 }, (__, i) => `c${i}`) },
        documented: [400, 'categories'],
      },
      {
        what: 'a time that is none',
        ask: 'POST /v3/mail/send',
        body: { ...MAIL, send_at: 'soon' },
        documented: [400, 'send_at'],
      },
      {
        what: 'a template that is not there',
        ask: 'POST /v3/mail/send',
        body: { ...without(MAIL, 'content'), template_id: 'd-none' },
        documented: [400, 'template_id'],
      },
      { what: 'JSON that is none', ask: 'POST /v3/mail/send', body: '{"from":', documented: [400, null] },
      {
        what: 'a bounce that is not there',
        ask: 'DELETE /v3/suppression/bounces/a@b.example',
        documented: [404, null],
      },
      { what: 'an address that is not there', ask: 'GET /v3/mailz', documented: [404, null] },
      { what: 'a method that an address has not', ask: 'GET /v3/mail/send', documented: [405, null] },
    ],
  },
  {
    name: 'mailgun',
    page: 'https://documentation.mailgun.com/docs/mailgun/api-reference/mg-errors',
    headers: { authorization: basic(SECRET) },
    read: (body) => {
      expect(body).toEqual({ message: expect.any(String) })
      return (body as { message: string }).message
    },
    requests: [
      {
        what: 'no key',
        ask: 'POST /v3/example.com/messages',
        body: form(FORM),
        headers: { authorization: '' },
        documented: [401, 'Forbidden'],
      },
      {
        what: 'an unknown key',
        ask: 'POST /v3/example.com/messages',
        body: form(FORM),
        headers: { authorization: basic(NOBODY) },
        documented: [401, 'Invalid private key'],
      },
      {
        what: 'no sender',
        ask: 'POST /v3/example.com/messages',
        body: form({ to: FORM.to, text: 'x', subject: 'x' }),
        documented: [400, expect.stringMatching(/^from parameter is missing/)],
      },
      {
        what: 'no recipient',
        ask: 'POST /v3/example.com/messages',
        body: form({ from: FORM.from, text: 'x', subject: 'x' }),
        documented: [400, expect.stringMatching(/^to parameter is missing/)],
      },
      {
        what: 'no text',
        ask: 'POST /v3/example.com/messages',
        body: form({ from: FORM.from, to: FORM.to, subject: 'x' }),
        documented: [400, expect.stringMatching(/Need at least one of 'text'|'?text'? parameter/)],
      },
      {
        what: 'a sender that is no address',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, from: 'Acme' }),
        documented: [400, expect.stringMatching(/^'from' parameter/)],
      },
      {
        what: 'a recipient that is no address',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, to: 'ada' }),
        documented: [400, expect.stringMatching(/^'to' parameter is not a valid address/)],
      },
      {
        what: 'a domain that is not verified',
        ask: 'POST /v3/elsewhere.example/messages',
        body: form({ ...FORM, from: 'a@elsewhere.example' }),
        documented: [403, expect.stringMatching(/elsewhere\.example/)],
      },
      {
        what: 'a time that is none',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, 'o:deliverytime': 'soon' }),
        documented: [400, expect.stringMatching(/o:deliverytime/)],
      },
      {
        what: 'variables that are no JSON',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, 'recipient-variables': '{' }),
        documented: [400, expect.stringMatching(/recipient-variables/)],
      },
      {
        what: 'a switch that is none',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, 'o:tracking': 'maybe' }),
        documented: [400, expect.stringMatching(/o:tracking/)],
      },
      {
        what: 'a template that is not there',
        ask: 'POST /v3/example.com/messages',
        body: form({ ...FORM, template: 'none' }),
        documented: [400, expect.stringMatching(/template/i)],
      },
      {
        what: 'JSON in place of a form',
        ask: 'POST /v3/example.com/messages',
        body: '{}',
        headers: { 'content-type': 'application/json' },
        documented: [415, expect.any(String)],
      },
      {
        what: 'an event that is none',
        ask: 'GET /v3/example.com/events?event=nonsense',
        documented: [400, expect.stringMatching(/^'event' parameter/)],
      },
      {
        what: 'a page of events that is none',
        ask: 'GET /v3/example.com/events/nonsense',
        documented: [404, expect.any(String)],
      },
      {
        what: 'a bounce that is not there',
        ask: 'GET /v3/example.com/bounces/a@b.example',
        documented: [404, expect.stringMatching(/not/i)],
      },
      {
        what: 'a bounce without an address',
        ask: 'POST /v3/example.com/bounces',
        body: form({ code: '550' }),
        documented: [400, expect.stringMatching(/address/)],
      },
      {
        what: 'a template to read that is not there',
        ask: 'GET /v3/example.com/templates/none',
        documented: [404, expect.stringMatching(/template/i)],
      },
      {
        what: 'a template without a name',
        ask: 'POST /v3/example.com/templates',
        body: form({ template: 'x' }),
        documented: [400, expect.stringMatching(/name parameter is missing/)],
      },
      {
        what: 'a domain that is not there',
        ask: 'GET /v4/domains/nowhere.example',
        documented: [404, expect.any(String)],
      },
      {
        what: 'an address that is not there',
        ask: 'GET /v5/messagez',
        documented: [404, expect.stringMatching(/is not here/)],
      },
    ],
  },
]

describe.each(SERVICES)('a wrong request to $name', ({ name, headers, requests, read }) => {
  let server: CompatServer

  const ask = async (wrong: Pick<Wrong, 'ask' | 'body' | 'headers'>) => {
    const [method = '', path = ''] = wrong.ask.split(' ')
    const { body } = wrong
    const isRaw = body === undefined || typeof body === 'string' || body instanceof URLSearchParams
    return fetch(`${server.url}/compat/${name}${path}`, {
      method,
      headers: { ...headers, ...wrong.headers },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    })
  }

  beforeAll(async () => {
    server = await compatServer(QUICK)
    await server.test.ask('POST', '/suppressions', { json: { email: 'gone@example.org', reason: 'BOUNCE' } })
    if (name === 'resend') await ask({ ask: 'POST /emails', body: EMAIL, headers: { 'idempotency-key': 'used' } })
  })
  afterAll(() => server.close())

  it.each(requests)('with $what gets the answer that is documented', async (wrong) => {
    const answer = await ask(wrong)
    const body: unknown = await answer.json()
    expect([answer.status, read(body)]).toEqual(wrong.documented)
  })

  it('is tried in at least twenty ways', () => expect(requests.length).toBeGreaterThanOrEqual(20))
})
