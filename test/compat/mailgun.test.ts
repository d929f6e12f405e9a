import Mailgun from 'mailgun.js'
import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailgun as api } from '../../server/compat/mailgun/mailgun-api.ts'
import { PROJECT, SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { QUICK } from '../support/matrix.ts'
import { expectTable, methodsOf } from './tables.ts'

const MAIL = { from: 'hello@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hello' }

/** Objects and methods that are private by the types of the package. */
const PRIVATE =
  /(?:^|\.)(?:request|logger|attachmentsHandler)\.|\.(?:_?parse\w*|_\w+|prepare\w*|validateQuery|convert\w*|handleResponse|getModel|isValidIp|checkAndUpdateData|createWhiteList|createUnsubscribe)$/

it('lists all methods of the package in the documentation', async () => {
  const client = new Mailgun(FormData).client({ username: 'api', key: 'x' })
  const methods = methodsOf(client).filter((name) => !PRIVATE.test(name))
  await expectTable({ api, methods, page: 'docs/compat-mailgun.md' })
})

describe(`Mailgun's own package on ${QUICK.name}`, () => {
  let server: CompatServer
  let mg: ReturnType<Mailgun['client']>
  const post = async (fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/compat/mailgun/v3/example.com/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${SECRET}`)}`, ...headers },
      body: new URLSearchParams(fields),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const subjectTo = async (address: string, count: number) => {
    const mail = (await server.sink.waitFor(count)).find(({ to }) => to.includes(address))
    return simpleParser(mail!.raw)
  }

  beforeAll(async () => {
    server = await compatServer(QUICK)
    const mailgun = new Mailgun(FormData)
    mg = mailgun.client({ username: 'api', key: SECRET, url: `${server.url}/compat/mailgun` })
  })
  afterAll(() => server.close())

  it('sends the mail of its quick start', async () => {
    const sent = await mg.messages.create('example.com', {
      from: 'Excited User <mailgun@example.com>',
      to: ['test@example.com'],
      subject: 'Hello',
      text: 'Testing some Mailgun awesomeness!',
      html: '<h1>Testing some Mailgun awesomeness!</h1>',
    })
    expect(sent).toMatchObject({ status: 200, message: 'Queued. Thank you.' })
    const { html, text, messageId } = await subjectTo('test@example.com', 1)
    expect(html).toContain('<h1>Testing some Mailgun awesomeness!</h1>')
    expect(text).toContain('Testing some Mailgun awesomeness!')
    expect(sent.id).toBe(messageId)
  })

  it('sends one mail to several, with files, headers, variables and tags', async () => {
    await mg.messages.create('example.com', {
      from: 'hello@example.com',
      to: ['"B, Ob" <bob@example.org>', 'cy@example.org'],
      cc: 'di@example.org, ed@example.org',
      bcc: 'fay@example.org',
      subject: 'Braces {{ stay }} %recipient.x%',
      html: '<p>{% here %}<img src="cid:logo.png"></p>',
      'h:Reply-To': 'help@example.com, sales@example.com',
      'h:X-Thing': '7',
      'v:color': 'blue',
      'o:tag': ['a', 'b'],
      'o:tracking': 'no',
      attachment: { data: Buffer.from('1;2'), filename: 'é.csv', contentType: 'text/csv' },
      inline: { data: Buffer.from('png'), filename: 'logo.png', contentType: 'image/png' },
    })
    const mail = (await server.sink.waitFor(2)).at(-1)
    const [bob, cy, di, ed, fay] = ['bob', 'cy', 'di', 'ed', 'fay'].map((name) => `${name}@example.org`)
    expect(mail?.to).toEqual([bob, cy, di, ed, fay])
    const parsed = await simpleParser(mail!.raw, { skipImageLinks: true })
    expect(parsed.subject).toBe('Braces {{ stay }} %recipient.x%')
    expect(parsed.replyTo?.text).toBe('help@example.com, sales@example.com')
    expect(parsed.headers.get('x-thing')).toBe('7')
    expect(parsed.attachments.map(({ filename, contentType, related }) => [filename, contentType, related])).toEqual(
      expect.arrayContaining([
        ['é.csv', 'text/csv', undefined],
        ['logo.png', 'image/png', true],
      ]),
    )
    const { body } = await server.test.ask('GET', '/emails?search=to:bob@example.org')
    expect(body.data).toMatchObject([{ tags: { color: 'blue', _tag: 'a', '_tag-2': 'b' } }])
  })

  it('makes a mail for each recipient with variables of its own', async () => {
    await mg.messages.create('example.com', {
      ...MAIL,
      to: ['Gil <gil@example.org>', 'GIL@example.org', 'hal@example.org'],
      subject: 'Hey, %recipient.first%',
      text: '%recipient.n% for %recipient% at %recipient_email%%recipient.none%%recipient.constructor% {{ x }}',
      'recipient-variables': JSON.stringify({
        'Gil@example.org': { first: 'G', n: 1 },
        'hal@example.org': { first: 'H', n: { a: 2 } },
      }),
    })
    const gil = await subjectTo('gil@example.org', 4)
    expect(gil.subject).toBe('Hey, G')
    // the same address twice is one mail
    expect((await server.test.ask('GET', '/emails?search=to:gil@example.org')).body.total).toBe(1)
    expect(gil.text).toContain('1 for Gil <gil@example.org> at gil@example.org {{ x }}')
    const hal = await subjectTo('hal@example.org', 4)
    expect(hal.subject).toBe('Hey, H')
    expect(hal.text).toContain('{"a":2} for')
    expect(hal.headers.get('to')).toMatchObject({ text: 'hal@example.org' })
  })

  it('fills in templates, sends later, and only checks in test mode', async () => {
    const template = { name: 'Hello there', subject: 'Hi {{ name }}', body: '<p>{{ n }}</p>', type: 'TRANSACTIONAL' }
    await server.test.ask('POST', '/templates', { json: template })
    await mg.messages.create('example.com', {
      from: MAIL.from,
      to: 'ida@example.org',
      template: 'hello-there',
      't:variables': JSON.stringify({ name: 'Ida', n: 3 }),
    })
    const ida = await subjectTo('ida@example.org', 5)
    expect(ida.subject).toBe('Hi Ida')
    expect(ida.text).toContain('3')
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000)
    await post({ ...MAIL, to: 'later@example.org', 'o:deliverytime': at.toUTCString() })
    const listed = (await server.test.ask('GET', '/emails?search=to:later@example.org')).body.data
    expect(listed).toMatchObject([{ status: 'QUEUED', dueAt: at.toISOString() }])
    const before = (await server.test.ask('GET', '/emails')).body.total
    expect(await post({ ...MAIL, 'o:testmode': 'yes' })).toMatchObject({ status: 200 })
    expect(await post({ ...MAIL, 'o:testmode': 'yes', to: 'x' })).toMatchObject({ status: 400 })
    expect((await server.test.ask('GET', '/emails')).body.total).toBe(before)
  })

  it('sends a whole message', async () => {
    const message =
      'From: hello@example.com\r\nTo: all@example.org\r\nSubject: Whole {{ x }}\r\nMessage-ID: <own@example.com>\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nBody\r\n'
    const sent = await mg.messages.create('example.com', { to: 'jo@example.org', message, 'o:tag': 'raw' })
    expect(sent).toMatchObject({ status: 200, id: '<own@example.com>', message: 'Queued. Thank you.' })
    const whole = await subjectTo('jo@example.org', 6)
    expect(whole.subject).toBe('Whole {{ x }}')
    expect(whole.headers.get('to')).toMatchObject({ text: 'all@example.org' })
    const json = { name: 'sender', kind: 'secret', scopes: ['send'] }
    const key = (await server.test.ask('POST', `/projects/${PROJECT}/keys`, { json })).body
    const limited = new Mailgun(FormData).client({
      username: 'api',
      key: key.key,
      url: `${server.url}/compat/mailgun`,
    })
    const unread = await limited.messages.create('example.com', { to: 'kai@example.org', message })
    const { body: mails } = await server.test.ask('GET', '/emails?search=to:kai@example.org')
    expect(unread.id).toBe(`<${mails.data[0].id}@example.com>`)
    const bare = mg.messages.create('example.com', {
      to: 'jo@example.org',
      message: 'From: a@unknown.example\r\n\r\nx',
    })
    await expect(bare).rejects.toMatchObject({ status: 403 })
  })

  it('lists, adds and removes suppressed addresses', async () => {
    const domain = 'example.com'
    const { suppressions } = mg
    const bounces = [
      { address: 'A1@example.org', code: 550, error: '550 5.1.1 no such user' },
      { address: 'a2@example.org' },
    ]
    await suppressions.create(domain, 'bounces', bounces)
    const added = await suppressions.create(domain, 'complaints', { address: 'loud@example.org' })
    expect(added.message).toBe('Address has been added to the complaints table')
    await suppressions.create(domain, 'unsubscribes', { address: 'left@example.org', tag: '*' })
    // a complaint stays one
    await suppressions.create(domain, 'unsubscribes', [{ address: 'loud@example.org', tags: ['*'] }])
    const first = await suppressions.list(domain, 'bounces', { limit: 1 })
    expect(first.items).toMatchObject([{ address: 'a2@example.org', error: '' }])
    const second = await suppressions.list(domain, 'bounces', { limit: 1, page: first.pages.next!.page })
    expect(second.items).toMatchObject([{ address: 'a1@example.org', code: 550, error: '550 5.1.1 no such user' }])
    const at = (second.items[0] as { created_at: Date }).created_at
    expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(60_000)
    const left = await suppressions.get(domain, 'unsubscribes', 'left@example.org')
    expect(left).toMatchObject({ address: 'left@example.org', tags: ['*'] })
    await expect(suppressions.get(domain, 'unsubscribes', 'loud@example.org')).rejects.toMatchObject({
      status: 404,
      details: 'Address not found in unsubscribes table',
    })
    const removed = await suppressions.destroy(domain, 'bounces', 'a1@example.org')
    expect(removed).toMatchObject({ message: 'Bounced address has been removed', address: 'a1@example.org' })
    await expect(suppressions.destroy(domain, 'bounces', 'loud@example.org')).rejects.toMatchObject({ status: 404 })
    const wrong = [{ address: 'x' }, { address: '' }]
    for (const each of wrong) {
      await expect(suppressions.create(domain, 'bounces', each)).rejects.toMatchObject({ status: 400 })
    }
    const ofTag = suppressions.create(domain, 'unsubscribes', { address: 'b@example.org', tag: 'news' })
    await expect(ofTag).rejects.toMatchObject({ status: 400 })
    expect((await server.test.ask('GET', '/suppressions')).body.total).toBe(3)
  })

  it('sends once for an Idempotency-Key', async () => {
    const keyed = { 'idempotency-key': 'once' }
    const first = await post({ ...MAIL, to: 'key@example.org' }, keyed)
    expect(await post({ ...MAIL, to: 'key@example.org' }, keyed)).toEqual(first)
  })

  it('answers errors as Mailgun does', async () => {
    const stranger = { authorization: `Basic ${btoa('api:key-x')}` }
    expect(await post(MAIL, stranger)).toEqual({ status: 401, body: { message: 'Invalid private key' } })
    expect(await post(MAIL, { authorization: '' })).toEqual({ status: 401, body: { message: 'Forbidden' } })
    const wrong: readonly (readonly [change: Readonly<Record<string, string>>, says: string, status?: number])[] = [
      [{ from: '' }, 'from parameter is missing'],
      [{ to: '' }, 'to parameter is missing'],
      [{ from: 'nobody' }, "'from' parameter is not a valid address"],
      [{ to: 'nobody' }, "'to' parameter is not a valid address. please check documentation"],
      [{ to: 'a@b.example, c' }, "'to' parameter is not a valid address"],
      [{ cc: 'c' }, "'cc' parameter is not a valid address"],
      [{ text: '' }, "'text' parameter or 'html' or 'template' is required"],
      [{ subject: '' }, "'subject' parameter"],
      [{ 'o:deliverytime': 'tomorrow' }, "'o:deliverytime' parameter"],
      [{ 'o:deliverytime': 'Mon, 30 Feb 2026 23:10:10 +0000' }, "'o:deliverytime' parameter must be a date"],
      [{ 'o:deliverytime': 'Fri, 14 Oct 2050 23:10:10 -0000' }, "'o:deliverytime' parameter must be at most 30 days"],
      [{ 'o:testmode': 'perhaps' }, "'o:testmode' parameter must be yes or no"],
      [{ 'o:tracking': '1' }, "'o:tracking' parameter must be yes or no"],
      [{ 'recipient-variables': '{' }, "'recipient-variables' parameter is not valid JSON"],
      [{ 'recipient-variables': '[]' }, "'recipient-variables' parameter is not valid JSON"],
      [{ 'recipient-variables': '{"a@b.example":1}' }, "'recipient-variables' parameter must have an object"],
      [
        { 'recipient-variables': '{}', to: Array.from({ length: 501 }, (_, i) => `a${i}@b.example`).join() },
        "'to' parameter must be at most 500",
      ],
      [
        { 'recipient-variables': `{${Array.from({ length: 1001 }, (_, i) => `"a${i}@b.example":{}`).join()}}` },
        "'recipient-variables' parameter must have at most 1000",
      ],
      [{ to: Array(1001).fill('a@b.example').join() }, "'to' parameter must have at most 1000"],
      [{ 't:variables': 'x', template: 'y' }, "'t:variables' parameter is not valid JSON"],
      [{ 'amp-html': '<p>' }, "'amp-html' parameter is not possible here"],
      [{ 'h:To': 'x' }, "'h:To' parameter is set by the service"],
      [{ 'v:a': 'x'.repeat(600) }, "'v:' parameter"],
      [{ template: 'none' }, "'template' parameter is no template"],
      [{ from: 'a@unknown.example' }, 'unknown.example', 403],
    ]
    for (const [change, says, status = 400] of wrong) {
      const message = expect.stringContaining(says)
      expect(await post({ ...MAIL, ...change }), says).toEqual({ status, body: { message } })
    }
    await expect(mg.routes.list({})).rejects.toMatchObject({
      status: 404,
      details: expect.stringMatching(/is not here: .*[^.]\. http:\/\/\S+\/compat\/mailgun lists/),
    })
  })
})
