import { describe, expect, it } from 'vitest'
import { Composing } from '../../core/mail/mime/composing.ts'
import { dkimKey, recordOf, signingWith } from '../support/dkim.ts'
import { checkReceived, noteMail } from '../support/every-mail.ts'
import { kitOf } from '../support/kit.ts'
import { rawMailProblems, signatureProblems } from '../support/raw-mail.ts'

/* Every sink of the tests holds what it is given to `rawMailProblems`: here is what that would not let pass. */

const NOW = new Date('2026-03-01T09:08:07Z')
const KEY = dkimKey('acme.example', 'raw')
const KEYS = new Map([['raw._domainkey.acme.example', recordOf(KEY)]])
const ENVELOPE = { from: 'b+1@bounces.acme.example', to: ['ada@example.com'] }

const GOOD = new Composing()
  .compose({
    ...{ from: { email: 'news@acme.example', name: 'Grüße' }, to: [{ email: 'ada@example.com', name: 'Ada B.' }] },
    ...{ cc: [], replyTo: [{ email: 'r@acme.example' }], subject: `Größe ${'und Länge '.repeat(12)}`, date: NOW },
    ...{ messageId: '<0190aaaa-0000-7000-8000-000000000001@acme.example>', text: 'Häuser\n', html: '<p>Häuser</p>' },
    headers: [
      ['Feedback-ID', 'a:b:c:mailwright'],
      ['List-Unsubscribe', '<https://m.acme.example/unsubscribe/1>, <mailto:u@acme.example>'],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ['List-Id', '"Acme" <1.list.acme.example>'],
      ['X-Long', 'word '.repeat(40).trim()],
    ],
    attachments: [
      {
        ...{ filename: 'Größe.bin', contentType: 'application/octet-stream', disposition: 'attachment' },
        content: Buffer.alloc(200, 7),
      },
    ],
  })
  .toString('latin1')

function problemsOf(text: string, envelope = ENVELOPE): readonly string[] {
  return rawMailProblems({ ...envelope, raw: Buffer.from(text, 'latin1') })
}

/** In place of `what`, which is there. */
function changed(what: string | RegExp, by: string, text = GOOD): string {
  const after = text.replace(what, () => by)
  if (after === text) throw new Error(`nothing to change: ${what}`)
  return after
}

function withField(field: string): string {
  return changed('MIME-Version: 1.0\r\n', `MIME-Version: 1.0\r\n${field}\r\n`)
}

async function signed(): Promise<string> {
  const kit = kitOf(() => NOW, { dkim: [KEY] })
  const signing = signingWith(kit)
  const message = await signing.sign(new Uint8Array(Buffer.from(GOOD, 'latin1')), 'news@acme.example')
  return Buffer.from(message).toString('latin1')
}

const BROKEN: readonly (readonly [name: string, message: () => string, problem: RegExp])[] = [
  ['an LF alone', () => changed('Häuser'.slice(0, 1), 'H\n'), /CR or LF alone/],
  ['a CR alone', () => changed('MIME-Version: 1.0', 'MIME-Version: 1.0\r'), /CR or LF alone/],
  ['a NUL', () => changed('auser', 'a\0user', GOOD.replace('=C3=A4user', 'auser')), /NUL/],
  ['a line of 999', () => withField(`X: ${'x'.repeat(996)}`), /line over 998/],
  ['no end of the last line', () => GOOD.slice(0, -2), /last line/],
  ['no body', () => GOOD.slice(0, GOOD.indexOf('\r\n\r\n')), /no body/],
  ['a line that could be folded', () => withField(`X: ${'word '.repeat(20)}end`), /x has a line of 10\d/],
  ['an empty folded line', () => withField('X: a\r\n \r\n b'), /line of blanks/],
  ['a line that is no field', () => withField('no field'), /not a header field/],
  ['8 bit in a header', () => withField('X: Gr\xfc\xdfe'), /printable ASCII/],
  ['two authors', () => withField('From: b@acme.example'), /2 fields from/],
  [
    'a From with two mailboxes',
    () => changed(/^From: .*$/m, 'From: a@b.example, c@d.example\r'),
    /exactly one mailbox/,
  ],
  ['a From that is none', () => changed(/^From: .*$/m, 'From: Grusse <news acme.example>\r'), /list of addresses/],
  ['no To', () => changed(/^To: .*\r\n/m, ''), /0 fields to/],
  ['a Bcc', () => withField('Bcc: eve@example.com'), /field bcc/],
  ['no Date', () => changed(/^Date: .*\r\n/m, ''), /0 fields date/],
  ['a Date that is none', () => changed(/^Date: .*$/m, 'Date: 2026-03-01T09:08:07Z\r'), /Date is not/],
  ['a wrong weekday', () => changed('Sun, 01', 'Mon, 01'), /no real moment/],
  ['a day that is not', () => changed('Sun, 01 Mar', 'Sun, 31 Feb'), /no real moment/],
  ['two Message-IDs', () => withField('Message-ID: <2@acme.example>'), /2 fields message-id/],
  ['a Message-ID of others', () => changed('01@acme.example>', '01@other.example>'), /sender's domain/],
  ['a Message-ID without brackets', () => changed(/<(0190.*)>/, '0190@acme.example'), /<left@right>/],
  ['no MIME-Version', () => changed('MIME-Version: 1.0\r\n', ''), /0 fields mime-version/],
  ['two subjects', () => withField('Subject: b'), /2 fields subject/],
  ['an encoded-word of 76', () => withField(`X:\r\n =?UTF-8?Q?${'x'.repeat(64)}?=`), /encoded-word of 76/],
  ['a line of 77 with one', () => withField(`X: abc =?UTF-8?Q?${'x'.repeat(58)}?=`), /encoded-word on a line of 77/],
  ['half a character in one', () => withField('X: =?UTF-8?Q?=C3?= =?UTF-8?Q?=A4?='), /undecodable/],
  ['an unknown charset in one', () => withField('X: =?none?Q?a?='), /undecodable/],
  ['base64 cut off in one', () => withField('X: =?UTF-8?B?YWI?='), /undecodable/],
  ['blanks in one', () => withField('X: =?UTF-8?Q?a b?='), /broken encoded-word/],
  ['one in a quoted name', () => changed(/^To: .*$/m, 'To: "=?UTF-8?Q?a?=" <a@b.example>\r'), /broken encoded-word/],
  ['a quote in one of a name', () => changed(/^To: .*$/m, 'To: =?UTF-8?Q?a"?= <a@b.example>\r'), /display name/],
  ['one in an address', () => withField('In-Reply-To: =?UTF-8?Q?a?='), /has an encoded-word/],
  ['a name with a bare dot', () => changed(/^To: .*$/m, 'To: Ada B. <a@b.example>\r'), /list of addresses/],
  ['a domain that is not ASCII', () => changed('ada@example.com', 'ada@b\xfccher.example'), /to has characters/],
  ['no List-Unsubscribe', () => changed(/^List-Unsubscribe: (?:.|\r\n )*\r\n/m, '', page()), /no List-Unsubscribe$/m],
  ['no one-click', () => changed(/^List-Unsubscribe-Post: .*\r\n/m, '', page()), /no List-Unsubscribe-Post/],
  ['another one-click', () => changed('=One-Click', '=Yes'), /List-Unsubscribe-Post is/],
  ['one-click by mail alone', () => changed('https://m.acme.example/unsubscribe/1', 'mailto:a@b.example'), /no https/],
  ['one-click without TLS', () => changed('<https://m', '<http://m'), /no https/],
  ['a bare unsubscribe address', () => changed(/<(mailto:.*)>/, 'mailto:u@acme.example'), /list of <addresses>/],
  ['a List-Id without brackets', () => changed(/^List-Id: .*$/m, 'List-Id: 1.list.acme.example\r'), /List-Id is not/],
  ['two Feedback-IDs', () => withField('Feedback-ID: x'), /2 fields feedback-id/],
  ['no boundary', () => changed(/boundary="=_m.*"/, 'x=y'), /without a boundary/],
  ['a boundary of 71', () => GOOD.replaceAll(/=_m_[\w-]+/g, 'b'.repeat(71)), /boundary is no good/],
  ['a boundary that does not occur', () => changed(/boundary="=_m/, 'boundary="=_x'), /does not occur/],
  ['a multipart that is open', () => changed(/--(=_a_[\w-]+)--\r\n/, ''), /not closed/],
  [
    'a multipart closed too soon',
    () => changed(/\r\n--(=_m_[\w-]+)\r\n/, `\r\n--${GOOD.match(/=_m_[\w-]+/)?.[0]}--\r\n`),
    /not closed/,
  ],
  [
    'a part without an empty line',
    () => changed(/(?<=\n--=_a_[\w-]+\r\n)(?:.|\r\n)*?(?=\r\n--=_a)/, 'X: y'),
    /empty line/,
  ],
  ['no charset', () => changed('text/plain; charset=utf-8', 'text/plain'), /text without a charset/],
  ['a wrong charset', () => changed('H=C3=A4user', 'H=C3user'), /this is not utf-8/],
  ['a charset nobody has', () => changed('charset=utf-8', 'charset=none'), /this is not none/],
  ['8 bit in a body', () => changed('H=C3=A4user', 'H\xc3\xa4user'), /characters it must encode/],
  [
    '8 bit called 7bit',
    () => changed('Encoding: quoted-printable', 'Encoding: 7bit', changed('H=C3=A4user', 'H\xc3\xa4user')),
    /7bit with octets/,
  ],
  ['binary', () => changed('Encoding: quoted-printable', 'Encoding: binary'), /not for sending/],
  ['a = that means nothing', () => changed('H=C3=A4user', 'H=c3=A4user'), /a = that means nothing/],
  ['a blank at the end of a line', () => changed('H=C3=A4user', 'H=C3=A4user \r\n'), /blank at a line's end/],
  ['a long line of quoted-printable', () => changed('H=C3=A4user', 'x'.repeat(77)), /line over 76/],
  ['base64 that is none', () => changed('BwcH', 'Bw*H'), /no base64/],
  ['a long line of base64', () => changed('BwcHBwcH\r\n', 'BwcHBwcH'), /line over 76/],
  ['broken parameters', () => changed('filename*0*=', 'filename="a" "'), /cannot be read/],
  ['no plain text', () => GOOD.replace('text/plain', 'text/html'), /no plain text/],
  [
    'HTML before the text',
    () => GOOD.replace('text/html', 'text/X').replace('text/plain', 'text/html').replace('text/X', 'text/plain'),
    /before the plain/,
  ],
]

/** The same with a link to the page where one can unsubscribe. */
function page(): string {
  return changed('<p>', '<p>https://m.acme.example/unsubscribe/1')
}

describe('the checker of raw mail', () => {
  it('lets a right mail pass, signed and not, and the mail that it makes broken ones of', async () => {
    expect(problemsOf(GOOD)).toEqual([])
    expect(problemsOf(page())).toEqual([])
    const text = await signed()
    expect(problemsOf(text)).toEqual([])
    expect(await signatureProblems(Buffer.from(text, 'latin1'), KEYS)).toEqual([])
  })

  it.each(BROKEN)('finds %s', (_, message, problem) => {
    expect(problemsOf(message()).join('\n')).toMatch(problem)
  })

  it.each([
    ['a return path that is none', { from: 'bounces@localhost' }, /return path/],
    ['a local part of 65', { from: `${'a'.repeat(65)}@acme.example` }, /return path/],
    ['a recipient in brackets', { to: ['<ada@example.com>'] }, /recipient that is no address/],
    ['a recipient twice', { to: ['ada@example.com', 'ada@example.com'] }, /twice/],
    ['no recipient', { to: [] }, /no recipient/],
  ])('finds in an envelope %s', (_, envelope, problem) => {
    expect(problemsOf(GOOD, { ...ENVELOPE, ...envelope }).join('\n')).toMatch(problem)
    expect(problemsOf(GOOD, { from: '', to: ['ada@bücher.example'] })).toEqual([])
  })

  it('finds 51 MB', () => {
    const large = `${'a'.repeat(76)}\r\n`.repeat(700_000)
    expect(problemsOf(GOOD.replace(/BwcH/, () => `${large}BwcH`)).join('\n')).toMatch(/it has 5\d{7} octets/)
  })

  it.each([
    ['another From could be added', /h=from:from:/, 'h=from:', /another From/],
    [
      'the list fields are not signed',
      /list-unsubscribe-post:list-unsubscribe-post:/,
      '',
      /list-unsubscribe-post is not signed/,
    ],
    ['the subject is not signed', /subject:subject:/, '', /subject is not signed/],
    ['it is for another domain', / d=acme\.example;/, ' d=other.example;', /not the domain of From/],
    ['the body is open', / c=relaxed/, ' l=10; c=relaxed', /not signed to its end/],
    ['its algorithm is old', /rsa-sha256/, 'rsa-sha1', /version or algorithm/],
  ])('finds a signature where %s', async (_, what, by, problem) => {
    // what it covers is a matter of its words, folded or not
    const unfolded = (await signed()).replace(/^DKIM-Signature:(?:.|\r\n )*/, (field) => field.replaceAll('\r\n ', ''))
    expect(problemsOf(changed(what, by, unfolded)).join('\n')).toMatch(problem)
  })

  it('finds what was changed behind a signature, and a signature by another key', async () => {
    const check = (text: string, keys = KEYS) => signatureProblems(Buffer.from(text, 'latin1'), keys)
    const text = await signed()
    expect(await check(changed('H=C3=A4user', 'H=C3=A4user=20', text))).toEqual([
      expect.stringMatching(/: (?:fail|neutral) /),
    ])
    expect(await check(changed('Ada B.', 'Eve B.', text))).toEqual([expect.stringContaining(': fail ')])
    const other = new Map([['raw._domainkey.acme.example', recordOf(dkimKey('other.example', 'raw'))]])
    expect(await check(text, other)).toEqual([expect.stringContaining(': fail ')])
    expect(await check(text, new Map())).toEqual([])
  })

  it('fails the test in which a sink receives a broken mail', async () => {
    noteMail({ ...ENVELOPE, raw: Buffer.from(GOOD, 'latin1') })
    await checkReceived()
    noteMail({ ...ENVELOPE, raw: Buffer.from(withField('Bcc: eve@example.com'), 'latin1') })
    await expect(checkReceived()).rejects.toMatchObject({ actual: ['there is a field bcc'] })
    noteMail({ ...ENVELOPE, raw: Buffer.from(changed('Ada B.', 'Eve B.', await signed()), 'latin1') })
    const failure = { actual: [expect.stringContaining('raw._domainkey.acme.example: fail')] }
    await expect(checkReceived()).rejects.toMatchObject(failure)
  })
})
