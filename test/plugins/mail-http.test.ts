import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { MailTransport, OutgoingMail } from '../../core/ports/mail-transport.ts'
import { httpMail } from '../../plugins/mail-http/index.ts'
import { HttpMailOptions } from '../../plugins/mail-http/options.ts'
import { LISTS, VALUES } from '../../plugins/mail-http/values.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import { GARBLED, writeGarbled } from '../contracts/garbled-answers.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { startJsonProvider } from '../support/json-provider.ts'

type Options = Parameters<typeof httpMail>[0]

const never = new AbortController().signal
const box = { email: '{{ item.email }}', name: '{{ item.name }}' }
const BODY = {
  from: { email: '{{ from.email }}', name: '{{ from.name }}' },
  to: [{ '{{ each to }}': box }],
  cc: [{ '{{ each cc }}': box }],
  bcc: [{ '{{ each bcc }}': box }],
  replyTo: [{ '{{ each replyTo }}': box }],
  subject: '{{ subject }}',
  text: '{{ text }}',
  html: '{{ html }}',
  headers: [{ '{{ each headers }}': { name: '{{ item.name }}', value: '{{ item.value }}' } }],
  attachments: {
    '{{ each attachments }}': {
      filename: '{{ item.filename }}',
      contentType: '{{ item.contentType }}',
      contentId: '{{ item.contentId }}',
      content: '{{ item.content }}',
    },
  },
}

/** Opened as the engine does it, with the real sender of webhooks. */
async function open(options: Options, allow: readonly string[] = ['127.0.0.0/8']): Promise<MailTransport> {
  const kit = { log: silentLog, clock: systemClock }
  const dns = { ipv4: async () => [], ipv6: async () => [] } as never
  const { webhooks } = await webhooksHttp().open({ ...kit, egress: { dns, allow } })
  return (await httpMail(options).open({ ...kit, webhooks })).transport
}

interface Asked {
  readonly request: IncomingMessage
  readonly body: Buffer
}

/** A server that answers as it is told, and keeps what it was asked. */
async function provider(answer: (response: ServerResponse, asked: Asked, count: number) => unknown) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    asked.push({ request, body: Buffer.concat(parts) })
    answer(response, asked.at(-1)!, asked.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail?key=hidden`, asked }
}

describe('mail-http', () => {
  mailTransportContract(async () => {
    const { url, apiKey, mails, moods, close } = await startJsonProvider()
    return {
      transport: await open({ url, headers: { Authorization: `Bearer ${apiKey}` }, body: BODY, id: 'id' }),
      speaks: 'fields',
      received: async () => mails,
      refuses: undefined,
      postpones: undefined,
      unplug: close,
      stall: () => {
        moods.isSilent = true
      },
      fails: (status) => {
        moods.status = status
      },
      garbles: (answer) => {
        moods.garbled = answer
      },
      cuts: () => {
        moods.cut = true
      },
      close,
    }
  })

  it('does not claim to know what became of a mail whose connection broke behind it', async () => {
    const { url, apiKey, mails, moods, close } = await startJsonProvider()
    onTestFinished(close)
    const transport = await open({ url, headers: { Authorization: `Bearer ${apiKey}` }, body: BODY })
    moods.cut = true
    await expect(transport.send(outgoingMail(), never)).rejects.toThrow(/did not say whether it took the mail/)
    expect(mails).toHaveLength(1)
  })

  it('reaches nothing that egress.allow does not name', async () => {
    const { url, asked } = await provider((response) => response.end('{}'))
    const transport = await open({ url, body: BODY }, [])
    expect(await transport.send(outgoingMail(), never)).toMatchObject({
      outcome: 'refused',
      permanent: false,
      stage: 'connect',
      reason: expect.stringContaining('egress.allow'),
    })
    await expect(transport.check?.()).rejects.toThrow(/egress\.allow/)
    expect(asked).toEqual([])
  })

  describe('an answer', () => {
    const sent = async (status: number, options: Partial<Options> = {}, answer = '{"id":"x-1"}', headers = {}) => {
      const { url } = await provider((response) => response.writeHead(status, headers).end(answer))
      const transport = await open({ url, body: BODY, id: 'id', ...options })
      return transport.send(outgoingMail(), never).catch((error: Error) => error.message)
    }

    it.each([
      [200, { outcome: 'accepted', id: 'x-1', response: '200 {"id":"x-1"}' }],
      [202, { outcome: 'accepted', id: 'x-1' }],
      [302, { outcome: 'refused', permanent: false, stage: 'connect', code: 454 }],
      [400, { outcome: 'refused', permanent: true, stage: 'data', code: 554, enhancedCode: '5.6.0' }],
      [401, { outcome: 'refused', permanent: false, stage: 'connect', code: 535 }],
      [404, { outcome: 'refused', permanent: false, stage: 'connect', code: 454 }],
      [409, { outcome: 'refused', permanent: false, stage: 'data', code: 451 }],
      [413, { outcome: 'refused', permanent: true, code: 552 }],
      [429, { outcome: 'refused', permanent: false, stage: 'mail', code: 421 }],
      [503, { outcome: 'refused', permanent: false, stage: 'mail', code: 421 }],
    ])('with status %i', async (status, result) => {
      expect(await sent(status)).toMatchObject(result)
    })

    it.each([500, 502, 504])('with status %i says nothing of the mail', async (status) => {
      expect(await sent(status)).toMatch(/^127\.0\.0\.1:\d+ did not say whether it took the mail: \d+ \{"id"/)
    })

    it('is read as the options say', async () => {
      const statuses = { accepted: [418], permanent: [404], temporary: [500], rateLimited: [420] }
      expect(await sent(418, { statuses })).toMatchObject({ outcome: 'accepted' })
      expect(await sent(404, { statuses })).toMatchObject({ permanent: true })
      expect(await sent(400, { statuses })).toMatchObject({ permanent: false, stage: 'data' })
      expect(await sent(500, { statuses })).toMatchObject({ permanent: false, stage: 'data' })
      expect(await sent(420, { statuses })).toMatchObject({ permanent: false, stage: 'mail' })
      const acceptedWhen = { path: 'items.0.ok', is: true }
      expect(await sent(200, { acceptedWhen }, '{"items":[{"ok":true}]}')).toMatchObject({ outcome: 'accepted' })
      for (const no of ['{"items":[{"ok":"true"}]}', '{"items":[]}', '{}', 'null', 'no JSON', '']) {
        expect(await sent(200, { acceptedWhen }, no)).toMatchObject({ outcome: 'refused', permanent: false })
      }
      expect(await sent(200, { id: 'data.7.id' }, '{"data":[{"id":"a"}]}')).not.toHaveProperty('id')
      expect(await sent(200, { id: '__proto__.x' })).toMatchObject({ outcome: 'accepted' })
      expect(await sent(200, { id: 'n' }, '{"n":17}')).toMatchObject({ id: '17' })
      expect(await sent(200, { reportsDelivery: true })).toMatchObject({ deliveryPending: true })
    })

    it('is kept without what we log in with, and short', async () => {
      const auth = { user: 'api', pass: 'very secret' }
      const base64 = Buffer.from('api:very secret').toString('base64')
      const result = await sent(400, { auth, id: undefined }, `who is ${base64}? ${'x'.repeat(5000)}\n`)
      expect(JSON.stringify(result)).not.toMatch(new RegExp(`${base64}|hidden`))
      expect(result).toMatchObject({ reason: expect.stringMatching(/^400 who is \*\*\*\? x{400,500}$/) })
      expect(result).toMatchObject({ conversation: { answers: [{ command: 'POST /mail', code: 400 }] } })
    })
  })

  it('makes no request until the time that the provider says', async () => {
    const { url, asked } = await provider((response, _asked, count) =>
      count === 1 ? response.writeHead(429, { 'retry-after': '1' }).end() : response.end('{}'),
    )
    const transport = await open({ url, body: BODY })
    expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'refused', stage: 'mail' })
    const begin = performance.now()
    const held = transport.send(outgoingMail(), AbortSignal.timeout(50))
    expect(await held).toMatchObject({ outcome: 'refused', permanent: false, reason: 'given up before it was sent' })
    expect(asked).toHaveLength(1)
    expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
    expect(performance.now() - begin).toBeGreaterThan(800)
  })

  it('lets the engine wait when the provider wants that for long', async () => {
    const { url, asked } = await provider((response) =>
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() }).end(),
    )
    const transport = await open({ url, body: BODY })
    await transport.send(outgoingMail(), never)
    expect(await transport.send(outgoingMail(), never)).toMatchObject({
      outcome: 'refused',
      code: 421,
      reason: expect.stringMatching(/another (3600|3599) seconds/),
    })
    expect(asked).toHaveLength(1)
  })

  it('gives the same key on every try with the same recipients, and another one to others', async () => {
    const { url, asked } = await provider((response) => response.end('{}'))
    const transport = await open({ url, body: BODY, idempotencyHeader: 'Idempotency-Key' })
    const mail = outgoingMail({ cc: [{ email: 'cy@example.org' }] })
    await transport.send(mail, never)
    await transport.send(mail, never)
    const envelope = { from: 'a@b.test', to: ['cy@example.org'] }
    await transport.send(outgoingMail({ id: mail.id, cc: [{ email: 'cy@example.org' }], envelope }), never)
    const keys = asked.map(({ request }) => request.headers['idempotency-key'])
    expect(keys[0]).toMatch(new RegExp(`^${mail.id}-[0-9a-f]{16}$`))
    expect(new Set(keys).size).toBe(2)
    expect(keys[1]).toBe(keys[0])
  })

  describe('recipients for whom the body has no place', () => {
    const { cc: _cc, bcc: _bcc, ...without } = BODY
    const copied = (more: Partial<OutgoingMail> = {}) =>
      outgoingMail({
        to: [{ email: 'ada@example.com' }],
        cc: [{ email: 'cy@example.org' }],
        bcc: [{ email: 'dark@example.com' }],
        ...more,
      })
    const toOf = ({ body }: Asked) => JSON.parse(body.toString()).to.map(({ email }: { email: string }) => email)

    it('get a request each', async () => {
      const { url, asked } = await provider((response) => response.end('{}'))
      const transport = await open({ url, body: without })
      expect(await transport.send(copied(), never)).toMatchObject({ outcome: 'accepted' })
      expect(asked.map(toOf)).toEqual([['ada@example.com'], ['cy@example.org'], ['dark@example.com']])
    })

    it('are named when they alone are refused, or when nobody knows', async () => {
      const { url } = await provider((response, asked) => {
        const [to] = toOf(asked)
        response.writeHead(to === 'cy@example.org' ? 422 : to === 'dark@example.com' ? 500 : 200).end('{}')
      })
      const transport = await open({ url, body: without })
      expect(await transport.send(copied(), never)).toMatchObject({
        outcome: 'accepted',
        refused: [
          { recipient: 'cy@example.org', permanent: true },
          { recipient: 'dark@example.com', permanent: false },
        ],
      })
      const envelope = { from: 'a@b.test', to: ['dark@example.com'] }
      await expect(transport.send(copied({ envelope }), never)).rejects.toThrow(/did not say/)
    })
  })

  it.each<[string, Partial<OutgoingMail>]>([
    ['HTML', {}],
    ['headers', { html: undefined, headers: [['List-Unsubscribe', '<https://a.test>']] }],
    ['replyTo', { html: undefined, replyTo: [{ email: 'a@b.test' }] }],
    ['several addresses of replyTo', { html: undefined, replyTo: [{ email: 'a@b.test' }, { email: 'c@d.test' }] }],
    [
      'attachments',
      {
        html: undefined,
        attachments: [{ filename: 'a', contentType: 'a/b', disposition: 'attachment', content: Buffer.from('a') }],
      },
    ],
  ])('refuses a mail for whose %s the body has no place, rather than lose it', async (what, given) => {
    const { url, asked } = await provider((response) => response.end('{}'))
    const body = { f: '{{ from.text }}', t: '{{ to.text }}', s: '{{ subject }}', b: '{{ text }}' }
    const one = what.startsWith('several') ? { r: '{{ replyTo.email }}' } : {}
    const transport = await open({ url, body: { ...body, ...one } })
    expect(await transport.send(outgoingMail(given), never)).toMatchObject({
      outcome: 'refused',
      permanent: true,
      reason: `the body of this transport has no place for ${what}, which the mail has`,
    })
    expect(asked).toEqual([])
  })
})

describe('the body of mail-http', () => {
  const base = { f: '{{ from.text }}', t: '{{ to.text }}', s: '{{ subject }}', b: '{{ text }}' }
  const url = 'https://api.acme.example/mail'
  const problems = (body: object, more: object = {}) =>
    httpMail({ url, body: { ...base, ...body }, ...more } as Options)
      .problems()
      .map(({ field, message }) => `${field}: ${message}`)

  it.each<[string, object, object, string]>([
    ['a mistyped field', { h: '{{ htlm }}' }, {}, 'body.h: {{ htlm }} is not a placeholder (did you mean html?)'],
    [
      'a mistyped list',
      { a: { '{{ each attachment }}': 1 } },
      {},
      'body.a.{{ each attachment }}: {{ attachment }} is not a placeholder (did you mean attachments?)',
    ],
    [
      'a mistyped item',
      { c: { '{{ each cc }}': '{{ item.mail }}' } },
      {},
      'body.c.{{ each cc }}: {{ item.mail }} is not a placeholder (did you mean item.email?)',
    ],
    [
      'an item outside',
      { c: '{{ item.email }}' },
      {},
      'body.c: {{ item.email }} has a meaning only inside {{ each … }}',
    ],
    [
      'each inside each',
      { c: { '{{ each cc }}': { '{{ each to }}': 1 } } },
      {},
      'body.c.{{ each cc }}.{{ each to }}: must not stand inside another {{ each … }}',
    ],
    ['half a placeholder', { c: '{{ subject' }, {}, 'body.c: has a {{ or }} without the other'],
    [
      'a list inside text',
      { c: 'to {{ to.emails }}' },
      {},
      'body.c: {{ to.emails }} is a list or an object, so it must stand alone',
    ],
    [
      'files in JSON',
      { c: '{{ attachments.files }}' },
      {},
      'body: can have {{ attachments.files }} only with the format multipart',
    ],
    ['no recipients', { t: 'ada@example.com' }, {}, 'body: must have a place for to, such as {{ to.text }}'],
    ['no content', { b: '' }, {}, 'body: must have a place for {{ text }} or {{ html }}'],
    ['a prototype', { c: '{{ constructor }}' }, {}, 'body.c: {{ constructor }} is not a placeholder'],
    [
      'a key in an open connection',
      {},
      { url: 'http://api.acme.example' },
      'url: must be https, unless it is this machine or allowInsecure is true',
    ],
    [
      'a login in the URL',
      {},
      { url: 'https://u:p@acme.example' },
      'url: must be an http or https URL without a login in it',
    ],
    ['a status twice', {}, { statuses: { accepted: [200, 422] } }, 'statuses: must not have 422 twice'],
    [
      'two logins',
      {},
      { auth: { user: 'a', pass: 'b' }, headers: { Authorization: 'c' } },
      'auth: must be left out beside the header field Authorization',
    ],
    [
      'a line break in a header',
      {},
      { headers: { a: 'b\r\nc: d' } },
      'headers.a: must be 1 to 8000 characters of ASCII',
    ],
    ['a bad path', {}, { id: 'a..b' }, 'id: must be names with dots between them, such as MessageID or messages.0.id'],
  ])('with %s is refused', (_what, body, more, problem) => {
    expect(problems(body, more).map((each) => each.slice(0, problem.length))).toContain(problem)
  })

  it('has bounds', () => {
    expect(problems({ x: 'a'.repeat(65_536 - JSON.stringify({ ...base, x: '' }).length) })).toEqual([])
    expect(problems({ x: 'a'.repeat(65_537 - JSON.stringify({ ...base, x: '' }).length) })).toEqual([
      'body: must be at most 65536 characters of JSON',
    ])
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(problems({ x: nested(19) })).toEqual([])
    expect(problems({ x: nested(20) })).toEqual([expect.stringMatching(/must not be nested deeper than 20$/)])
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'a']))
    expect(problems({}, { headers: headers(30) })).toEqual([])
    expect(problems({}, { headers: headers(31) })).toEqual(['headers: must be at most 30'])
    expect(problems({}, { timeout: 601, maxConnections: 1001 })).toHaveLength(2)
  })

  it('leaves out what the mail lacks, and takes values as they are', async () => {
    const { url, asked } = await provider((response) => response.end('{}'))
    const body = {
      ...base,
      fixed: { n: 1, yes: true, none: null, empty: [], object: {} },
      reply: { to: { email: '{{ replyTo.email }}' } },
      copies: ['{{ cc.text }}'],
      note: 'from {{ from.name }}, to {{ replyTo.name }}!',
      quoted: '{{ subject }}: "{{ text }}"',
      html: '{{ html }}',
      tags: '{{ tags.object }}',
    }
    const mail = outgoingMail({
      from: { email: 'a@bücher.example', name: 'A, "B"' },
      subject: '{{ id }} "x"\n',
      html: undefined,
    })
    await (await open({ url, body })).send(mail, never)
    expect(JSON.parse(asked[0]!.body.toString())).toEqual({
      f: '"A, \\"B\\"" <a@xn--bcher-kva.example>',
      t: 'ada@example.com',
      s: '{{ id }} "x"\n',
      b: 'Hello',
      fixed: { n: 1, yes: true, none: null, empty: [], object: {} },
      note: 'from A, "B", to !',
      quoted: '{{ id }} "x"\n: "Hello"',
    })
  })

  it('can be a form', async () => {
    const { url, asked } = await provider((response) => response.end('{}'))
    const body = { ...base, html: '{{ html }}', cc: '{{ cc.emails }}', object: { a: 1 } }
    const mail = outgoingMail({ cc: [{ email: 'b@example.com' }, { email: 'c@example.com' }], text: 'ä&b=c' })
    await (await open({ url, body, format: 'form' })).send(mail, never)
    const form = new URLSearchParams(asked[0]!.body.toString())
    expect(asked[0]!.request.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(form.getAll('cc')).toEqual(['b@example.com', 'c@example.com'])
    expect([form.get('b'), form.get('object')]).toEqual(['ä&b=c', '{"a":1}'])
  })
})

it('every option of mail-http has a row in the documentation, and every row an option', async () => {
  const text = await readFile(new URL('../../docs/mail-http.md', import.meta.url), 'utf8')
  const rows = /^## Options\n(.*?)^## /ms.exec(text)?.[1]?.match(/(?<=^\| `)\w+/gm)
  expect(rows?.sort()).toEqual(Object.keys(HttpMailOptions.entries).sort())
})

it('every placeholder of mail-http is documented', async () => {
  const text = await readFile(new URL('../../docs/mail-http.md', import.meta.url), 'utf8')
  const names = [...Object.keys(VALUES).filter((name) => !/^b?cc\./.test(name)), ...Object.keys(LISTS)]
  const fields = Object.values(LISTS).flatMap((list) => list.map((field) => `item.${field}`))
  expect([...names, ...fields].filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

/** Each provider's own example of a request, with the fields of this mail. */
const MAIL = outgoingMail({
  id: '0192aaaa-0000-7000-8000-000000000001',
  messageId: '<1@acme.example>',
  from: { email: 'sender@acme.example', name: 'Acme, Inc.' },
  to: [{ email: 'receiver@example.com', name: 'John Doe' }, { email: 'second@example.com' }],
  cc: [{ email: 'copied@example.com' }],
  bcc: [{ email: 'blind@example.com' }],
  replyTo: [{ email: 'answers@acme.example', name: 'Answers' }],
  subject: 'Test',
  html: '<b>Hello</b>',
  text: 'Hello',
  headers: [['X-Custom', 'value']],
  attachments: [
    {
      filename: 'readme.txt',
      contentType: 'text/plain',
      disposition: 'attachment',
      content: Buffer.from('dGVzdCBjb250ZW50', 'base64'),
    },
    {
      filename: 'image.jpg',
      contentType: 'image/jpeg',
      disposition: 'inline',
      contentId: 'image.jpg',
      content: Buffer.from([0, 255]),
    },
  ],
})
const FROM = '"Acme, Inc." <sender@acme.example>'
const REPLY = 'Answers <answers@acme.example>'

describe('the requests of docs/mail-http.md are what the provider documents', () => {
  /** Sends the mail with the options of the documentation, to a server that answers as the provider's documentation says. */
  async function sentTo(host: string, answer: object, status = 200) {
    const text = await readFile(new URL('../../docs/mail-http.md', import.meta.url), 'utf8')
    const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => parse(block).transports[0])
    const { use, options } = blocks.find((block) => block.options.url.includes(host))
    expect(use).toBe('http')
    expect(httpMail(options).problems()).toEqual([])
    const { url, asked } = await provider((response) => response.writeHead(status).end(JSON.stringify(answer)))
    const result = await (await open({ ...options, url })).send(MAIL, never)
    const [{ request, body } = { request: undefined, body: Buffer.alloc(0) }, ...more] = asked
    expect(more).toEqual([])
    return {
      path: new URL(options.url).pathname,
      result,
      method: request?.method,
      headers: request?.headers ?? {},
      body,
    }
  }

  it('and take a mail once, whatever the success of the provider says', async () => {
    const text = await readFile(new URL('../../docs/mail-http.md', import.meta.url), 'utf8')
    const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => parse(block).transports[0])
    expect(blocks.length).toBeGreaterThan(3)
    for (const { name, options } of blocks) {
      for (const [what, garbled] of Object.entries(GARBLED.http)) {
        const { url, asked } = await provider((response) => writeGarbled(response, garbled))
        const result = await (await open({ ...options, url })).send(MAIL, never)
        expect(result, `${name}: ${what}`).toMatchObject({ outcome: 'accepted' })
        expect(asked.length, `${name}: ${what}`).toBe(1)
      }
    }
  })

  it('Postmark', async () => {
    const answer = {
      To: 'receiver@example.com',
      SubmittedAt: '2014-02-17T07:25:01.4178645-05:00',
      MessageID: '0a129aee-e1cd-480d-b08d-4f48548ff48d',
      ErrorCode: 0,
      Message: 'OK',
    }
    const { path, result, method, headers, body } = await sentTo('postmarkapp.com', answer)
    expect([method, path]).toEqual(['POST', '/email'])
    expect(headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-postmark-server-token': '${POSTMARK_TOKEN}',
    })
    expect(result).toMatchObject({ outcome: 'accepted', id: answer.MessageID })
    expect(JSON.parse(body.toString())).toEqual({
      From: FROM,
      To: 'John Doe <receiver@example.com>, second@example.com',
      Cc: 'copied@example.com',
      Bcc: 'blind@example.com',
      ReplyTo: REPLY,
      Subject: 'Test',
      HtmlBody: '<b>Hello</b>',
      TextBody: 'Hello',
      Headers: [{ Name: 'X-Custom', Value: 'value' }],
      Attachments: [
        { Name: 'readme.txt', Content: 'dGVzdCBjb250ZW50', ContentType: 'text/plain' },
        { Name: 'image.jpg', ContentID: 'cid:image.jpg', Content: 'AP8=', ContentType: 'image/jpeg' },
      ],
      Metadata: { mailwright: MAIL.id },
      MessageStream: 'outbound',
    })
    const refusal = { ErrorCode: 406, Message: 'You tried to send to a recipient that has been marked as inactive.' }
    expect((await sentTo('postmarkapp.com', refusal, 422)).result).toMatchObject({
      outcome: 'refused',
      permanent: true,
    })
  })

  it('Resend', async () => {
    const answer = { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }
    const { path, result, method, headers, body } = await sentTo('resend.com', answer)
    expect([method, path]).toEqual(['POST', '/emails'])
    expect(headers).toMatchObject({ authorization: 'Bearer ${RESEND_API_KEY}', 'content-type': 'application/json' })
    expect(String(headers['idempotency-key']).length).toBeLessThanOrEqual(256)
    expect(result).toMatchObject({ outcome: 'accepted', id: answer.id })
    expect(JSON.parse(body.toString())).toEqual({
      from: FROM,
      to: ['John Doe <receiver@example.com>', 'second@example.com'],
      cc: ['copied@example.com'],
      bcc: ['blind@example.com'],
      reply_to: [REPLY],
      subject: 'Test',
      html: '<b>Hello</b>',
      text: 'Hello',
      headers: { 'X-Custom': 'value' },
      attachments: [
        { filename: 'readme.txt', content: 'dGVzdCBjb250ZW50', content_type: 'text/plain' },
        { filename: 'image.jpg', content: 'AP8=', content_type: 'image/jpeg', content_id: 'image.jpg' },
      ],
    })
  })

  it('Brevo', async () => {
    const answer = { messageId: '<201798300811.5787683@relay.domain.com>' }
    const { path, result, method, headers, body } = await sentTo('brevo.com', answer, 201)
    expect([method, path]).toEqual(['POST', '/v3/smtp/email'])
    expect(headers).toMatchObject({ 'api-key': '${BREVO_API_KEY}', 'content-type': 'application/json' })
    expect(result).toMatchObject({ outcome: 'accepted', id: answer.messageId })
    expect(JSON.parse(body.toString())).toEqual({
      sender: { email: 'sender@acme.example', name: 'Acme, Inc.' },
      to: [{ email: 'receiver@example.com', name: 'John Doe' }, { email: 'second@example.com' }],
      cc: [{ email: 'copied@example.com' }],
      bcc: [{ email: 'blind@example.com' }],
      replyTo: { email: 'answers@acme.example', name: 'Answers' },
      subject: 'Test',
      htmlContent: '<b>Hello</b>',
      textContent: 'Hello',
      headers: { 'X-Custom': 'value' },
      attachment: [
        { name: 'readme.txt', content: 'dGVzdCBjb250ZW50' },
        { name: 'image.jpg', content: 'AP8=' },
      ],
    })
  })

  it('Mailgun', async () => {
    const answer = { id: '<20111114174239.25659.5817@samples.mailgun.org>', message: 'Queued. Thank you.' }
    const { path, result, method, headers, body } = await sentTo('mailgun.net', answer)
    expect([method, path]).toEqual(['POST', '/v3/acme.example/messages'])
    expect(headers.authorization).toBe(`Basic ${Buffer.from('api:${MAILGUN_API_KEY}').toString('base64')}`)
    expect(result).toMatchObject({ outcome: 'accepted', id: answer.id })
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
    const texts = [...form].filter(([, value]) => typeof value === 'string')
    expect(texts).toEqual([
      ['from', FROM],
      ['to', 'John Doe <receiver@example.com>'],
      ['to', 'second@example.com'],
      ['cc', 'copied@example.com'],
      ['bcc', 'blind@example.com'],
      ['subject', 'Test'],
      ['html', '<b>Hello</b>'],
      ['text', 'Hello'],
      ['h:Reply-To', REPLY],
      ['h:X-Custom', 'value'],
      ['h:Message-Id', '<1@acme.example>'],
    ])
    const [attachment, inline] = [form.get('attachment'), form.get('inline')] as File[]
    expect([attachment?.name, attachment?.type, await attachment?.text()]).toEqual([
      'readme.txt',
      'text/plain',
      'test content',
    ])
    expect([inline?.name, inline?.type, [...new Uint8Array((await inline?.arrayBuffer()) ?? [])]]).toEqual([
      'image.jpg',
      'image/jpeg',
      [0, 255],
    ])
  })
})
