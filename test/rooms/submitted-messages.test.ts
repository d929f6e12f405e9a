import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import addressparser from 'nodemailer/lib/addressparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { attachmentsOf } from '../../core/mail/mime/mime-attachments.ts'
import { prepareMessage } from '../../core/submission/prepare-message.ts'

const NOW = new Date('2026-03-05T10:00:00Z')
const HEADER = 'From: Ada <ada@acme.example>\r\nTo: bob@example.org\r\nDate: Thu, 05 Mar 2026 09:00:00 +0000\r\n'

const bytes = (text: string) => Buffer.from(text, 'utf8')

function prepared(raw: string | Buffer, domains = ['acme.example']) {
  const message = prepareMessage({ raw: typeof raw === 'string' ? bytes(raw) : raw, now: NOW, domains })
  const whole = Buffer.concat([Buffer.from(message.submitted.header), message.bytes])
  return { ...message, whole, sent: whole.toString('latin1') }
}

/** The outgoing mail as a reader sees it. */
async function read(raw: string | Buffer) {
  const { whole, ...message } = prepared(raw)
  expectSevenBit(whole)
  return { ...message, mail: await simpleParser(whole) }
}

/** RFC 5321, section 4.5.3.1.6, and what the port of transports promises. */
function expectSevenBit(whole: Buffer) {
  const text = whole.toString('latin1')
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998)
}

function refusal(raw: string | Buffer): string {
  try {
    prepared(raw)
  } catch (error) {
    if (EngineError.is(error)) return `${error.fields[0]?.code} ${error.message}`
    throw error
  }
  return 'taken'
}

describe('a submitted message', () => {
  it('goes out as it was written, byte for byte, behind its own header', () => {
    const signed = [
      'Content-Type: multipart/signed; protocol="application/pgp-signature";\r\n boundary="s"; micalg=pgp-sha256\r\n\r\nThis is signed.\r\n',
      '--s\r\nContent-Type: text/plain;charset=us-ascii\r\n\r\nnot  a  byte\t\r\n  of this may change: {{ name }}\r\n\r\n',
      '--s\r\nContent-Type: application/pgp-signature\r\n\r\n-----BEGIN PGP SIGNATURE-----\r\n=abc\r\n--s--\r\nepilogue\r\n',
    ].join('')
    const header = `${HEADER}Subject:  odd   spacing\r\nX-Mine: a\r\n\tb\r\nMIME-Version: 1.0\r\n`
    const { sent, submitted } = prepared(header + signed)
    expect(sent).toBe(header + signed)
    expect(submitted.html).toBeUndefined()
  })

  it('keeps an invitation, a forwarded message and every part where it stands', async () => {
    const inner = 'From: x@y.example\r\nSubject: inner\r\n\r\nforwarded\r\n'
    const raw = `${HEADER}Message-ID: <1@acme.example>\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n--m
Content-Type: multipart/alternative; boundary=a\n\n--a\n\nplain\n--a\nContent-Type: text/html\n\n<b>html</b>\n--a
Content-Type: text/calendar; method=REQUEST; charset=utf-8\n\nBEGIN:VCALENDAR\n--a--\n--m\nContent-Type: message/rfc822\n\n${inner}\n--m--\n`
    const { sent, submitted, mail } = await read(raw.replace(/\r?\n/g, '\r\n'))
    expect(sent).toContain('Content-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\n--a--')
    expect(sent).toContain(inner)
    expect(submitted.messageId).toBe('<1@acme.example>')
    expect(mail.text?.trim()).toBe('plain')
    // the HTML of the forwarded message is not the mail's
    expect(submitted.html).toMatchObject({
      header: expect.stringMatching(/^Content-Type: text\/html;\r\n charset=utf-8\r\n/),
    })
  })

  it.each<[string, string | Buffer, RegExp, string?]>([
    [
      'UTF-8 that says so',
      'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße 🌍',
      /quoted-printable/,
    ],
    ['UTF-8 that says nothing', '\r\nGrüße', /charset=utf-8/],
    [
      'UTF-8 that says it is ASCII',
      'Content-Type: text/plain; charset="us-ascii"; format=flowed\r\n\r\nGrüße',
      /format=flowed;\r\n charset=utf-8/,
    ],
    [
      'Latin-1 that says so',
      Buffer.concat([
        bytes('Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr'),
        Buffer.from([0xfc, 0xdf]),
        bytes('e'),
      ]),
      /charset=iso-8859-1\r\nContent-Transfer-Encoding: base64/,
    ],
    [
      'Windows-1252 that says nothing',
      Buffer.concat([bytes('\r\nGr'), Buffer.from([0xfc, 0xdf]), bytes('e')]),
      /windows-1252/,
    ],
    ['a line of many octets', `\r\n${'Gr '.repeat(2000)}`, /quoted-printable/, 'Gr Gr'],
    [
      'base64 with octets in it that are none',
      'Content-Transfer-Encoding: base64\r\n\r\nR3LDvMOfZQ==é',
      /quoted-printable/,
    ],
  ])('is made 7 bit where it is not: %s', async (_, rest, how, text = 'Gr') => {
    const raw = Buffer.concat([bytes(HEADER), Buffer.isBuffer(rest) ? rest : bytes(rest), bytes('\r\n')])
    const { mail, sent } = await read(raw)
    expect(sent).toMatch(how)
    expect(mail.text).toContain(text)
    if (text === 'Gr') expect(mail.text).toMatch(/^Grüße/)
  })

  it('has its header made 7 bit, names as names and addresses as addresses', async () => {
    const raw = `From: "Müller, Jörg" <joerg@acme.example>\r\nTo: Zoë <zoe@bücher.example>, plain@example.org, "Ünal" <u@example.org>\r\nSubject: Grüße an alle\r\nX-Long: ${'word '.repeat(400)}\r\nX-Ünsinn: gone\r\n\r\nx\r\n`
    const { mail, sent } = await read(raw)
    expect(mail.from?.value).toEqual([{ address: 'joerg@acme.example', name: 'Müller, Jörg' }])
    expect(Array.isArray(mail.to) ? [] : mail.to?.value).toEqual([
      { address: 'zoe@bücher.example', name: 'Zoë' },
      { address: 'plain@example.org', name: '' },
      { address: 'u@example.org', name: 'Ünal' },
    ])
    expect(mail.subject).toBe('Grüße an alle')
    expect(sent).toContain('<zoe@xn--bcher-kva.example>')
    expect(sent).not.toContain('nsinn')
  })

  it('has the names of its files made 7 bit', async () => {
    const part =
      'Content-Type: application/pdf; name="Rechnung für März.pdf"\r\nContent-Disposition: attachment; filename="Rechnung für März.pdf"'
    const { mail } = await read(
      `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\n${part}\r\n\r\n%PDF\r\n--b--\r\n`,
    )
    expect(mail.attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
      ['Rechnung für März.pdf', '%PDF'],
    ])
  })

  it('loses what must not go out, and gets what is missing', () => {
    const own =
      'From: ada@acme.example\r\nSubject: hi\r\nSender: "Bot" <bot@acme.example>\r\nMessage-ID: <not one> really\r\n'
    const gone = [
      'Bcc: blind@example.org',
      'Resent-Bcc: blind@example.org',
      'Return-Path: <x@y.example>',
      'DKIM-Signature: v=1; a=rsa-sha256; b=abc',
      'ARC-Seal: i=1',
      'Authentication-Results: mx; spf=pass',
      'X-SES-CONFIGURATION-SET: mine',
    ]
    const { sent, submitted } = prepared(`${own}${gone.join('\r\n')}\r\n\r\nx\r\n`)
    expect(sent).toBe(
      'From: ada@acme.example\r\nSubject: hi\r\nSender: "Bot" <bot@acme.example>\r\nDate: Thu, 05 Mar 2026 10:00:00 +0000\r\nTo: undisclosed-recipients:;\r\nMIME-Version: 1.0\r\n\r\nx\r\n',
    )
    expect(submitted.messageId).toBeUndefined()
    expect(prepared(`${HEADER}Sender: root@other.example\r\n\r\nx\r\n`).sent).not.toContain('Sender')
  })

  it.each<[string, string | undefined, string | undefined]>([
    ['ada@acme.example', 'ada@acme.example', undefined],
    ['ada@acme.example (Ada Lovelace)', 'ada@acme.example', 'Ada Lovelace'],
    ['"Ada, the \\"first\\"" <Ada@ACME.example>', 'ada@acme.example', 'Ada, the "first"'],
    ['=?iso-8859-1?Q?J=F6rg?= =?utf-8?B?IE3DvA==?= =?utf-8?Q?ller?= <j@acme.example>', 'j@acme.example', 'Jörg Müller'],
    ['=?utf-8?Q?a=40evil.example=2C_?= <j@acme.example>', 'j@acme.example', 'a@evil.example,'],
    ['<ada@acme.example>', 'ada@acme.example', undefined],
    ['Doe, John <ada@acme.example>', 'ada@acme.example', 'Doe, John'],
    ['Acme: Support; Berlin <ada@acme.example>', 'ada@acme.example', 'Acme: Support; Berlin'],
    ['Müller, =?utf-8?Q?J=C3=B6rg?= <j@acme.example>', 'j@acme.example', 'Müller, Jörg'],
    ['eve@evil.example, Ada <ada@acme.example>', undefined, undefined],
    ['Doe, John <eve@evil.example>, <ada@acme.example>', undefined, undefined],
    ['ada@acme.example, eve@evil.example', undefined, undefined],
    ['<eve@evil.example> <ada@acme.example>', undefined, undefined],
    ['Group: ada@acme.example;', undefined, undefined],
    ['ada', undefined, undefined],
    ['', undefined, undefined],
  ])('is from whom every reader takes it to be from: %s', (from, email, name) => {
    const raw = `From: ${from}\r\nTo: b@example.org\r\n\r\nx\r\n`
    if (email === undefined) return expect(refusal(raw)).toMatch(/message: has (?:a From that is not one|no From)/)
    const { from: author, submitted } = prepared(raw)
    expect(author).toEqual(name === undefined ? { email } : { email, name })
    // and receivers read the same
    const [field = ''] = /^From: .*$/m.exec(submitted.header) ?? []
    expect(addressparser(field.slice(6)).map(({ address }) => address?.toLowerCase())).toEqual([email])
  })

  it.each<[string, string, RegExp]>([
    ['several authors', `${HEADER}From: eve@evil.example\r\n\r\nx\r\n`, /several From/],
    [
      '10,000 parts',
      `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`,
      /too_big .*parts/,
    ],
    ['parts in parts', nested(1000), /too_big .*parts/],
    ['messages in messages', `${HEADER}${'Content-Type: message/rfc822\r\n\r\n'.repeat(1000)}x\r\n`, /too_big .*parts/],
    ['a header of 100 KB', `${HEADER}${'X-Long: yes yes yes\r\n'.repeat(5_000)}\r\nx\r\n`, /too_big .*header/],
    [
      '60 hops',
      `${'Received: from a by b; Thu, 05 Mar 2026 09:00:00 +0000\r\n'.repeat(60)}${HEADER}\r\nx\r\n`,
      /circle/,
    ],
    [
      'a signed part in 8 bit',
      `${HEADER}Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\nGrüße\r\n--s--\r\n`,
      /signed/,
    ],
    ...['To', 'Cc', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'Sender', 'References', 'In-Reply-To'].map(
      (name): [string, string, RegExp] => {
        const field = `${name}: ${name === 'Date' ? 'Thu, 05 Mar 2026 09:00:00 +0000' : '<b@acme.example>'}\r\n`
        const raw = `From: ada@acme.example\r\n${field}${field.replace(name, name.toUpperCase())}\r\nx\r\n`
        return [`two ${name}`, raw, new RegExp(`several ${name} fields`, 'i')]
      },
    ),
    ...['yesterday', '', '2026-03-05T09:00:00Z', 'Thu, 32 Mar 2026 09:00:00 +0000', 'Thu, 05 Mar 2026 25:00 GMT'].map(
      (date): [string, string, RegExp] => [
        `the date "${date}"`,
        `From: ada@acme.example\r\nDate: ${date}\r\n\r\nx\r\n`,
        /has a Date that is not/,
      ],
    ),
    ['nothing but a body', '\r\nx\r\n', /no From/],
    ['nothing', '', /no From/],
  ])('is refused with %s', (_, raw, told) => {
    expect(refusal(raw)).toMatch(told)
  })

  it.each([
    'Thu, 5 Mar 2026 09:00 GMT',
    '5 Mar 2026 09:00:60 -0330',
    'Thu, 05 Mar 2026\r\n 09:00:00 +0100 (CET)',
    'thu,5 mar 26 09:00:00 EST',
  ])('may bear the date %s, and several fields of its own', (date) => {
    const raw = `From: ada@acme.example\r\nDate: ${date}\r\nX-Tag: a\r\nX-Tag: b\r\nKeywords: a\r\nKeywords: b\r\n\r\nx\r\n`
    expect(refusal(raw)).toBe('taken')
  })

  it.each([
    ['a boundary that never comes', `${HEADER}Content-Type: multipart/mixed; boundary=none\r\n\r\nx\r\n`],
    ['no boundary', `${HEADER}Content-Type: multipart/mixed\r\n\r\nx\r\n`],
    ['an end that is missing', `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx`],
    ['empty parts', `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n--b\r\n--b--\r\n`],
    ['a type that is none', `${HEADER}Content-Type: ;;;=\r\nContent-Transfer-Encoding: what\r\n\r\nx\r\n`],
    ['broken base64', `${HEADER}Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!=!\r\n`],
    [
      'broken quoted-printable',
      `${HEADER}Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=\r\n`,
    ],
    [
      'a charset nobody knows',
      `${HEADER}Content-Type: text/html; charset=klingon\r\n\r\n<a href="https://x.example/">x</a>\r\n`,
    ],
    ['no blank line', HEADER],
  ])('is taken as it stands with %s', (_, raw) => {
    const { sent, whole } = prepared(raw)
    expectSevenBit(whole)
    const body = raw.split('\r\n\r\n').slice(1).join('\r\n\r\n')
    expect(sent.trimEnd().endsWith(body.trimEnd())).toBe(true)
  })

  it('means the same whatever its boundaries, dates and encodings are, and something else when it says so', async () => {
    const build = (text: string, more: object = {}) =>
      new MailComposer({ from: 'ada@acme.example', to: 'b@example.org', subject: 's', text, html: '<p>x</p>', ...more })
        .compile()
        .build()
    const meaning = async (text: string, more?: object) => prepared(await build(text, more)).meaning
    const first = await meaning('Grüße')
    expect(await meaning('Grüße', { date: new Date(0) })).toBe(first)
    expect(await meaning('Grüße', { textEncoding: 'base64' })).toBe(first)
    for (const other of [
      { subject: 't' },
      { to: 'c@example.org' },
      { attachments: [{ filename: 'a', content: 'x' }] },
    ]) {
      expect(await meaning('Grüße', other)).not.toBe(first)
    }
    expect(await meaning('Grüße!')).not.toBe(first)
  })

  it('whatever a mail library writes, a reader reads the same in what goes out', async () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 200 })
      .map((each) => each.replace(/[\r\n\0]/g, ' ').toWellFormed())
    const mail = fc.record({
      subject: text,
      name: text,
      text,
      html: text,
      content: fc.uint8Array({ maxLength: 300 }),
      filename: text.filter((name) => name.trim() !== ''),
      encoding: fc.constantFrom('base64', 'quoted-printable', undefined),
    })
    await fc.assert(
      fc.asyncProperty(mail, async ({ subject, name, text: words, html, content, filename, encoding }) => {
        const raw = await new MailComposer({
          ...{ from: { name, address: 'ada@acme.example' }, to: 'b@example.org', subject, text: words },
          ...{ html: `<p>${html}</p>`, attachments: [{ filename, content: Buffer.from(content) }] },
          ...(encoding === undefined ? {} : { textEncoding: encoding as 'base64' }),
        })
          .compile()
          .build()
        const [before, after] = [await simpleParser(raw), (await read(raw)).mail]
        const said = ({ subject: about, text: plain, html: page, from, attachments }: typeof before) => {
          return [
            about,
            plain,
            page,
            from?.value,
            attachments.map((each) => [each.filename, each.content.toString('hex')]),
          ]
        }
        expect(said(after)).toEqual(said(before))
        const [attached] = attachmentsOf(prepared(raw).bytes)
        expect(Buffer.from(attached?.content ?? []).equals(Buffer.from(content))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

function nested(depth: number): string {
  let raw = HEADER
  for (let i = 0; i < depth; i++) raw += `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`
  return `${raw}\r\nx\r\n`
}
