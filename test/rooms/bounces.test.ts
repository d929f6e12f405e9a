import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { judge } from '../../core/bounces/judge.ts'
import { parseReport } from '../../core/bounces/parse/parse-report.ts'
import type { ParsedReport } from '../../core/bounces/parse/parsed-report.ts'
import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import { ownTime } from '../support/own-time.ts'

const folder = new URL('../samples/bounces/', import.meta.url)
const samples = readFileSync(new URL('expected.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line): { file: string; expect: string } => JSON.parse(line))

const CLASS: Readonly<Record<string, string>> = {
  permanent: 'permanent',
  transient: 'transient',
  'sender-side': 'policy',
}

function isRight(expected: string, { kind, recipients }: ParsedReport): boolean {
  if (expected === 'complaint') return kind === 'complaint'
  if (kind !== 'bounce') return false
  if (expected === 'other') return true
  if (expected === 'mixed') return new Set(recipients.map((each) => each.class)).size > 1
  if (expected === 'delivered') return recipients.every(({ action }) => action === 'delivered' || action === 'relayed')
  return recipients.every((each) => each.action !== 'delivered' && each.class === CLASS[expected])
}

describe('the reports of real mail systems', () => {
  const read = samples.map(({ file, expect: expected }) => {
    return { file, expected, report: parseReport(readFileSync(new URL(file, folder))) }
  })

  // a rule that is made better for one system must not become worse for the others
  it('are judged as those who know them do, 120 of 126 at least', () => {
    const wrong = read.filter(({ expected, report }) => !isRight(expected, report))
    expect(wrong.length, wrong.map(({ file }) => file).join()).toBeLessThanOrEqual(6)
  })

  it('never make a bad address of what is not the recipient’s fault or may pass', () => {
    const innocent = new Set(['transient', 'sender-side', 'complaint', 'delivered'])
    const wrong = read.filter(({ expected, report }) => {
      return innocent.has(expected) && report.recipients.some((each) => each.class === 'permanent')
    })
    expect(wrong.map(({ file }) => file)).toEqual([])
  })
})

describe('a message that came back', () => {
  const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'latin1')

  it('is an auto-reply when a machine answers for a person, and no bounce', () => {
    const raw = message(
      'Return-Path: <>',
      'From: Ada <ada@example.org>',
      'Subject: Automatic reply: Your invoice',
      'Auto-Submitted: auto-replied',
      '',
      'I am away. 550 mails wait; user unknown here could not be delivered, ask bob@example.org.',
    )
    expect(parseReport(raw, { from: '' })).toMatchObject({ kind: 'auto-reply', recipients: [] })
  })

  it('is none when a person writes, also about bounces', () => {
    const raw = message('From: ada@example.org', 'Subject: your mail', '', 'My boss got "550 5.1.1 user unknown".')
    expect(parseReport(raw, { from: 'ada@example.org' }).kind).toBe('none')
  })

  it('is no complaint when it takes one back, or speaks of our signature', () => {
    for (const type of ['not-spam', 'auth-failure']) {
      const raw = message(
        'Content-Type: multipart/report; boundary=x',
        '',
        '--x',
        'Content-Type: message/feedback-report',
        '',
        `Feedback-Type: ${type}`,
        '--x--',
      )
      expect(parseReport(raw).kind).toBe('none')
    }
  })

  it('tells each of several recipients, and what became of them', () => {
    const raw = message(
      'From: MAILER-DAEMON@mx.example.net',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
      '',
      '--x',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.net',
      '',
      ...[
        ['a@example.org', 'failed', '5.1.1', '550 5.1.1 User unknown'],
        ['b@example.org', 'delayed', '4.4.1', 'connection timed out'],
        ['c@example.org', 'delivered', '2.0.0', '250 ok'],
        ['d@example.org', 'relayed', '2.0.0', '250 ok'],
        ['e@example.org', 'expanded', '2.0.0', '250 ok'],
        ['f@example.org', 'failed', '5.2.2', '552 5.2.2 Mailbox full'],
        ['g@example.org', 'failed', '5.7.26', '550-5.7.26 Unauthenticated email is not accepted'],
        ['h@example.org', 'failed', '5.0.0', ''],
      ].flatMap(([address, action, status, said]) => [
        `Final-Recipient: rfc822; ${address}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${said}`,
        '',
      ]),
      '--x--',
    )
    const told = parseReport(raw).recipients.map((each) => `${each.address?.[0]} ${each.action} ${each.class}`)
    expect(told).toEqual([
      'a failed permanent',
      'b delayed transient',
      'c delivered unknown',
      'd relayed unknown',
      'e expanded unknown',
      'f failed transient',
      'g failed policy',
      'h failed unknown',
    ])
  })

  const HOSTILE: readonly (readonly [string, () => string])[] = [
    [
      '10,000 parts',
      () => `Content-Type: multipart/report; boundary=x\r\n\r\n${'--x\r\n\r\nwords\r\n'.repeat(10_000)}`,
    ],
    ['messages in messages, 1,000 deep', () => 'Content-Type: message/rfc822\r\n\r\n'.repeat(1000)],
    [
      'multiparts in multiparts, 1,000 deep',
      () =>
        Array.from({ length: 1000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
          '',
        ),
    ],
    ['100 MB of header', () => 'X-Field: of no use at all\r\n'.repeat(4_000_000)],
    ['one field of 2 MB', () => `Subject: ${'a'.repeat(2_000_000)}\r\n\r\nwords`],
    [
      'broken base64',
      () => `From: mailer-daemon@x.example\r\nContent-Transfer-Encoding: base64\r\n\r\n${'=*\0€A'.repeat(200_000)}`,
    ],
    ['NUL', () => `From: mailer-daemon@x.example\r\nSubject: \0\0\r\n\r\n${'\0'.repeat(500_000)}`],
    [
      'spaces',
      () =>
        `Content-Transfer-Encoding: quoted-printable\r\nReturn-Path: <>\r\nFrom: postmaster@x.example\r\n\r\n${' '.repeat(900_000)}`,
    ],
    [
      'empty lines',
      () => `Return-Path: <>\r\nFrom: postmaster@x.example\r\nSubject: undeliverable\r\n\r\n${'\n'.repeat(900_000)}`,
    ],
    [
      'at signs',
      () => `Return-Path: <>\r\nFrom: postmaster@x.example\r\nSubject: undeliverable\r\n\r\n${'a@b.'.repeat(200_000)}`,
    ],
    [
      'words that may mean something',
      () =>
        `Return-Path: <>\r\nFrom: postmaster@x.example\r\nSubject: undeliverable\r\n\r\n${'mailbox host address '.repeat(40_000)}`,
    ],
    [
      'open tags',
      () => `Return-Path: <>\r\nFrom: postmaster@x.example\r\nContent-Type: text/html\r\n\r\n${'<a '.repeat(300_000)}`,
    ],
    [
      'thousands of recipients',
      () =>
        `From: mailer-daemon@x.example\r\nContent-Type: multipart/report; boundary=x\r\n\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n${Array.from({ length: 5000 }, (_, i) => `Final-Recipient: rfc822; r${i}@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`).join('')}--x--`,
    ],
    [
      'addresses made of at signs',
      () =>
        `Content-Type: multipart/report; boundary=x\r\n\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n${`Final-Recipient: ${'a@'.repeat(500)}\r\n\r\n`.repeat(900)}`,
    ],
  ]

  // a server reads these between other people's requests: nobody may hold it up
  it.each(HOSTILE)('is read in a moment when it is made of %s', (_name, make) => {
    const raw = Buffer.from(make(), 'latin1')
    const own = ownTime()
    const { recipients } = parseReport(raw, { from: '' })
    expect(own()).toBeLessThan(250)
    expect(recipients.length).toBeLessThanOrEqual(200)
  })
})

describe('what a server said', () => {
  it('may pass where its code says so, whatever the enhanced code does', () => {
    expect(judge({ words: '450 5.1.1 user unknown' })).toEqual({ class: 'transient', status: '5.1.1' })
    expect(judge({ words: '550 5.1.1 user unknown' })).toEqual({ class: 'permanent', status: '5.1.1' })
  })
})

describe('the meaning of a refusal', () => {
  it.each([
    ['550-5.7.26 This mail has been blocked because the sender is unauthenticated.', /SPF.*DKIM/],
    ['550 5.7.25 The IP address sending this message does not have a PTR record setup', /PTR/],
    ['550 5.7.515 Access denied, sending domain EXAMPLE.COM does not meet the required authentication level', /DMARC/],
    ['421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume', /Yahoo/],
    ['550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent (S3150)', /reputation/],
    ['552 5.2.2 Mailbox full', /full/],
  ])('of "%s" says what to do', (text, meaning) => {
    expect(refusalMeaning(text)).toMatch(meaning)
  })

  it('is not made up', () => {
    expect(refusalMeaning('554 Transaction failed')).toBeUndefined()
  })
})
