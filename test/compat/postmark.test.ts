import { simpleParser } from 'mailparser'
import { AccountClient, Models, ServerClient } from 'postmark'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postmark as api } from '../../server/compat/postmark/postmark-api.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'
import { expectTable } from './tables.ts'

const MAIL = { From: 'hello@example.com', To: 'ada@example.org', Subject: 'Hi', TextBody: 'Hello' }

it('lists all methods of the package in the documentation', async () => {
  const namesOf = (given: object) => Object.getOwnPropertyNames(given).filter((name) => name !== 'constructor')
  const ofAccount = namesOf(AccountClient.prototype).map((name) => `AccountClient.${name}`)
  const methods = [...namesOf(ServerClient.prototype), ...ofAccount]
  await expectTable({ api, methods, page: 'docs/compat-postmark.md' })
})

describe(`Postmark's own package on ${QUICK.name}`, () => {
  let server: CompatServer
  let client: ServerClient
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/compat/postmark${path}`, {
      method: 'POST',
      headers: { 'x-postmark-server-token': SECRET, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const read: { readonly ErrorCode: number; readonly MessageID?: string } = JSON.parse(await answer.text())
    return [answer.status, read] as const
  }

  beforeAll(async () => {
    server = await compatServer(QUICK)
    const requestHost = `${server.url.replace('http://', '')}/compat/postmark`
    client = new ServerClient(SECRET, { requestHost, useHttps: false })
  })
  afterAll(() => server.close())

  it('sends the mail of its quick start', async () => {
    const sent = await client.sendEmail({
      From: 'sender@example.com',
      To: 'test@example.com',
      Subject: 'Hello from Postmark',
      HtmlBody: '<strong>Hello</strong> dear Postmark user.',
      TextBody: 'Hello from Postmark!',
      MessageStream: 'outbound',
    })
    expect(sent).toMatchObject({ To: 'test@example.com', ErrorCode: 0, Message: 'OK' })
    const [mail] = await server.sink.waitFor(1)
    expect(mail?.to).toEqual(['test@example.com'])
    const { html, text } = await simpleParser(mail!.raw)
    expect(html).toContain('<strong>Hello</strong> dear Postmark user.')
    expect(text).toContain('Hello from Postmark!')
  })

  it('sends one mail to several, with all that a message may have', async () => {
    await client.sendEmail({
      From: '"Doe, J." <hello@example.com>',
      To: '"B, Ob" <bob@example.org>, cy@example.org',
      Cc: 'di@example.org',
      Bcc: 'ed@example.org',
      ReplyTo: 'help@example.com, sales@example.com',
      Subject: 'Braces {{ stay }}',
      HtmlBody: '<p>{% here %}<img src="cid:logo"></p>',
      Tag: 'welcome',
      Metadata: { color: 'blue' },
      Headers: [
        { Name: 'X-Thing', Value: '7' },
        { Name: 'constructor', Value: '8' },
      ],
      TrackOpens: true,
      TrackLinks: Models.LinkTrackingOptions.None,
      Attachments: [new Models.Attachment('a.png', 'aGVsbG8=', 'image/png', 'cid:logo')],
    })
    const mail = (await server.sink.waitFor(2)).at(-1)
    expect(mail?.to).toEqual(['bob@example.org', 'cy@example.org', 'di@example.org', 'ed@example.org'])
    const parsed = await simpleParser(mail!.raw, { skipImageLinks: true })
    expect(parsed.subject).toBe('Braces {{ stay }}')
    expect(parsed.headers.get('x-thing')).toBe('7')
    expect(parsed.headers.get('constructor')).toBe('8')
    expect(parsed.replyTo?.text).toBe('help@example.com, sales@example.com')
    expect(parsed.attachments).toMatchObject([{ contentId: '<logo>', contentType: 'image/png', related: true }])
    expect(parsed.html).not.toContain('/t/')
    const { body } = await server.test.ask('GET', '/emails?search=to:bob@example.org')
    expect(body.data).toMatchObject([{ tags: { color: 'blue', _tag: 'welcome' } }])
  })

  it('sends a batch with an answer for each, and templates', async () => {
    await server.test.ask('POST', '/templates', {
      json: { name: 'Hello there', subject: 'Hi {{ name }}', body: '<p>{{ n.of }} left</p>', type: 'TRANSACTIONAL' },
    })
    await server.test.ask('POST', '/suppressions', { json: { email: 'gone@example.org' } })
    const batch = await client.sendEmailBatch([
      { ...MAIL, To: 'one@example.org' },
      { ...MAIL, To: 'nobody' },
      { ...MAIL, To: 'gone@example.org' },
      { ...MAIL, MessageStream: 'broadcast' },
      { ...MAIL, To: 'two@example.org, gone@example.org' },
    ])
    expect(batch.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 406, 1235, 0])
    expect(batch[4]?.Message).toContain('gone@example.org')
    const template = { From: MAIL.From, TemplateAlias: 'hello-there', TemplateModel: { name: 'Eve', n: { of: 3 } } }
    const templated = await client.sendEmailBatchWithTemplates([{ ...template, To: 'eve@example.org' }])
    expect(templated).toMatchObject([{ ErrorCode: 0, To: 'eve@example.org' }])
    const single = await client.sendEmailWithTemplate({ ...template, To: 'fay@example.org' })
    expect(single.ErrorCode).toBe(0)
    const mails = await server.sink.waitFor(6)
    const fay = mails.find(({ to }) => to.includes('fay@example.org'))
    const parsed = await simpleParser(fay!.raw)
    expect(parsed.subject).toBe('Hi Eve')
    expect(parsed.text).toContain('3 left')
    const contact = await server.test.ask('GET', '/contacts?search=fay@example.org')
    expect(contact.body.data[0].data).toEqual({})
  })

  it('looks mails up', async () => {
    const found = async (filter: object) =>
      (await client.getOutboundMessages({ count: 10, offset: 0, ...filter })).Messages.map(({ To }) => To[0]?.Email)
    expect(await found({ recipient: 'bob@example.org' })).toEqual(['bob@example.org'])
    expect(await found({ tag: 'welcome' })).toEqual(['bob@example.org'])
    expect(await found({ metadata_color: 'blue', subject: 'Braces' })).toEqual(['bob@example.org'])
    expect(await found({ tag: 'none' })).toEqual([])
    expect(await found({ tag: 'welcome', constructor: 'x' })).toEqual(['bob@example.org'])
    const all = await found({ count: 500 })
    expect(all.length).toBeGreaterThan(3)
    expect(await found({ count: 2, offset: 1 })).toEqual(all.slice(1, 3))
    const list = await client.getOutboundMessages({ count: 1, offset: 0, tag: 'welcome' })
    expect(list.Messages).toMatchObject([{ Tag: 'welcome', Metadata: { color: 'blue' }, Status: 'Sent' }])
    const detail = await client.getOutboundMessageDetails(list.Messages[0]!.MessageID)
    expect(detail).toMatchObject({
      From: '"Doe, J." <hello@example.com>',
      Recipients: ['bob@example.org', 'cy@example.org', 'di@example.org', 'ed@example.org'],
      Cc: [{ Email: 'di@example.org', Name: null }],
      MessageEvents: [{ Type: 'Delivered' }],
    })
    await expect(client.getOutboundMessageDetails('none')).rejects.toMatchObject({ statusCode: 422, code: 701 })
    await expect(client.getOutboundMessages({ count: 500, offset: 501 })).rejects.toMatchObject({ code: 700 })
  })

  it('lists, adds and removes suppressed addresses', async () => {
    const suppress = (json: object) => server.test.ask('POST', '/suppressions', { json })
    await suppress({ email: 'loud@example.org', reason: 'COMPLAINT' })
    await suppress({ email: 'full@example.org', reason: 'BOUNCE', detail: '550 5.1.1 no' })
    const added = await client.createSuppressions('outbound', {
      Suppressions: [{ EmailAddress: 'Left@example.org' }, { EmailAddress: 'x' }, { EmailAddress: 'loud@example.org' }],
    })
    expect(added.Suppressions.map(({ Status }) => Status)).toEqual(['Suppressed', 'Failed', 'Suppressed'])
    const all = async (filter = {}) =>
      (await client.getSuppressions('outbound', filter)).Suppressions.map((each) => [
        each.EmailAddress,
        each.SuppressionReason,
        each.Origin,
      ])
    const left = ['left@example.org', 'ManualSuppression', 'Customer']
    const loud = ['loud@example.org', 'SpamComplaint', 'Recipient']
    expect(await all()).toEqual([
      left,
      ['full@example.org', 'HardBounce', 'Recipient'],
      loud,
      ['gone@example.org', 'ManualSuppression', 'Customer'],
    ])
    expect(await all({ emailAddress: 'loud@example.org' })).toEqual([loud])
    const { ManualSuppression } = Models.SuppressionReason
    expect(await all({ suppressionReason: ManualSuppression, fromDate: '2020-01-01' })).toHaveLength(2)
    expect(await all({ toDate: '2020-01-01' })).toEqual([])
    const removed = await client.deleteSuppressions('outbound', {
      Suppressions: [{ EmailAddress: 'full@example.org' }, { EmailAddress: 'loud@example.org' }],
    })
    expect(removed.Suppressions.map(({ Status }) => Status)).toEqual(['Deleted', 'Failed'])
    expect(await all()).toHaveLength(3)
    await expect(client.getSuppressions('broadcast')).rejects.toMatchObject({ statusCode: 422, code: 1235 })
    await expect(client.getSuppressions('outbound', { toDate: 'x' })).rejects.toMatchObject({ code: 300 })
  })

  it('sends once for an Idempotency-Key', async () => {
    const keyed = { 'idempotency-key': 'once' }
    const first = await post('/email', { ...MAIL, To: 'key@example.org' }, keyed)
    expect(first).toMatchObject([200, { ErrorCode: 0 }])
    const again = await post('/email', { ...MAIL, To: 'key@example.org' }, keyed)
    expect(again[1].MessageID).toBe(first[1].MessageID)
    expect(await post('/email', { ...MAIL, To: 'other@example.org' }, keyed)).toMatchObject([422, { ErrorCode: 300 }])
  })

  it('answers errors as Postmark does', async () => {
    const gone = client.sendEmail({ ...MAIL, To: 'gone@example.org' })
    await expect(gone).rejects.toMatchObject({ statusCode: 422, code: 406, recipients: ['gone@example.org'] })
    const stranger = new ServerClient('x', { ...client.getClientOptions() })
    await expect(stranger.sendEmail(MAIL)).rejects.toMatchObject({ statusCode: 401, code: 10 })
    const wrong: readonly (readonly [path: string, body: unknown, status: number, code: number, says: string])[] = [
      ['/email', '{', 422, 402, 'JSON'],
      ['/email', [], 422, 403, 'object'],
      ['/email', {}, 422, 300, "'From'"],
      ['/email', { ...MAIL, From: undefined }, 422, 300, "'From'"],
      ['/email', { ...MAIL, From: 'nobody' }, 422, 300, "'From'"],
      ['/email', { ...MAIL, From: 'a@unknown.example' }, 422, 400, 'unknown.example'],
      ['/email', { ...MAIL, To: '' }, 422, 300, "'To'"],
      ['/email', { ...MAIL, To: 'a@b.example, nobody' }, 422, 300, "'To.1'"],
      ['/email', { ...MAIL, To: 7 }, 422, 403, "'To'"],
      ['/email', { ...MAIL, Cc: Array(50).fill('a@b.example').join() }, 422, 300, '50 recipients'],
      ['/email', { ...MAIL, TextBody: undefined }, 422, 300, 'HtmlBody'],
      ['/email', { ...MAIL, Subject: undefined }, 422, 300, "'Subject'"],
      ['/email', { ...MAIL, ReplyTo: 'nobody' }, 422, 300, "'ReplyTo.0'"],
      ['/email', { ...MAIL, Headers: [{ Name: 'Date', Value: 'x' }] }, 422, 300, "'Headers.Date'"],
      ['/email', { ...MAIL, Headers: { a: 'b' } }, 422, 403, "'Headers'"],
      ['/email', { ...MAIL, Attachments: [{ Name: 'a', Content: '?', ContentType: 'a/b' }] }, 422, 300, 'Base64'],
      ['/email', { ...MAIL, Metadata: { a: 1 } }, 422, 403, "'Metadata.a'"],
      ['/email', { ...MAIL, TrackLinks: 'Some' }, 422, 300, "'TrackLinks'"],
      ['/email', { ...MAIL, MessageStream: 'broadcast' }, 422, 1235, 'broadcast'],
      ['/email/withTemplate', { ...MAIL, TemplateModel: {} }, 422, 300, "'TemplateAlias'"],
      ['/email/withTemplate', { ...MAIL, TemplateAlias: 'none', TemplateModel: {} }, 422, 1101, 'none'],
      ['/email/batch', Array(501).fill(MAIL), 422, 410, '500'],
      ['/nothing', {}, 404, 404, 'not here'],
    ]
    for (const [path, body, status, code, says] of wrong) {
      const message = expect.stringContaining(says)
      expect(await post(path, body), says).toEqual([status, { ErrorCode: code, Message: message }])
    }
  })
})
