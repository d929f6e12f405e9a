import { describe, expect, it } from 'vitest'
import { classOf, judge } from '../../core/bounces/judge.ts'
import { causeOf, type RefusalCause, sentence } from '../../core/bounces/refusal.ts'
import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import { isTemporary } from '../../core/campaigns/same-words.ts'
import type { Refusal } from '../../core/ports/mail-transport.ts'
import { textOf } from '../../core/values/advice.ts'
import { reportedBounce } from '../../plugins/kit/hooks/reported-bounce.ts'
import { REPLIES } from '../support/replies.ts'

/** Replies as servers of the world give them: [stage, reply, whose fault]. */
const AT_A_STAGE: readonly (readonly [Refusal['stage'], string, RefusalCause])[] = [
  ['rcpt', '550 5.1.1 The email account that you tried to reach does not exist.', 'recipient'],
  [
    'rcpt',
    '550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown in local recipient table',
    'recipient',
  ],
  ['rcpt', '550 No such user here', 'recipient'],
  ['rcpt', '553 5.1.3 Invalid address format', 'recipient'],
  ['rcpt', '550 5.2.1 The email account that you tried to reach is disabled.', 'recipient'],
  ['rcpt', '550 5.4.1 Recipient address rejected: Access denied', 'recipient'],
  ['rcpt', '550 mailbox unavailable', 'recipient'],
  ['rcpt', '554 Transaction failed', 'unclear'],
  ['data', '554 Transaction failed', 'unclear'],
  ['data', '550 5.1.1 user unknown', 'recipient'],
  ['rcpt', '550 Unknown user bob@example.com', 'recipient'],
  ['data', '550 Unknown user bob@example.com', 'unclear'],
  ['data', '550 Requested action not taken: mailbox unavailable', 'unclear'],
  ['rcpt', '550 5.7.1 <bob@example.com>: Recipient address rejected: User unknown', 'recipient'],
  ['rcpt', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'sender'],
  ['data', '550 5.7.26 This mail has been blocked because the sender is unauthenticated (DMARC)', 'sender'],
  ['data', '554 Message rejected as spam', 'sender'],
  ['data', '550 High probability of spam', 'sender'],
  ['rcpt', '554 5.7.1 Relay access denied', 'sender'],
  ['rcpt', '550 relaying denied', 'sender'],
  ['data', '552 5.3.4 Message size exceeds fixed limit', 'sender'],
  ['data', '554 5.6.0 Invalid message content', 'sender'],
  ['rcpt', '550 5.1.8 Sender address rejected: Domain not found', 'sender'],
  ['rcpt', '550 5.7.1 Your account has been disabled for sending', 'sender'],
  ['rcpt', '550 5.1.0 Sender address rejected: User unknown in virtual mailbox table', 'sender'],
  ['rcpt', '550 Sender verify failed', 'sender'],
  ['data', '554 Daily sending quota exceeded for user', 'sender'],
  ['data', '552 message size exceeds fixed limit', 'sender'],
  ['data', '554 Message contains a virus', 'sender'],
  ['rcpt', '503 5.5.1 need MAIL before RCPT', 'sender'],
  ['mail', '550 5.1.0 Address rejected', 'sender'],
  ['connect', '554 5.7.1 go away', 'sender'],
  ['rcpt', '452 4.2.2 The email account that you tried to reach is over quota', 'later'],
  ['rcpt', '552 5.2.2 Mailbox full', 'unclear'],
  ['rcpt', '552 mailbox is full: retry timeout exceeded', 'unclear'],
  ['rcpt', '451 4.7.1 Greylisted, please try again in 300 seconds', 'later'],
  ['rcpt', '450 4.2.1 The user you are trying to contact is receiving mail too quickly', 'later'],
  ['connect', '421 4.3.2 Service shutting down', 'later'],
]

describe('the status of a reported bounce', () => {
  it("is the one in the server's reply, then the one the provider gives", () => {
    expect(reportedBounce({ said: 'permanent', status: '5.0.0', words: '550 5.1.1 No such user' }).status).toBe('5.1.1')
    expect(reportedBounce({ said: 'permanent', status: '5.1.10', words: 'gone' }).status).toBe('5.1.10')
    expect(reportedBounce({ said: 'permanent', words: 'gone' })).not.toHaveProperty('status')
  })
})

describe('the one rule for what a refusal says of its address', () => {
  const all = Object.entries(REPLIES).flatMap(([judged, replies]) => replies.map((reply) => [reply, judged] as const))

  // the same words mean the same from a live server, in a report, and in a provider's notice
  it.each(all)('takes "%s" for %s', (reply, judged) => {
    expect(judge({ words: reply }).class).toBe(judged)
    const [, code, enhancedCode] = /^(\d{3})[ -](?:(\d\.\d+\.\d+)[ -])?/.exec(reply) ?? []
    expect(reportedBounce({ said: 'permanent', words: /^\d/.test(reply) ? reply : `550 ${reply}` }).class).toBe(judged)
    if (code === undefined) return
    const refusal: Refusal = {
      permanent: code.startsWith('5'),
      stage: 'rcpt',
      code: Number(code),
      ...(enhancedCode === undefined ? {} : { enhancedCode }),
      reason: reply.replace(/^\d{3}[ -](?:\d\.\d+\.\d+[ -])?/, ''),
    }
    expect(classOf(refusal)).toBe(judged)
  })

  it('is not fooled by names that look like words', () => {
    for (const name of ['user.unknown', 'mailbox-full', 'spam', 'no-such-user'])
      expect(judge({ words: `554 5.0.0 <${name}@example.com>: Transaction failed` }).class).toBe('unknown')
  })
})

describe('the cause of a refusal', () => {
  it.each(AT_A_STAGE)('at %s, "%s" is %s', (stage, reply, cause) => {
    const [, code, enhancedCode] = /^(\d{3})(?: (\d\.\d+\.\d+))?/.exec(reply) ?? []
    const refusal: Refusal = {
      permanent: code?.startsWith('5') ?? false,
      stage,
      code: Number(code),
      ...(enhancedCode === undefined ? {} : { enhancedCode }),
      reason: reply,
    }
    expect(causeOf(refusal)).toBe(cause)
  })

  it('is found in time that grows with the text alone, however the text is made', () => {
    const reason = 'mailbox '.repeat(20_000)
    const started = performance.now()
    causeOf({ permanent: true, stage: 'rcpt', code: 552, reason })
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('is "later" for whatever the transport calls temporary', () => {
    expect(causeOf({ permanent: false, stage: 'data', reason: 'blocked as spam' })).toBe('later')
  })
})

describe('what the record says of a next hop', () => {
  it('tells a refused login from a server that is not there, without the words that name its user', () => {
    const hop = {
      permanent: false,
      stage: 'connect',
      reason: 'relay.acme.example:587: wrong password of "ada"',
    } as const
    for (const code of [530, 534, 535, 538]) {
      const told = sentence({ ...hop, code })
      expect(told).toBe('The mail server refuses the login of this server.')
      expect(textOf(refusalMeaning(told))).toMatch(/password or keys of the transport are wrong/)
    }
    expect(sentence(hop)).toBe('The mail server could not be reached.')
    const noTls = sentence({ ...hop, noTls: true, code: 454 })
    expect(noTls).toBe('The mail server could not be used: TLS failed.')
    expect(textOf(refusalMeaning(noTls))).toMatch(/certificate/)
    const busy = { ...hop, code: 421, enhancedCode: '4.7.0' }
    expect(sentence(busy)).toBe('The mail server answered 421 4.7.0')
    const reason = 'relay.acme.example:421: the server does not want to talk to us: 421 4.7.0 Too many connections'
    expect(sentence({ ...busy, reason })).toBe('The mail server answered 421 4.7.0 Too many connections')
    for (const refusal of [hop, { ...hop, noTls: true as const }, { ...busy, reason }, { ...hop, code: 535 }])
      expect(isTemporary(sentence(refusal))).toBe(true)
  })
})
