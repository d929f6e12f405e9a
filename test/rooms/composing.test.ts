import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { BodySkeleton } from '../../core/mail/mime/body-skeleton.ts'
import { Composing, type MailParts } from '../../core/mail/mime/composing.ts'
import { isHeaderName, isReservedHeader } from '../../core/mail/mime/header-fields.ts'
import { anyText } from '../support/any-text.ts'

const composing = new Composing()
const simple: MailParts = {
  from: { email: 'news@acme.example', name: 'Acme' },
  to: [{ email: 'ada@example.com' }],
  cc: [],
  subject: 'Hello',
  date: new Date('2026-03-01T09:08:07Z'),
  messageId: '<0190aaaa-0000-7000-8000-000000000001@acme.example>',
  text: 'Hello Ada',
  headers: [],
  attachments: [],
}

function compose(change: Partial<MailParts>): string {
  const bytes = composing.compose({ ...simple, ...change })
  checkForm(bytes)
  return bytes.toString('latin1')
}

/** RFC 5322 and what every message promises: CRLF, 7 bit, no NUL, no line over 998 octets. */
function checkForm(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  expect(/[\x80-\xff\0]/.test(text)).toBe(false)
  expect(/(?<!\r)\n|\r(?!\n)/.test(text)).toBe(false)
  expect(text.endsWith('\r\n')).toBe(true)
  expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998)
}

function headOf(message: string): string {
  return message.slice(0, message.indexOf('\r\n\r\n'))
}

function refusal(change: Partial<MailParts>): EngineError {
  try {
    compose(change)
  } catch (error) {
    if (EngineError.is(error)) return error
    throw error
  }
  throw new Error('it was composed')
}

const SUBJECTS = [
  'Grüße aus München',
  'Привет, мир: как дела?',
  '你好，世界！這是一個很長的主題，用來測試編碼字是否在字符邊界上正確地分割，這是一個很長的主題，用來測試',
  'مرحبا بالعالم',
  'שלום עולם',
  'नमस्ते दुनिया',
  '👩‍👩‍👧‍👦 family 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉 end',
  '=?UTF-8?Q?not_encoded?=',
  'a  b   c with   many    blanks that goes on and on  until it must be folded  somewhere in   between',
  'plain '.repeat(160).trim(),
  'x'.repeat(998),
  'ü'.repeat(998),
  '"quoted", (comment) <angle> ; : @ [brackets] \\ %',
  'tab\tin between',
]

describe('a composed message', () => {
  it.each(SUBJECTS)('carries the subject %s', async (subject) => {
    const parsed = await simpleParser(compose({ subject }))
    expect(parsed.subject).toBe(subject)
  })

  it('has at most 40 MB as it travels, whatever its text has before', () => {
    const most = 40 * 1024 * 1024
    // most of it is a file, which is encoded faster than text
    const attachments = [attachment('large.bin', new Uint8Array(29_000_000))]
    const mail = (text: string) => ({ ...simple, attachments, text })
    const room = most - composing.compose(mail('')).length
    const lines = (bytes: number) =>
      'x'
        .repeat(70)
        .concat('\r\n')
        .repeat(Math.floor(bytes / 72))
    const fits = lines(room - 100)
    expect(composing.compose(mail(fits)).length).toBeLessThanOrEqual(most)
    for (const text of [lines(room + 100), '\u{1F600}'.repeat(room / 12)])
      expect(refusal({ attachments, text }).fields).toMatchObject([{ field: 'body', code: 'too_big' }])
    expect(composing.compose(simple).length).toBeLessThan(1_000)
  })

  it('keeps its header fields in order and to 78 columns', () => {
    const head = headOf(
      compose({
        cc: [{ email: 'c@example.com' }],
        replyTo: [{ email: 'r@example.com' }],
        subject: 'ä'.repeat(200),
        headers: [['Feedback-ID', 'a:b']],
        html: '<p>x</p>',
      }),
    )
    const names = head.split(/\r\n(?!\s)/).map((field) => field.slice(0, field.indexOf(':')))
    expect(names).toEqual([
      ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Feedback-ID'],
      'Content-Type',
    ])
    expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78)
    for (const [word] of head.matchAll(/=\?\S+\?=/g)) expect(word.length).toBeLessThanOrEqual(75)
  })

  it('shows names as they are, whatever is in them', async () => {
    const names = [
      'Ada',
      'Jr., Bob "The" B\\s',
      'Łukasz Żółć',
      '山田 太郎',
      'A. (b) <c@d>',
      `${'long '.repeat(40)}é`,
      "O'Neil",
    ]
    const to = names.map((name, i) => ({ name, email: `r${i}@example.com` }))
    const parsed = await simpleParser(compose({ to }))
    const shown = [parsed.to].flat().flatMap((list) => list?.value ?? [])
    expect(shown.map(({ name }) => name)).toEqual(names.map((name) => name.trim()))
    expect(shown.map(({ address }) => address)).toEqual(to.map(({ email }) => email))
  })

  it('folds a long list of addresses between them', async () => {
    const to = Array.from({ length: 100 }, (_, i) => ({ email: `somebody-${i}@example.com`, name: `Somebody ${i}` }))
    const message = compose({ to })
    expect(
      Math.max(
        ...headOf(message)
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(78)
    const parsed = await simpleParser(message)
    expect([parsed.to].flat().flatMap((list) => list?.value ?? [])).toHaveLength(100)
  })

  it('writes international domains in ASCII', () => {
    const message = compose({ from: { email: 'a@müller.example' }, messageId: '<1@müller.example>' })
    expect(message).toContain('From: a@xn--mller-kva.example\r\n')
    expect(message).toContain('Message-ID: <1@xn--mller-kva.example>\r\n')
  })

  it('has the date of RFC 5322 in UTC', () => {
    expect(compose({})).toContain('Date: Sun, 01 Mar 2026 09:08:07 +0000\r\n')
  })

  it('is the same for the same parts', () => {
    const parts = { html: '<p>é</p>', attachments: [attachment('a.bin', Buffer.from([1, 2, 3]))] }
    expect(compose(parts)).toBe(compose(parts))
  })

  it('names nobody when there is no recipient to show', () => {
    expect(compose({ to: [] })).toContain('To: undisclosed-recipients:;\r\n')
  })

  it('folds and if need be encodes long extra fields', async () => {
    const long = `<https://example.com/${'x'.repeat(960)}>`
    const headers = [
      ['References', '<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.com> '.repeat(8).trim()],
      ['X-Long', long],
      ['X-Umlaut', 'Grüße '.repeat(30).trim()],
      ['X-Empty', ''],
    ] as const
    const message = compose({ headers })
    const parsed = await simpleParser(message)
    expect(parsed.headers.get('x-long')).toBe(long)
    expect(decoded(String(parsed.headers.get('x-umlaut')))).toBe('Grüße '.repeat(30).trim())
    expect(message).toContain('\r\nX-Empty:\r\n')
    expect(parsed.references).toHaveLength(8)
  })
})

describe('the structure', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex')

  it('is text/plain for text alone, sent as it is when it is clean', async () => {
    const message = compose({ text: 'One\nTwo\r\n\nThree' })
    expect(message).toContain(
      'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nOne\r\nTwo',
    )
    expect((await simpleParser(message)).text).toBe('One\nTwo\n\nThree\n')
  })

  it.each([
    'From me',
    'trailing ',
    'ü',
    '.',
    'a =_b',
    `${'x'.repeat(77)}`,
    'bare\rreturn',
  ])('encodes the text %j', async (text) => {
    const message = compose({ text })
    expect(message).toContain('quoted-printable')
    // what servers on the way may change at the start or the end of a line
    expect(message.slice(headOf(message).length)).not.toMatch(/^(?:From |\.)|[ \t]\r$/m)
    expect((await simpleParser(message)).text).toBe(`${text.replace('\r', '\n')}\n`)
  })

  it('is multipart/alternative for text and HTML', async () => {
    const parsed = await simpleParser(compose({ html: '<p>Hé</p>', text: 'Hé' }))
    expect(parsed.headers.get('content-type')).toMatchObject({ value: 'multipart/alternative' })
    expect(parsed).toMatchObject({ html: '<p>Hé</p>', text: 'Hé', attachments: [] })
  })

  it('nests related in alternative in mixed', async () => {
    const message = compose({
      html: '<img src="cid:logo">',
      attachments: [
        { ...attachment('logo.png', png), contentType: 'image/png', disposition: 'inline', contentId: 'logo' },
        attachment('data.bin', Buffer.alloc(1000, 7)),
      ],
    })
    const kinds = [...message.matchAll(/^Content-Type: ([a-z/-]+)/gm)].map(([, kind]) => kind)
    expect(kinds).toEqual([
      ...['multipart/mixed', 'multipart/alternative', 'text/plain', 'multipart/related', 'text/html', 'image/png'],
      'application/octet-stream',
    ])
    const parsed = await simpleParser(message, { skipImageLinks: true })
    expect(parsed.html).toBe('<img src="cid:logo">')
    expect(
      parsed.attachments.map(({ filename, cid, related }) => ({ filename, cid, related: related === true })),
    ).toEqual([
      { filename: 'logo.png', cid: 'logo', related: true },
      { filename: 'data.bin', cid: undefined, related: false },
    ])
    expect(parsed.attachments[0]?.content.equals(png)).toBe(true)
  })

  it('keeps attachments byte for byte', async () => {
    const contents = [0, 1, 2, 3, 56, 57, 58, 114, 5000].map((length) =>
      Buffer.from(Array.from({ length }, (_, i) => (i * 31) & 255)),
    )
    const parsed = await simpleParser(
      compose({ attachments: contents.map((content, i) => attachment(`${i}.bin`, content)) }),
    )
    expect(parsed.attachments.map(({ content }) => content)).toEqual(contents)
  })

  it.each([
    'plain name.pdf',
    'Übersicht für Ä.pdf',
    'quote " and \\ backslash.txt',
    '請求書.pdf',
    `${'sehr-länger-name-'.repeat(14)}.pdf`,
    "100% 'sure' (really)*.txt",
    `${'x'.repeat(251)}.txt`,
    'x'.repeat(60),
    'x'.repeat(61),
    `${'ü'.repeat(8)}abcde`,
    `${'ü'.repeat(8)}abcdef`,
    '🎉'.repeat(120),
  ])('keeps the file name %s', async (filename) => {
    const contentType = 'text/csv; charset=utf-8; name="another.csv"'
    const message = compose({ attachments: [{ ...attachment(filename, png), contentType }] })
    const parsed = await simpleParser(message)
    expect(parsed.attachments[0]?.filename).toBe(filename)
    expect(namesIn(message)).toEqual({
      plain: /^[\x20-\x7e]{1,60}$/.test(filename) && !/["\\]|=\?/.test(filename) ? filename : undefined,
      extended: filename,
      name: filename,
    })
  })

  /** The file's name in each of its forms, read by the letter of RFC 2231 and RFC 2047. */
  function namesIn(message: string) {
    const part = headOf(message.slice(message.lastIndexOf('Content-Type: text/csv')))
    const plain = / filename="(.*)"\r?$/m.exec(part)?.[1]
    const pieces = [...part.matchAll(/ filename\*(\d+)\*=([A-Za-z0-9%!#$&+.^_`|~'-]*)(;?)(?:\r\n|$)/g)]
    expect(pieces.map(([, place, , separator]) => [Number(place), separator])).toEqual(
      pieces.map((_, i) => [i, i < pieces.length - 1 ? ';' : '']),
    )
    // Ruby's library sorts 10 before 2
    expect(pieces.length).toBeLessThanOrEqual(10)
    const values = pieces.map(([, , value = '']) => value)
    // each piece is characters of its own
    const extended = values.map((value) => decodeURIComponent(value.replace(/^UTF-8''/, ''))).join('')
    const quoted = / name="([^"]*)"/.exec(part)?.[1]
    const name = quoted
      ?.split(/\r\n /)
      .map((word) => {
        const [, form = '', text = ''] = /^=\?UTF-8\?([BQ])\?([^? ]*)\?=$/.exec(word) ?? []
        if (form === 'B') return Buffer.from(text, 'base64').toString()
        return decodeURIComponent(text.replaceAll('_', ' ').replaceAll('%', '%25').replaceAll('=', '%'))
      })
      .join('')
    expect(plain === undefined).toBe(values.length > 0)
    expect(part).not.toContain('another')
    return { plain, extended: plain ?? extended, name: plain ?? name }
  }

  const inner = [
    'From: Gréta <g@example.com>',
    'Subject: Inside',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ]

  it.each([
    ['in 7 bit', 'Subject: Inside\r\n\r\nFrom me\r\n--=_m_other\r\n'],
    ['with 8 bit and other line ends', `${inner.join('\n')}\n\nGrüße\n${'ü'.repeat(900)}\n`],
    ['with long lines and no MIME fields', `Subject: Inside\n\n${'x'.repeat(2000)}\n`],
    ['that is empty', 'Subject: Inside\r\n\r\n'],
  ])('attaches a message %s as a message', async (_what, text) => {
    const given = { ...attachment('brief.eml', Buffer.from(text)), contentType: 'message/rfc822' }
    const message = compose({ attachments: [given, attachment('data.bin', png)] })
    const fields = /Content-Type: message\/rfc822\r\nContent-Transfer-Encoding: (\S+)\r\n/.exec(message)
    expect(fields?.[1]).toBe('7bit')
    const parsed = await simpleParser(message)
    expect(parsed.attachments.map(({ filename }) => filename)).toEqual(['brief.eml', 'data.bin'])
    const [inside, before] = [parsed.attachments[0]?.content ?? Buffer.alloc(0), Buffer.from(text)]
    if (!/[^\x20-\x7e\r\n]|.{999}/.test(text)) expect(inside).toEqual(before)
    const [read, wanted] = [await simpleParser(inside), await simpleParser(before)]
    expect([read.subject, read.from?.text, read.text?.trim()]).toEqual([
      wanted.subject,
      wanted.from?.text,
      wanted.text?.trim(),
    ])
  })

  it.each([
    [
      'that ends its container',
      '\r\n\r\n--=_m_0190aaaa-0000-7000-8000-000000000001acmeexample--\r\n',
      'message/rfc822',
    ],
    [
      'whose signature would break',
      '\r\nContent-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\nü\r\n--b--\r\n',
      'message/rfc822',
    ],
    ['under a type of which no bytes are', '', 'multipart/mixed'],
  ])('attaches a message %s as bytes', async (_what, rest, contentType) => {
    const bytes = Buffer.from(`Subject: Inside${rest}`)
    const message = compose({ attachments: [{ ...attachment('brief.eml', bytes), contentType }] })
    expect(message).toContain('Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n')
    expect((await simpleParser(message)).attachments.map(({ content }) => content)).toEqual([bytes])
  })

  it('gives up a content type that cannot be sent', () => {
    const unsendable = ['nonsense', 'message/rfc822', 'multipart/mixed', 'text/ü', `image/png; a=${'x'.repeat(500)}`]
    const types = [...unsendable, 'text/csv; charset=utf-8', 'a/b; c="x; \\"y"', 'a/b;;', 'a/b; c=', 'a/b; c=1; C=2']
    const attachments = types.map((contentType) => ({ ...attachment('a', png), contentType }))
    const sent = [...compose({ attachments }).matchAll(/^Content-Type: (.*)\r$/gm)].map(([, type]) => type).slice(2)
    const kept = ['text/csv; charset=utf-8', 'a/b; c="x; \\"y"', 'a/b', 'a/b', 'a/b']
    expect(sent).toEqual([...Array(5).fill('application/octet-stream'), ...kept])
  })

  it('never lets a part end its container', async () => {
    const text = ['--=_a_0190aaaa-0000-7000-8000-000000000001acmeexample--', '--=_m_0190aaaa'].join('\n')
    const parsed = await simpleParser(
      compose({ text, html: `<pre>${text}</pre>`, attachments: [attachment('a', png)] }),
    )
    expect(parsed.text).toBe(text)
    expect(parsed.html).toBe(`<pre>${text}</pre>`)
    expect(parsed.attachments).toHaveLength(1)
  })
})

describe('header injection', () => {
  const bad = 'x\r\nBcc: victim@example.com'
  const changes: [string, Partial<MailParts>][] = [
    ['subject', { subject: bad }],
    ['from.name', { from: { email: 'a@example.com', name: bad } }],
    ['to.email', { to: [{ email: `a@example.com${bad}` }] }],
    ['cc.name', { cc: [{ email: 'a@example.com', name: 'a\nb' }] }],
    ['replyTo.name', { replyTo: [{ email: 'a@example.com', name: 'a\0b' }] }],
    ['headers.X-A', { headers: [['X-A', bad]] }],
    [`headers.${bad}`, { headers: [[bad, 'x']] }],
    ['messageId', { messageId: `<1@a>${bad}` }],
    ['attachments.0.filename', { attachments: [attachment(bad, Buffer.alloc(1))] }],
    ['attachments.0.contentType', { attachments: [{ ...attachment('a', Buffer.alloc(1)), contentType: bad }] }],
    ['attachments.0.contentId', { attachments: [{ ...attachment('a', Buffer.alloc(1)), contentId: bad }] }],
  ]
  it.each(changes)('is refused in %j', (field, change) => {
    expect(refusal(change)).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field, code: 'header_injection' }],
    })
  })

  it('is not all that is refused: so are addresses that are none, and fields the engine sets', () => {
    expect(refusal({ to: [{ email: 'a b@example.com' }] }).fields[0]?.code).toBe('invalid_string')
    expect(refusal({ from: { email: 'a@example.com>, <b@example.com' } }).fields[0]?.code).toBe('invalid_string')
    expect(refusal({ headers: [['Sub ject', 'x']] }).fields[0]?.code).toBe('invalid_string')
    expect(refusal({ headers: [['suBject', 'x']] }).fields[0]?.code).toBe('custom')
  })

  it('leaves a composer that goes on working', () => {
    const before = compose({})
    refusal({ subject: bad })
    expect(compose({})).toBe(before)
  })

  it('knows the fields that only the engine sets', () => {
    for (const name of [
      'From',
      'BCC',
      'content-type',
      'Content-X',
      'Return-Path',
      'DKIM-Signature',
      'Reply-To',
      'Sender',
    ])
      expect(isReservedHeader(name)).toBe(true)
    for (const name of ['X-Campaign', 'References', 'In-Reply-To', 'List-Unsubscribe', 'Precedence'])
      expect(isReservedHeader(name)).toBe(false)
    expect([isHeaderName('X-A'), isHeaderName('X A'), isHeaderName('X:A'), isHeaderName('')]).toEqual([
      ...[true, false, false, false],
    ])
  })
})

const line = anyText({ maxLength: 60 }).map((text) => text.toWellFormed().replace(/[\r\n\0\p{Cc}]/gu, ''))
const words = line.map((text) => text.replace(/\s+/gu, ' ').trim())
const body = fc
  .array(fc.oneof(line, fc.constantFrom('', ' ', '.', 'From x', '=', 'x'.repeat(200), 'é'.repeat(60), '--=_a_')), {
    maxLength: 12,
  })
  .map((lines) => lines.join('\n'))

describe('any message', () => {
  // messages share blocks of memory: only here is one looked at after others were composed
  it('stays as it is when others are composed, also long ones and ones that fail', () => {
    const sizes = [10, 60_000, 70_000, 300_000, 200, 2_000_000, ...Array.from({ length: 100 }, () => 9_000), 10]
    const kept = sizes.map((size, i) => {
      const change = { messageId: `<${i}@acme.example>`, text: `${i} ${'x'.repeat(size)}` }
      refusal({ text: 'y'.repeat(size), headers: [['X-A', 'a\r\nb']] })
      return { change, bytes: composing.compose({ ...simple, ...change }) }
    })
    for (const { change, bytes } of kept) {
      expect(bytes.equals(new Composing().compose({ ...simple, ...change }))).toBe(true)
    }
  })

  it('is read back as it was composed', async () => {
    const parts = fc.record({ subject: words, name: words, text: body, html: body, filename: words })
    await fc.assert(
      fc.asyncProperty(parts, async ({ subject, name, text, html, filename }) => {
        const message = compose({
          subject,
          to: [{ email: 'ada@example.com', name }],
          text,
          html: `<p>${html}</p>`,
          attachments: [attachment(`${filename}.x`, Buffer.from(text))],
        })
        const parsed = await simpleParser(message)
        expect(parsed.subject ?? '').toBe(subject)
        expect([parsed.to].flat()[0]?.value[0]).toEqual({ address: 'ada@example.com', name })
        // Without a text the parser makes one from the HTML.
        if (text !== '') expect(parsed.text).toBe(text)
        expect(parsed.html).toBe(`<p>${html}</p>`)
        expect(parsed.attachments[0]?.filename).toBe(`${filename}.x`)
        expect(parsed.attachments[0]?.content.toString()).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it('has encoded lines of at most 76 columns', () => {
    fc.assert(
      fc.property(body, (html) => {
        const message = compose({ text: html, html })
        const lines = message.slice(message.indexOf('\r\n\r\n')).split('\r\n')
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(76)
      }),
    )
  })

  it('says the same through a skeleton as through a text', async () => {
    const pieces = fc.array(body, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(body, { minLength: 5, maxLength: 5 }), async (texts, given) => {
        const values = given.slice(0, texts.length - 1)
        const whole = texts.map((text, i) => text + (values[i] ?? '')).join('')
        const filled = compose({ html: { skeleton: new BodySkeleton(texts), values }, text: 'x' })
        expect(Math.max(...filled.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(78)
        const parsed = await simpleParser(filled)
        expect(parsed.html || '').toBe(whole)
      }),
      { numRuns: 200 },
    )
  })
})

function attachment(filename: string, content: Uint8Array): MailParts['attachments'][number] {
  return { filename, content, contentType: 'application/octet-stream', disposition: 'attachment' }
}

/** The text of encoded-words in B form; the blanks between them count for nothing (RFC 2047, section 6.2). */
function decoded(words: string): string {
  const bytes = [...words.matchAll(/=\?UTF-8\?B\?(\S*?)\?=/g)].map(([, base64]) => Buffer.from(base64 ?? '', 'base64'))
  return Buffer.concat(bytes).toString()
}
