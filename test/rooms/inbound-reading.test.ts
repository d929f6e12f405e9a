import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { ParsedMessage, ParseQuestion } from '../../core/inbound/parsed-message.ts'
import { Thread, threadFile } from '../../core/work/thread.ts'

const HERE = new URL('../../core/inbound/read-inbound.ts', import.meta.url).href
const thread = new Thread<ParseQuestion>({
  ...{ file: threadFile('./inbound-thread', HERE), name: 'test', patience: 30_000, memory: 512 },
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

  const samples = new URL('../samples/inbound/', import.meta.url)
  it.each(readdirSync(samples).filter((name) => name !== 'README.md'))('such as %s is read', async (name) => {
    const parsed = await parse(readFileSync(new URL(name, samples)))
    expect(parsed.headers.length).toBeGreaterThan(0)
    expect(parsed.text + parsed.html + parsed.attachments.map(({ filename }) => filename).join()).not.toBe('')
  })

  it.each([
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

  it.each([
    ['', [], true],
    ['a@b.example', ['Auto-Submitted: auto-replied'], true],
    ['a@b.example', ['Auto-Submitted: no'], false],
    ['a@b.example', ['Precedence: auto_reply'], true],
    ['MAILER-DAEMON@b.example', [], true],
    ['list-bounces@b.example', [], true],
    ['a@b.example', ['Precedence: bulk'], false],
  ] as const)('from <%s> with %j is automatic: %s', async (sender, headers, expected) => {
    const parsed = await parse(Buffer.from([...headers, 'Subject: x', '', 'x', ''].join('\r\n')), sender)
    expect(parsed.isAutomatic).toBe(expected)
  })
})
