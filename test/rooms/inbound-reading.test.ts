import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { ParsedMessage, ParseQuestion } from '../../core/inbound/parsed-message.ts'
import { Thread } from '../../core/work/thread.ts'

const HERE = new URL('../../core/inbound/read-inbound.ts', import.meta.url).href
const thread = new Thread<ParseQuestion>({
  ...{ file: new URL('./inbound-thread.ts', HERE), name: 'test', patience: 30_000, memory: 512 },
})
afterAll(() => thread.close())

const parse = async (raw: Uint8Array, sender = 'a@b.example') => (await thread.ask({ raw, sender })) as ParsedMessage

/** The same words as bytes of their charset, made by other software than reads them here (Python's codecs). */
const CHARSETS = [
  ['windows-1252', 'Grüße – „€“', 'R3L832UgliCEgJM='],
  ['iso-8859-15', 'prix 5 €', 'cHJpeCA1IKQ='],
  ['iso-2022-jp', 'こんにちは', 'GyRCJDMkcyRLJEEkTxsoQg=='],
  ['shift_jis', '日本語', 'k/qWe4zq'],
  ['euc-jp', '日本語', 'xvzL3Ljs'],
  ['gb18030', '你好𠮷', 'xOO6w5U0sjU='],
  ['gb2312', '你好', 'xOO6ww=='],
  ['big5', '繁體', 'wWPF6Q=='],
  ['koi8-r', 'Привет', '8NLJ18XU'],
  ['windows-1251', 'Привет', 'z/Do4uXy'],
  ['euc-kr', '안녕', 'vsiz5w=='],
  ['ks_c_5601-1987', '안녕', 'vsiz5w=='],
  ['windows-1256', 'مرحبا', '49HNyMc='],
  ['iso-8859-8-i', 'שלום', '+ezl7Q=='],
  ['tis-620', 'ไทย', '5LfC'],
] as const

describe('a received message', () => {
  it.each(CHARSETS)('in %s is read, as a word of the header and as a body', async (charset, words, base64) => {
    const body = Buffer.from(base64, 'base64')
    const head = `From: =?${charset}?B?${base64}?= <A@B.example>\r\nSubject: =?${charset}?B?${base64}?=\r\nContent-Type: text/plain; charset="${charset}"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`
    const { subject, text, fromName, from } = await parse(Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n')]))
    expect([subject, text.trim(), fromName, from]).toEqual([words, words, words, 'a@b.example'])
  })

  // RFC 2047 forbids it, and programs that cut at a number of octets do it all the same
  it.each([
    ['=?utf-8?B?R3LDvMOf?=\r\n =?utf-8?B?ZSDwnw==?= =?UTF-8?b?kYs=?= x', 'Grüße 👋 x'],
    ['=?utf-8?Q?Gr=C3?=\r\n =?utf-8?Q?=BC=C3=9Fe?=', 'Grüße'],
    ['Re: =?shift_jis?B?k/qWew==?=\r\n\t=?shift_jis?B?jOqM?= =?shift_jis?B?6g==?=', 'Re: 日本語語'],
    ['=?utf-8?Q?one?= =?iso-8859-1?Q?=FCber?= two', 'oneüber two'],
  ])('joins encoded-words that split a character: %s', async (subject, expected) => {
    expect((await parse(Buffer.from(`From: a@b.example\r\nSubject: ${subject}\r\n\r\nx\r\n`))).subject).toBe(expected)
  })

  it('without a usable author is of the envelope’s sender', async () => {
    for (const from of ['', 'From: undisclosed\r\n', 'From: <>\r\n'])
      expect((await parse(Buffer.from(`${from}Subject: x\r\n\r\nx\r\n`), 'Real@Sender.example')).from).toBe(
        'real@sender.example',
      )
    expect((await parse(Buffer.from('Subject: x\r\n\r\nx\r\n'), '')).from).toBe('')
  })

  it.each<readonly [string, boolean]>([
    ...[
      ...[
        'Automatic reply: News',
        'Out of Office: News',
        'Abwesenheitsnotiz',
        '=?utf-8?B?QXV0b21hdGlzY2hlIEFudHdvcnQ6IHg=?=',
      ],
      ...['Réponse automatique : x', 'Respuesta automática: x', 'Resposta automática: x', 'Risposta automatica: x'],
      ...['Automatisch antwoord: x', 'Odpowiedź automatyczna: x', '自動応答: x', '自动回复: x', '[EXT] Autoreply: x'],
    ].map((subject) => [`Subject: ${subject}`, true] as const),
    ...[
      ...['I am out of office Re: News', 'Annual leave', 'Urlaub AW: News', 'Ich bin im Urlaub', 'En congés : News'],
      ...['Ich bin im Urlaub bis 5. Mai', 'Ich bin derzeit nicht im Büro', "I'm away until Monday", 'I am on leave'],
      ...['Abwesenheit', 'Abwesenheit: News', 'Abwesenheit vom 3. bis 10. Mai', 'Afwezigheid'],
      ...['Automaattivastaus: News', 'Automatinis atsakymas: x', 'Trả lời tự động: x', 'EXTERNAL: Automatic reply: x'],
    ].map((subject) => [`Subject: ${subject}`, true] as const),
    ...[
      ...['Vacation rental offer', 'Urlaubsangebote im Mai', 'Abwesenheit planen: eine Frage', 'Autosvarsfunktion?'],
      ...[
        'Absence of my invoice',
        'Holiday party',
        'Auto: ein Angebot',
        'Urlaub: eine Anfrage',
        'Vacances',
        'Leave request form',
        ...['Ich bin bisher sehr zufrieden', 'Ich bin derzeit nicht angemeldet', "I'm away and cannot log in"],
      ],
    ].map((subject) => [`Subject: ${subject}`, false] as const),
    ['X-Mail-Autoreply: yes', true],
    ['X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent', true],
    ['X-POST-MessageClass: 9; Autoresponder', true],
    ['From: ne-pas-repondre@shop.example', true],
    ['Auto-Submitted: ', false],
    ['X-Auto-Response-Suppress: All', true],
    ['Precedence: auto_reply', true],
    ['From: Shop <no-reply@shop.example>', true],
    ['From: news.noreply@shop.example', true],
    ['Subject: Re: Automatic reply: News', false],
    ['Subject: My vacation, and your automatic doors', false],
    ['X-Auto-Response-Suppress: None', false],
    ['From: nora.reply@shop.example', false],
  ])('with "%s" is automatic: %s', async (field, expected) => {
    const from = field.startsWith('From:') ? '' : 'From: a@b.example\r\n'
    expect((await parse(Buffer.from(`${from}${field}\r\n\r\nx\r\n`))).isAutomatic).toBe(expected)
  })

  const samples = new URL('../samples/inbound/', import.meta.url)
  it.each(readdirSync(samples).filter((name) => name !== 'README.md'))('such as %s is read', async (name) => {
    const parsed = await parse(readFileSync(new URL(name, samples)))
    expect(parsed.headers.length).toBeGreaterThan(0)
    expect(parsed.text + parsed.html + parsed.attachments.map(({ filename }) => filename).join()).not.toBe('')
  })

  it.each([
    // an opening bracket that is never closed, looked for from each one on, took 21 seconds for 100,000
    ['an encoding of 1,000,000 brackets', `Content-Transfer-Encoding: ${'('.repeat(1_000_000)}\r\n\r\nx\r\n`],
    [
      '10,000 parts',
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`,
    ],
    [
      'messages in messages, 1,000 deep',
      `${'Content-Type: message/rfc822\r\n\r\n'.repeat(1000)}Subject: last\r\n\r\nx\r\n`,
    ],
    [
      'parts in parts, 1,000 deep',
      Array.from({ length: 1000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
        '',
      ),
    ],
    [
      'base64 that is none',
      'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%not base64 at all===%%\r\n',
    ],
    ['an unknown charset', 'Content-Type: text/plain; charset=martian\r\n\r\nhello\r\n'],
    ['no header', '\r\nhello\r\n'],
    ['nothing', ''],
    ['no end', 'Subject: x'],
  ])('of %s does not take long, and the next one is read', async (_name, raw) => {
    const begun = performance.now()
    await parse(Buffer.from(`From: a@b.example\r\n${raw}`))
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect((await parse(Buffer.from('Subject: next\r\n\r\nx\r\n'))).subject).toBe('next')
  })

  it('that the library refuses is kept whole at once, with the reason', async () => {
    const part = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'
    const raw = `From: a@b.example\r\nSubject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(10_000)}`
    const { problem, from, subject, attachments } = await parse(Buffer.from(raw))
    expect([problem === undefined, from, subject]).toEqual([false, 'a@b.example', 'many'])
    expect(attachments).toMatchObject([{ filename: 'message.eml', bytes: { length: raw.length } }])
  })

  it.each([
    ['a subject of more than 2,000 characters', `Subject: ${'word '.repeat(500)}`],
    ['a field of more than 8,000', `X-Long: ${'word '.repeat(2_000)}`],
    ['more than 500 fields', 'X-Field: y\r\n'.repeat(501).trimEnd()],
    ['a name of more than 255', `From: "${'name '.repeat(60)}" <a@b.example>`],
  ])('with %s says that it is cut, and is attached whole', async (_name, fields) => {
    const raw = Buffer.from(`${fields}\r\n\r\nx\r\n`)
    const { isCut, attachments } = await parse(raw)
    expect([isCut, attachments.map(({ filename, bytes }) => [filename, bytes.length])]).toEqual([
      ...[true, [['message.eml', raw.length]]],
    ])
    const fits = await parse(Buffer.from(`Subject: ${'x'.repeat(1_990)}\r\n\r\nx\r\n`))
    expect([fits.isCut, fits.attachments]).toEqual([undefined, []])
  })

  it('of HTML too deep to be made into text is read without it', async () => {
    const html = `${'<div>'.repeat(20_000)}deep`
    const parsed = await parse(Buffer.from(`Subject: deep\r\nContent-Type: text/html\r\n\r\n${html}\r\n`))
    expect([parsed.problem, parsed.html.includes('deep'), parsed.attachments]).toEqual([undefined, true, []])
  })

  it('has words that every database can keep', async () => {
    const parsed = await parse(Buffer.from('Subject: =?utf-8?B?YQBi?=\r\nContent-Type: text/html\r\n\r\na&#0;b\r\n'))
    expect(JSON.stringify(parsed)).not.toContain('\\u0000')
    expect(parsed.subject).toBe('ab')
  })

  /** The parts of one multipart, with its boundary; `end` false leaves its last delimiter out. */
  const multipart = (kind: string, boundary: string, parts: readonly string[], end = true) =>
    `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}${end ? `--${boundary}--\r\n` : ''}`
  const PLAIN = 'Content-Type: text/plain\r\n\r\nHello world?'
  const HTML = 'Content-Type: text/html\r\n\r\n<b>Hello world?</b>'
  const FILE = 'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"\r\n\r\n%PDF'
  const bodies = async (raw: string) => {
    const parsed = await parse(Buffer.from(`From: a@b.example\r\nMIME-Version: 1.0\r\n${raw}`, 'latin1'))
    const files = parsed.attachments.map(({ filename, bytes }) => `${filename} ${bytes.length > 0}`)
    return [parsed.text.trim(), parsed.html.trim(), ...files]
  }

  it('whose boundary is not the one that its header names loses nothing', async () => {
    const whole = ['Hello world?', '<b>Hello world?</b>', 'message.eml true']
    const other = multipart('alternative', 'second', [PLAIN, HTML])
    expect(await bodies(`Content-Type: multipart/alternative; boundary="first"\r\n${other}`)).toEqual(whole)
    expect(await bodies(other.replace('second', 'wrong'))).toEqual(whole)
    expect(await bodies(other.replace('; boundary="second"', ''))).toEqual(['', '', 'message.eml true'])
    const inner = other.replace('second', 'wrong')
    expect(await bodies(multipart('mixed', 'outer', [inner, FILE]))).toEqual([
      ...whole.slice(0, 2),
      'a.pdf true',
      'message.eml true',
    ])
    // padding after a boundary (RFC 2046, section 5.1.1)
    expect(await bodies(other.replaceAll('--second\r', '--second \t\r'))).toEqual(whole.slice(0, 2))
    expect(await bodies(`${other}--second\r\n${FILE}\r\n--second--\r\n`)).toEqual(whole)
  })

  it('that has octets and no words keeps them', async () => {
    expect(await bodies('Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n====\r\n')).toEqual([
      ...['', '', 'message.eml true'],
    ])
    const encoded = Buffer.from(multipart('mixed', 'b', [PLAIN])).toString('base64')
    const head = 'Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: base64\r\n\r\n'
    expect(await bodies(`${head}${encoded}\r\n`)).toEqual(['', '', 'message.eml true'])
    expect(await bodies('Content-Type: text/plain\r\n\r\n \r\n')).toEqual(['', ''])
  })

  it('keeps what follows an inner multipart without an end', async () => {
    const inner = multipart('alternative', 'inner', [PLAIN, HTML], false)
    const deeper = multipart('related', 'middle', [inner], false)
    for (const each of [inner, deeper]) {
      expect(await bodies(multipart('mixed', 'outer', [each, FILE]))).toEqual([
        ...['Hello world?', '<b>Hello world?</b>', 'a.pdf true'],
      ])
    }
  })

  it('says its words whatever charset it forgets to name', async () => {
    const text = async (head: string, body: string | Buffer) => {
      const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
      const raw = Buffer.concat([Buffer.from(`From: a@b.example\r\n${head}\r\n\r\n`, 'latin1'), bytes])
      const parsed = await parse(raw)
      return (parsed.html || parsed.text).trim()
    }
    const HTML_HEAD = 'Content-Type: text/html'
    expect(await text('X: x', 'Gr\xfc\xdfe \x96 \x80')).toBe('Grüße – €')
    expect(await text('Content-Type: text/plain; charset=x-unknown', 'Gr\xfc\xdfe')).toBe('Grüße')
    expect(await text('Content-Type: text/plain; charset=utf-8', 'Gr\xfc\xdfe')).toBe('Grüße')
    expect(await text('Content-Type: text/plain; charset=us-ascii', Buffer.from('Grüße €'))).toBe('Grüße €')
    expect(
      await text('Content-Type: text/plain; charset=utf-8', Buffer.concat([Buffer.from('Grüße '), Buffer.of(0xff)])),
    ).toContain('Grüße')
    const meta = '<meta http-equiv=3D"Content-Type" content=3D"text/html; charset=3Dkoi8-r">=F0=D2=C9=D7=C5=D4'
    expect(await text(`${HTML_HEAD}\r\nContent-Transfer-Encoding: quoted-printable`, meta)).toContain('>Привет')
    const japanese = Buffer.from('GyRCJDMkcyRLJEEkTxsoQg==', 'base64')
    expect(await text('X: x', japanese)).toBe('こんにちは')
    expect(await text('Content-Type: text/plain; charset=unknown-8bit', japanese)).toBe('こんにちは')
    const base64 = `${Buffer.from('<meta charset="windows-1251">\xcf\xf0\xe8', 'latin1').toString('base64')}\r\n`
    expect(await text(`${HTML_HEAD}\r\nContent-Transfer-Encoding: base64`, base64)).toContain('>При')
    const sample = readFileSync(new URL('30-latin1-html-meta-only.eml', samples))
    expect((await parse(sample)).html).toContain('<body>Blåbær</body>')
    const { subject, fromName, headers } = await parse(
      Buffer.from(
        'From: J\xfcrgen <a@b.example>\r\nSubject: =?x-unknown?Q?Gr=FC=DFe?=\r\nX-Note: \xc3\xbc\r\n\r\nx',
        'latin1',
      ),
    )
    expect([subject, fromName, headers.at(-1)]).toEqual(['Grüße', 'Jürgen', ['x-note', 'ü']])
  })

  it.each([
    ['UTF-8 that is called ISO-8859-1', 'Content-Type: text/plain;\r\n charset=iso-8859-1', 'Gr\xc3\xbc\xc3\x9fe'],
    [
      'two charsets',
      'Content-Type: text/plain; charset=utf-8; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64',
      'R3LDvMOfZQ==',
    ],
    ['a semicolon behind its encoding', 'Content-Transfer-Encoding: quoted-printable;', 'Gr=C3=BC=C3=9Fe'],
    ['an encoding in quotes', 'Content-Transfer-Encoding: "base64"', 'R3LDvMOfZQ=='],
    ['the type "text"', 'Content-Type: text', 'Gr\xc3\xbc\xc3\x9fe'],
  ])('with %s is read, and changed nowhere else', async (_name, fields, body) => {
    const { text, attachments } = await parse(Buffer.from(`X-A: b\r\n${fields}\r\n\r\n${body}\r\n`, 'latin1'))
    expect([text.trim(), attachments]).toEqual(['Grüße', []])
  })

  it('whose lines end by CR alone is read', async () => {
    expect(await parse(Buffer.from('From: a@b.example\rSubject: x\r\rhello\r'))).toMatchObject({
      subject: 'x',
      text: 'hello\n',
    })
  })

  it('in flowed text keeps an answer apart from the quote above it', async () => {
    const head = 'Content-Type: text/plain; charset=utf-8; format=flowed'
    const body = '> do you \r\n> want it? \r\nYes, \r\nplease.\r\n'
    const { text, beginning } = await parse(Buffer.from(`${head}\r\n\r\n${body}`))
    expect([text.trim(), beginning]).toEqual(['> do you want it?\nYes, please.', 'Yes, please.'])
  })

  it.each([
    [
      'base64 that is none',
      ['Content-Transfer-Encoding: base64'],
      'Hello, this is no base64!',
      'Hello, this is no base64!',
    ],
    [
      'a footer behind base64',
      ['Content-Transfer-Encoding: base64'],
      'SGVsbG8h\r\n\r\n_____\r\nA list',
      'Hello!\n_____\nA list',
    ],
    [
      'two encodings',
      ['Content-Transfer-Encoding: base64', 'Content-Transfer-Encoding: 8bit'],
      'Hello, plain words',
      'Hello, plain words',
    ],
    [
      'two encodings the other way',
      ['Content-Transfer-Encoding: 7bit', 'Content-Transfer-Encoding: base64'],
      'Hello, plain words',
      'Hello, plain words',
    ],
    [
      'letters of its charset behind base64',
      ['Content-Type: text/plain; charset=koi8-r', 'Content-Transfer-Encoding: base64'],
      '8NLJ18XU\r\n-- \xf0\xf0',
      'Привет\n-- ПП',
    ],
  ])('with %s loses nothing, and is attached whole', async (_name, fields, body, expected) => {
    const raw = Buffer.from(`${fields.join('\r\n')}\r\n\r\n${body}\r\n`, 'latin1')
    const { text, attachments } = await parse(raw)
    expect(text.replaceAll('\r', '').replace(/\n+/g, '\n').trim()).toBe(expected)
    expect(attachments.map(({ filename, bytes }) => [filename, bytes.length])).toEqual([['message.eml', raw.length]])
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['/etc/passwd', 'passwd'],
    ['..\\\\..\\\\boot.ini', 'boot.ini'],
    ['C:/Users/ann/report.pdf', 'report.pdf'],
    ['..', 'attachment-1.pdf'],
    ['a/..', 'attachment-1.pdf'],
    ['..hidden.txt', '..hidden.txt'],
  ])('with an attachment named %s keeps it as %s', async (given, kept) => {
    const part = FILE.replace('a.pdf', given)
    const encoded = FILE.replace(
      '"a.pdf"',
      `"=?utf-8?B?${Buffer.from(given.replaceAll('\\\\', '\\')).toString('base64')}?="`,
    )
    for (const each of [part, encoded]) expect((await bodies(multipart('mixed', 'b', [each])))[2]).toBe(`${kept} true`)
  })

  it.each([
    ['text/calendar; method=REQUEST', 'QkVHSU46VkNBTEVOREFS', 'attachment-1.ics'],
    ['application/octet-stream', 'iVBORw0KGgoAAAA=', 'attachment-1.png'],
    ['image/png', 'PHN2Zy8+', 'attachment-1.png'],
    ['application/octet-stream', 'PHN2Zy8+', 'attachment-1.bin'],
    ['constructor', 'PHN2Zy8+', 'attachment-1.bin'],
    ['__proto__', 'PHN2Zy8+', 'attachment-1.bin'],
  ])('with a file of %s without a name gives it an ending that opens it', async (type, content, name) => {
    const fields = [`Content-Type: ${type}`, 'Content-Disposition: attachment', 'Content-Transfer-Encoding: base64']
    const part = `${fields.join('\r\n')}\r\n\r\n${content}`
    expect((await bodies(multipart('mixed', 'b', [part])))[2]).toBe(`${name} true`)
  })

  it.each([
    ['', [], true],
    ['a@b.example', ['Auto-Submitted: auto-replied'], true],
    ['a@b.example', ['Auto-Submitted: no'], false],
    ['a@b.example', ['Precedence: auto_reply'], true],
    ['MAILER-DAEMON@b.example', [], true],
    ['list-bounces@b.example', [], true],
    ['a@b.example', ['From: AWS Notifications <no-reply@sns.amazonaws.com>'], true],
    ['staff@b.example', ['Subject: complaint about message from 192.0.2.1'], true],
    ['a@b.example', ['Precedence: bulk'], false],
  ] as const)('from <%s> with %j is automatic: %s', async (sender, headers, expected) => {
    const parsed = await parse(Buffer.from([...headers, 'X-Other: x', '', 'x', ''].join('\r\n')), sender)
    expect(parsed.isAutomatic).toBe(expected)
  })
})
