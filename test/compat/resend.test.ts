import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { simpleParser } from 'mailparser'
import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resend as api } from '../../server/compat/resend/resend-api.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'
import { expectTable, methodsOf } from './tables.ts'

/** Methods that are private by the types of the package. */
const PRIVATE = [
  'performCreate',
  'buildCreateFormData',
  'buildColumnMap',
  'appendField',
  'forwardPassthrough',
  'forwardWrapped',
  'downloadRaw',
]
const LOCAL = { 'webhooks.verify': 'the header fields `svix-id`, `svix-timestamp` and `svix-signature` are there' }
const FROM = 'Acme <hello@example.com>'

it('lists all methods of the package in the documentation', async () => {
  const methods = methodsOf(new Resend('re_123'), PRIVATE)
  await expectTable({ api: api(undefined), methods, page: 'docs/compat-resend.md', local: LOCAL })
})

describe(`Resend's own package on ${QUICK.name}`, () => {
  let server: CompatServer
  let resend: Resend
  let sent = 0

  /** The mails that have come since the last call. */
  const mails = async (count: number) => {
    const all = await server.sink.waitFor(sent + count)
    const found = all.slice(sent)
    sent = all.length
    return Promise.all(found.map(async (mail) => ({ ...mail, parsed: await simpleParser(mail.raw) })))
  }

  beforeAll(async () => {
    server = await compatServer(QUICK, { egress: { allow: ['127.0.0.1/32'] } })
    resend = new Resend(SECRET, { baseUrl: `${server.url}/compat/resend` })
  })
  afterAll(() => server.close())

  it('runs the quick start of its readme', async () => {
    const { data } = await resend.emails.send({
      from: 'you@example.com',
      to: 'user@gmail.com',
      replyTo: 'you@example.com',
      subject: 'hello world',
      text: 'it works!',
    })
    expect(`Email ${data!.id} has been sent`).toMatch(/^Email [0-9a-f-]{36} has been sent$/)
    const html = await resend.emails.send({
      from: 'you@example.com',
      to: 'user@gmail.com',
      replyTo: 'you@example.com',
      subject: 'hello world',
      html: '<strong>it works!</strong>',
    })
    expect(html.error).toBeNull()
    const [first, second] = await mails(2)
    expect(first?.parsed.text?.trim()).toBe('it works!')
    expect(first?.parsed.replyTo?.text).toBe('you@example.com')
    expect(second?.parsed.html).toContain('<strong>it works!</strong>')
  })

  it('sends one mail to several, with all its parts, and reads it', async () => {
    const { data, error, headers } = await resend.emails.send({
      from: FROM,
      to: ['ada@example.org', 'Bob <bob@example.org>'],
      cc: 'cy@example.org',
      bcc: ['di@example.org'],
      replyTo: ['help@example.com', '"Sales, all" <sales@example.com>'],
      subject: 'Hello {{ world }}',
      html: '<p>It {% works %} <img src="cid:logo"></p>',
      text: 'It {% works %}',
      headers: { 'X-Entity-Ref-ID': '123456789' },
      tags: [{ name: 'category', value: 'confirm_email' }],
      attachments: [
        { filename: 'invoice.pdf', content: Buffer.from('%PDF-1.4') },
        { filename: 'logo.png', content: Buffer.from([137, 80, 0, 71]), contentId: '<logo>' },
      ],
    })
    expect(error).toBeNull()
    expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'ratelimit-limit': expect.any(String) })
    const [mail] = await mails(1)
    expect(mail?.to).toEqual(['ada@example.org', 'bob@example.org', 'cy@example.org', 'di@example.org'])
    const { parsed } = mail!
    expect(parsed.headers.get('to')).toMatchObject({ text: 'ada@example.org, "Bob" <bob@example.org>' })
    expect(parsed.subject).toBe('Hello {{ world }}')
    expect(parsed.text).toContain('It {% works %}')
    expect(parsed.headers.get('x-entity-ref-id')).toBe('123456789')
    const files = parsed.attachments.map(({ filename, contentType, cid, content }) => [
      filename,
      contentType,
      cid,
      [...content],
    ])
    expect(files).toContainEqual(['invoice.pdf', 'application/pdf', undefined, [...Buffer.from('%PDF-1.4')]])
    expect(files).toContainEqual(['logo.png', 'image/png', 'logo', [137, 80, 0, 71]])
    const listed = (await resend.emails.attachments.list({ emailId: data!.id })).data?.data ?? []
    expect(listed.map(({ filename, size }) => [filename, size])).toEqual([
      ['invoice.pdf', 8],
      ['logo.png', 4],
    ])
    const file = await resend.emails.attachments.get({ emailId: data!.id, id: listed[0]!.id })
    expect(file.data).toMatchObject({ object: 'attachment', filename: 'invoice.pdf', content_type: 'application/pdf' })
    const none = await resend.emails.attachments.get({ emailId: data!.id, id: `${data!.id}-2` })
    expect(none.error).toMatchObject({ statusCode: 404 })
    const read = await resend.emails.get(data!.id)
    expect(read.data).toMatchObject({
      object: 'email',
      id: data!.id,
      from: FROM,
      to: ['ada@example.org', 'Bob <bob@example.org>'],
      cc: ['cy@example.org'],
      bcc: ['di@example.org'],
      reply_to: ['help@example.com', '"Sales, all" <sales@example.com>'],
      subject: 'Hello {{ world }}',
      tags: [{ name: 'category', value: 'confirm_email' }],
      scheduled_at: null,
      message_id: expect.stringContaining('@'),
    })
  })

  it('fetches files by their address, but not from private networks', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0])
    const files = createServer((request, response) => {
      if (request.url !== '/a%20b.bin') return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'application/x-thing; q=1' }).end(bytes)
    })
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
    const send = (path: string) =>
      resend.emails.send({ from: FROM, to: 'ada@example.org', subject: 'x', text: 'y', attachments: [{ path }] })
    try {
      expect((await send(`${base}/a%20b.bin`)).error).toBeNull()
      const [mail] = await mails(1)
      const [file] = mail!.parsed.attachments
      expect([file?.filename, file?.contentType, [...file!.content]]).toEqual([
        'a b.bin',
        'application/x-thing',
        [...bytes],
      ])
      for (const [path, why] of [
        [`${base}/none`, /status 404/],
        ['http://10.0.0.1/x.pdf', /cannot be fetched/],
        ['file:///etc/passwd', /http or https URL/],
      ] as const) {
        const { error } = await send(path)
        expect(error).toMatchObject({
          statusCode: 422,
          name: 'invalid_attachment',
          message: expect.stringMatching(why),
        })
      }
    } finally {
      files.close()
    }
  })

  it('schedules by ISO time and by words, changes the time, and cancels', async () => {
    const mail = { from: FROM, to: 'ada@example.org', subject: 'later', text: 'y' }
    const later = async (scheduledAt: string, idempotencyKey?: string) =>
      resend.emails.send({ ...mail, scheduledAt }, idempotencyKey ? { idempotencyKey } : {})
    const first = await later('in 2 days', 'key-of-words')
    const again = await later('in 2 days', 'key-of-words')
    expect(again.data).toEqual(first.data)
    expect((await later('in 3 days', 'key-of-words')).error).toMatchObject({
      statusCode: 409,
      name: 'invalid_idempotent_request',
    })
    const id = first.data!.id
    const at = new Date((await resend.emails.get(id)).data!.scheduled_at!)
    expect(Math.abs(at.getTime() - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000)
    const moved = new Date(Date.now() + 86_400_000).toISOString()
    expect((await resend.emails.update({ id, scheduledAt: moved })).data).toEqual({ object: 'email', id })
    expect((await resend.emails.get(id)).data).toMatchObject({ scheduled_at: moved, last_event: 'scheduled' })
    expect((await resend.emails.cancel(id)).data).toEqual({ object: 'email', id })
    expect((await resend.emails.get(id)).data).toMatchObject({ scheduled_at: null, last_event: 'canceled' })
    expect((await later('tomorrow at 9am')).error).toBeNull()
    for (const wrong of ['soon', 'in 40 days', '2001-01-01T00:00:00Z']) {
      expect((await later(wrong)).error).toMatchObject({ statusCode: 422, name: 'validation_error' })
    }
  })

  it('lists what was sent by pages, in both directions', async () => {
    const all = (await resend.emails.list({ limit: 100 })).data!
    expect(all).toMatchObject({ object: 'list', has_more: false })
    const ids = all.data.map(({ id }) => id)
    const page = (await resend.emails.list({ limit: 2 })).data!
    expect([page.has_more, page.data.map(({ id }) => id)]).toEqual([true, ids.slice(0, 2)])
    const after = (await resend.emails.list({ limit: 2, after: ids[1]! })).data!
    expect(after.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
    const before = (await resend.emails.list({ limit: 1, before: ids[2]! })).data!
    expect([before.has_more, before.data.map(({ id }) => id)]).toEqual([true, [ids[1]]])
    expect((await resend.emails.list({ limit: 101 })).error).toMatchObject({ statusCode: 422 })
  })

  it('sends a batch: all or none, or those that are right', async () => {
    const good = { from: FROM, to: 'ada@example.org', subject: 'batch', text: 'y' }
    const bad = { ...good, to: 'nobody' }
    const elsewhere = { ...good, from: 'x@elsewhere.example' }
    const counted = async () => (await server.test.counts()).emails
    const before = await counted()
    for (const wrong of [bad, elsewhere]) {
      const strict = await resend.batch.send([good, wrong])
      expect(strict.error?.message).toBeTruthy()
      expect(await counted()).toBe(before)
    }
    const strict = await resend.batch.send([good, good], { idempotencyKey: 'batch-1' })
    expect(strict.data!.data).toHaveLength(2)
    expect((await resend.batch.send([good, good], { idempotencyKey: 'batch-1' })).data).toEqual(strict.data)
    const some = await resend.batch.send([bad, good, elsewhere], { batchValidation: 'permissive' })
    expect(some.data).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 0 }, { index: 2 }] })
    await mails(3)
    const broken = await resend.batch.send([good, { ...good, headers: { text: 'a\nb', body: 'a\nb' } }])
    expect(broken.error?.message).toMatch(/`1\.headers\.text`.*`1\.headers\.body`/)
    // a sentence ends before the next
    expect((await resend.emails.list({ after: 'none' })).error?.message).toMatch(/[^.]\. Pass/)
    expect((await resend.batch.send([])).error).toMatchObject({ statusCode: 422 })
  })

  it('answers wrong requests as Resend does', async () => {
    const mail = { from: FROM, to: 'ada@example.org', subject: 'x', text: 'y' }
    const post = (body: unknown) => resend.post('/emails', body)
    const invalid = [422, 'validation_error', /./] as const
    const wrong: readonly (readonly [unknown, number, string, RegExp])[] = [
      [{ ...mail, from: 'a' }, 422, 'invalid_from_address', /`from`/],
      [
        { ...mail, from: undefined, subject: undefined, html: '' },
        422,
        'missing_required_field',
        /Missing `subject` field\./,
      ],
      [{ ...mail, to: undefined }, 422, 'missing_required_field', /Missing `to` field\./],
      [{ ...mail, to: [] }, 422, 'validation_error', /Invalid `to` field/],
      [{ ...mail, to: Array.from({ length: 51 }, (_, i) => `a${i}@example.org`) }, ...invalid],
      [{ ...mail, to: 'nobody' }, ...invalid],
      [{ ...mail, cc: 'nobody' }, ...invalid],
      [{ ...mail, reply_to: 'nobody' }, 422, 'validation_error', /`reply_to`/],
      [{ ...mail, text: undefined }, 422, 'missing_required_field', /`html`/],
      [{ ...mail, scheduled_at: 'soon' }, 422, 'validation_error', /`scheduled_at`/],
      [{ ...mail, tags: [{ name: 'a b', value: 'c' }] }, ...invalid],
      [{ ...mail, attachments: [{ filename: 'a.txt' }] }, 422, 'invalid_attachment', /attachments/],
      [{ ...mail, attachments: [{ filename: 'a.txt', content: '***' }] }, 422, 'invalid_attachment', /Base64/],
      [{ ...mail, headers: { To: 'x@example.org' } }, ...invalid],
      [{ ...mail, from: 'x@elsewhere.example' }, 403, 'validation_error', /elsewhere\.example/],
      [{ ...mail, template: { id: 'none' } }, ...invalid],
      [{ from: FROM, to: 'a@example.org', template: { id: 'none' } }, 404, 'not_found', /none/],
      [{ ...mail, topic_id: 'none' }, 404, 'not_found', /none/],
      [[mail], ...invalid],
    ]
    const counted = async () => {
      const { contacts, emails } = await server.test.counts()
      return { contacts, emails }
    }
    const before = await counted()
    for (const [body, statusCode, name, message] of wrong) {
      const { error } = await post(body)
      expect(error, JSON.stringify(body)).toEqual({ statusCode, name, message: expect.stringMatching(message) })
    }
    expect((await resend.emails.send(mail, { idempotencyKey: 'k'.repeat(300) })).error).toMatchObject({
      statusCode: 400,
      name: 'invalid_idempotency_key',
    })
    const stranger = new Resend(`sk_${'f'.repeat(48)}`, { baseUrl: `${server.url}/compat/resend` })
    expect((await stranger.emails.get('1')).error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
    expect((await resend.emails.get('1')).error).toMatchObject({ statusCode: 404, name: 'not_found' })
    const nameless = await fetch(`${server.url}/compat/resend/emails`, { method: 'POST', body: '{}' })
    expect([nameless.status, await nameless.json()]).toMatchObject([401, { name: 'missing_api_key' }])
    const absent = await resend.usage.get()
    expect(absent.error).toMatchObject({
      statusCode: 404,
      name: 'not_found',
      message: expect.stringContaining('is not here'),
    })
    expect((await resend.post('/nothing/here')).error).toMatchObject({ statusCode: 404, name: 'not_found' })
    expect(await counted()).toEqual(before)
  })
})
