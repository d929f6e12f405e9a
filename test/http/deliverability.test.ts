import { beforeAll, describe, expect, it } from 'vitest'
import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import type { Reputation } from '../../core/feedback/reputation.ts'
import { roomBehind } from '../../core/start/asked-doors.ts'
import { textOf } from '../../core/values/advice.ts'
import { expectEnvelope, MAIL, OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { bounceOf, complaintAbout } from '../support/bounce.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

/**
 * Replies of large receivers about senders, by their published lists: [reply, a word of what it means]. None is the
 * recipient's fault.
 */
const SENDER_SIDE: readonly (readonly [reply: string, meaning: RegExp])[] = [
  ['550 5.7.1 Our system has detected that this message is likely unsolicited mail.', /considers the mail spam/],
  ['550 5.7.1 suspicious due to the very low reputation of the sending domain', /very low reputation/],
  ['550 5.7.1 This message is not RFC 5322 compliant because it has duplicate headers', /breaks RFC 5322/],
  ['550 5.7.24 The SPF record of the sending domain has one or more suspicious entries', /SPF record/],
  ['550 5.7.25 The IP address sending this message does not have a PTR record setup', /reverse DNS/],
  ['550 5.7.26 This mail has been blocked because the sender is unauthenticated', /neither by SPF nor by DKIM/],
  ["550 5.7.26 Unauthenticated email from a.example is not accepted due to domain's DMARC policy", /DMARC policy asks/],
  ['550 5.7.27 Gmail requires all large senders to authenticate with SPF', /SPF fails/],
  ['550 5.7.27 Sender address has null MX', /accepts no mail/],
  ['550 5.7.28 There is an unusual rate of unsolicited mail originating from your IP address', /unusual rate/],
  ['550 5.7.29 Gmail requires all bulk email senders to use TLS/SSL for SMTP connections', /not encrypted/],
  ['550 5.7.30 Gmail requires all large senders to authenticate with DKIM', /DKIM is missing/],
  [
    "550 5.7.32 The From: header isn't aligned with either the authenticated SPF or DKIM domain",
    /aligned with neither/,
  ],
  ['550 5.7.40 The From: domain has no DMARC record', /no DMARC record/],
  ['550 5.7.9 This mail has been blocked because the sender is unauthenticated. Yahoo requires …', /Yahoo/],
  ['554 5.7.9 Message not accepted for policy reasons', /spam or phishing/],
  [
    '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred',
    /Yahoo: the sending address is blocked/,
  ],
  ["553 5.7.1 [BL21] Connections will not be accepted, because the ip is in Spamhaus's list", /Spamhaus/],
  ['550 5.7.23 The message was rejected because of Sender Policy Framework violation', /SPF fails/],
  ['550 5.7.507 Access denied, rejected by recipient', /own organisation/],
  ['550 5.7.509 Access denied, sending domain a.example does not pass DMARC verification', /rules for senders/],
  ['550 5.7.511 Access denied, banned sender', /banned/],
  ['550 5.7.513 Client host [192.0.2.1] blocked by b.example using Customer Block list', /own organisation/],
  ['550 5.7.515 Access denied, sending domain a.example does not meet the required level', /rules for senders/],
  ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', /banned/],
  ['550 5.7.708 Access denied, traffic not accepted from this IP', /tenant/],
  ['550 5.7.1 messages were not sent: part of their network is on our block list (S3150)', /Outlook\.com/],
]
/** Their replies for now. */
const FOR_NOW: readonly (readonly [reply: string, meaning: RegExp])[] = [
  ['421 4.7.31 This mail has been rate limited: the sending domain has no DMARC policy', /no DMARC record/],
  ["421 4.7.23 The sending IP address for this message doesn't have a PTR record", /reverse DNS/],
  ['421 4.7.26 This mail has been rate limited because it is unauthenticated', /neither by SPF/],
  ['421 4.7.28 Gmail has detected an unusual rate of mail', /unusual rate/],
  ['421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume or user complaints', /Yahoo/],
  ['451 4.7.650 The mail server has been temporarily rate limited due to IP reputation', /Microsoft/],
]
/** Those of the transport `direct`, when no server has spoken. */
const UNSPOKEN: readonly (readonly [reason: string, meaning: RegExp])[] = [
  ['5.1.2 The domain does not exist, or has no mail server: the DNS has neither', /domain does not exist/],
  ['5.1.10 The domain takes no mail: its MX record says so (RFC 7505)', /domain says that it accepts no mail/],
  ['4.4.3 The mail servers of the domain could not be looked up in the DNS: no answer', /The DNS does not tell/],
  ['b@a.example: 4.7.5 The domain demands servers that its policy lists (MTA-STS)', /as secure as is demanded/],
]

describe('a refusal', () => {
  it.each([...SENDER_SIDE, ...FOR_NOW, ...UNSPOKEN])('%s is explained', (reply, meaning) => {
    expect(textOf(refusalMeaning(reply))).toMatch(meaning)
  })
})

/** A refusal for a whole domain puts off its other mail: each of those has a domain of its own. */
function refusedAt(i: number): string {
  return i < SENDER_SIDE.length ? `r${i}@blocks.example` : `r${i}@later${i}.example`
}

describe('deliverability', () => {
  let test: TestApp
  let sink: SmtpSink
  const at = new Date()
  beforeAll(async () => {
    const recipients = Object.fromEntries([
      ...[...SENDER_SIDE, ...FOR_NOW].map(([reply], i) => [
        refusedAt(i),
        { code: Number(reply.slice(0, 3)), message: reply.slice(4) },
      ]),
      ['gone@dead.example', { code: 550, message: '5.1.1 <gone@dead.example>: gone is no user here' }],
      ...Array.from({ length: 400 }, (_, i) => [`gone${i}@dead.example`, { code: 550, message: '5.1.1 none' }]),
      ['ada@later.example', { code: 450, message: '4.2.1 later' }],
    ])
    sink = await startSmtpSink({ recipients })
    atEndOfFile(() => sink.close())
    test = await testApp(
      store,
      {},
      {
        transports: [toSink(sink)],
        clock: { now: () => new Date(at) },
        feedback: { returnPathHost: 'bounces.example.com' },
        reputation: { bounceRate: { stop: 30 }, complaintRate: { stop: 5 } },
      },
    )
    await test.engine.start()
  })
  const figures = async (query: string, key?: string) =>
    (await test.ask('GET', `/deliverability?${query}`, key ? { key } : {})).body
  const send = async (to: readonly string[], change: object = {}) => {
    const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, to, subscribed: true, ...change } })
    const ids: string[] = body.data.emails.map(({ email }: { email: string }) => email)
    const record = async (id: string) => (await test.ask('GET', `/emails/${id}`)).body
    await until('each was tried', async () => {
      const waiting = (await test.ask('GET', '/emails?status=QUEUED&limit=100')).body.data
      const busy = (await test.ask('GET', '/emails?status=SENDING&limit=1')).body.data
      return busy.length === 0 && waiting.every(({ error }: { error: string | null }) => error)
    })
    return Promise.all(ids.map(record))
  }
  const suppressed = async () =>
    (await test.ask('GET', '/suppressions')).body.data.map(({ email }: { email: string }) => email)

  it('shows nothing of mail that was not sent, and refuses what it does not know', async () => {
    expect(await figures('')).toEqual([])
    for (const [query, field] of [
      ['by=country', 'by'],
      ['days=0', 'days'],
      ['days=91', 'days'],
      ['limit=101', 'limit'],
    ] as const) {
      expectEnvelope(await test.ask('GET', `/deliverability?${query}`), 422, 'VALIDATION_ERROR', {
        [field]: expect.any(String),
      })
    }
  })

  it('suppresses nobody for what is said of the sender, while it is sent or in a report, and explains it', async () => {
    const all = [...SENDER_SIDE, ...FOR_NOW]
    const now = await send(all.map((_, i) => refusedAt(i)))
    for (const [i, [reply, meaning]] of all.entries()) {
      expect(now[i], reply).toMatchObject({ errorMeaning: expect.stringMatching(meaning) })
      expect(now[i].status, reply).toBe(i < SENDER_SIDE.length ? 'FAILED' : 'QUEUED')
    }
    sink.clear()
    const later = SENDER_SIDE.map((_, i) => `s${i}@reports.example`)
    const mails = await send(later)
    for (const [i, [reply]] of SENDER_SIDE.entries()) {
      const arrived = sink.messages.find(({ to }) => to.includes(later[i]!))!
      const status = /\d\.\d+\.\d+/.exec(reply)?.[0] ?? ''
      const dsn = bounceOf(arrived, [{ address: later[i]!, status, diagnostic: reply }], `<${i}@dsn.example>`)
      const { outcomes } = await test.engine.feedback.read(dsn, { from: '', to: [arrived.from] })
      expect(outcomes, reply).toEqual(['changed'])
      const record = (await test.ask('GET', `/emails/${mails[i].id}`)).body
      expect(record, reply).toMatchObject({ status: 'FAILED', errorMeaning: expect.any(String) })
    }
    expect(await suppressed()).toEqual([])
    const contacts = (await test.ask('GET', '/contacts?subscribed=false')).body
    expect(contacts.data).toEqual([])

    const rows = new Map((await figures('by=recipientDomain')).map((row: { domain: string }) => [row.domain, row]))
    expect(rows.get('reports.example')).toMatchObject({ sent: SENDER_SIDE.length, bounced: 0 })
    const blocks = rows.get('blocks.example') as { lastRefusals: object[] }
    for (const [i] of FOR_NOW.entries()) {
      const late = rows.get(`later${SENDER_SIDE.length + i}.example`)
      expect(late).toMatchObject({ sent: 0, deferred: 1, lastRefusals: [{ code: expect.stringMatching(/^4\.7/) }] })
    }
    const sent = SENDER_SIDE.length
    expect(blocks).toMatchObject({ sent, delivered: 0, deferred: 0, bounced: 0, bounceRate: 0 })
    expect(blocks.lastRefusals).toHaveLength(5)
    for (const refusal of blocks.lastRefusals) {
      expect(refusal).toMatchObject({
        ...{ at: at.toISOString(), code: expect.stringMatching(/^5\.7\.\d+$/) },
        ...{ text: expect.stringMatching(/^55\d 5\.7/), meaning: expect.any(String) },
      })
    }
  })

  it('counts by either domain, leaves out whom a server named, and shows no other project', async () => {
    const [gone, ada, bob] = await send(['gone@dead.example', 'ada@alive.example', 'bob@alive.example'])
    expect([gone, ada, bob].map(({ status }) => status)).toEqual(['BOUNCED', 'DELIVERED', 'DELIVERED'])
    const arrived = sink.messages.find(({ to }) => to.includes('ada@alive.example'))!
    const report = complaintAbout(arrived, 'ada@alive.example')
    const read = () => test.engine.feedback.read(report, { from: 'fbl@example.net', to: ['fbl@example.com'] })
    expect([(await read()).outcomes, (await read()).outcomes]).toEqual([['changed'], ['known']])

    const rows = new Map((await figures('days=1')).map((row: { domain: string }) => [row.domain, row]))
    expect(rows.get('alive.example')).toEqual({
      ...{ domain: 'alive.example', sent: 2, delivered: 2, deferred: 0, bounced: 0, complained: 1 },
      ...{ bounceRate: 0, complaintRate: 50, lastRefusals: [] },
    })
    expect(rows.get('dead.example')).toEqual({
      ...{ domain: 'dead.example', sent: 1, delivered: 0, deferred: 0, bounced: 1, complained: 0 },
      ...{ bounceRate: 100, complaintRate: 0 },
      lastRefusals: [
        {
          ...{ at: at.toISOString(), code: '5.1.1', text: '550 5.1.1 <…@dead.example>: … is no user here' },
          meaning: expect.stringContaining('no such mailbox'),
          meaningCodes: [{ code: 'refusal_mailbox_unknown', params: {} }],
        },
      ],
    })
    const [sender, ...others] = await figures('by=sendingDomain')
    expect(others).toEqual([])
    expect(sender).toMatchObject({ domain: 'example.com', sent: 2 * SENDER_SIDE.length + 3, bounced: 1, complained: 1 })
    expect(sender).toMatchObject({ state: 'ok', reasons: [] })
    expect(await figures('limit=1')).toHaveLength(1)
    expect(await figures('', OTHER_SECRET)).toEqual([])
  })

  it('stops the campaigns of a domain whose mail bounces, on their way too, says so once, and lets other mail go', async () => {
    const campaign = async (name: string) => {
      const audienceFilter = {
        operator: 'AND',
        conditions: [{ field: 'email', operator: 'endsWith', value: '@later.example' }],
      }
      const json = {
        name,
        subject: 'S',
        body: '<p>B</p>',
        from: 'news@example.com',
        audienceType: 'FILTERED',
        audienceFilter,
      }
      const { body } = await test.ask('POST', '/campaigns', { json })
      return { id: body.data.id, send: () => test.ask('POST', `/campaigns/${body.data.id}/send`, { json: {} }) }
    }
    const read = async (id: string) => (await test.ask('GET', `/campaigns/${id}`)).body
    await test.ask('POST', '/contacts', { json: { email: 'ada@later.example' } })
    const template = async (type: string) => {
      const json = { name: type, subject: 'S', body: '<p>B</p>', from: 'news@example.com', type }
      return (await test.ask('POST', '/templates', { json })).body.id
    }
    const marketing = await template('MARKETING')
    const by = (id: string, change = {}) =>
      test.ask('POST', '/v1/send', { json: { to: 'eve@alive.example', subscribed: true, template: id, ...change } })
    const running = await campaign('Running')
    expect((await running.send()).status).toBe(200)
    await until(
      'its mail was put off',
      async () => (await test.ask('GET', `/emails?campaignId=${running.id}`)).body.data[0]?.error,
    )
    expect((await read(running.id)).status).toBe('SENDING')

    for (let n = 0; n < 200; n += 40) await send(Array.from({ length: 40 }, (_, i) => `gone${n + i}@dead.example`))
    // on its way up the rate passes the limit
    const reason =
      /^Marketing mail from example\.com is stopped: [\d.]+ % of its mails of the last 7 days \(\d+\) bounced; 30 % is the limit\.$/
    await until('the campaign is paused', async () => (await read(running.id)).status === 'PAUSED')
    expect((await read(running.id)).statusReason).toMatch(reason)
    for (const start of [running.send, (await campaign('Next')).send, () => by(marketing)]) {
      const refused = await start()
      expectEnvelope(refused, 409, 'CONFLICT')
      expect(refused.body.error).toMatchObject({
        message: expect.stringMatching(reason),
        suggestion: expect.any(String),
      })
    }
    expect(await figures('by=sendingDomain')).toMatchObject([
      { state: 'stopped', reasons: [expect.stringMatching(/\(\d+\) bounced; 30 % is the limit\.$/)] },
    ])
    expect(await send(['eve@alive.example'])).toMatchObject([{ status: 'DELIVERED' }])
    expect((await by(await template('TRANSACTIONAL'))).status).toBe(200)
    // what was scheduled, as what a workflow sends, waits
    const [{ email: late }] = (await by(marketing, { scheduledFor: at.toISOString() })).body.data.emails
    const waiting = async () => (await test.ask('GET', `/emails/${late}`)).body
    await until('it is put off', async () => (await waiting()).error)
    expect(await waiting()).toMatchObject({ status: 'QUEUED', error: expect.stringMatching(reason) })

    for (let i = 0; i < 3; i++) await roomBehind<Reputation>(test.engine.reputation).tick(new AbortController().signal)
    const notices = test.lines.filter(({ message }) => message.startsWith('marketing mail of a domain is stopped'))
    expect(notices).toMatchObject([
      {
        level: 'warn',
        fields: { domain: 'example.com', reason: expect.stringContaining('bounced'), advice: expect.any(String) },
      },
    ])
  })

  it('tells of each domain of a project that is stopped', async () => {
    for (let n = 0; n < 400; n += 40) {
      const to = Array.from({ length: 40 }, (_, i) => `gone${n + i}@dead.example`)
      const json = { ...MAIL, to, from: n < 200 ? 'hello@example.com' : 'hello@other.example' }
      expect((await test.ask('POST', '/v1/send', { key: OTHER_SECRET, json })).status).toBe(200)
    }
    const stopped = async () =>
      (await figures('by=sendingDomain', OTHER_SECRET)).filter(({ state }: { state: string }) => state === 'stopped')
    await until('both are stopped', async () => (await stopped()).length === 2)
    await roomBehind<Reputation>(test.engine.reputation).tick(new AbortController().signal)
    const notices = test.lines.filter(({ message }) => message.startsWith('marketing mail of a domain is stopped'))
    const projects = Map.groupBy(notices, ({ fields }) => fields.project)
    const told = [...projects.values()].at(-1) ?? []
    expect(told.map(({ fields }) => fields.domain).toSorted()).toEqual(['example.com', 'other.example'])
  })
})
