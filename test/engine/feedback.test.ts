import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { definePlugin, type GivenSettings } from '../../config/library.ts'
import { ReturnPaths } from '../../core/mail/links/ways-back.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import { bounceOf, complaintAbout } from '../support/bounce.ts'
import { engineWithSink } from '../support/engine.ts'
import { kitOf } from '../support/kit.ts'
import { QUICK } from '../support/matrix.ts'
import type { SunkMail } from '../support/smtp-sink.ts'
import { testStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const HOST = 'bounces.example.com'
const UNKNOWN = { status: '5.1.1', diagnostic: '550 5.1.1 <ada@example.org>: User unknown' }
const FULL = { status: '4.2.2', diagnostic: '452 4.2.2 Mailbox full' }

/** An engine that has sent mails to these, with what arrived. */
async function sent(settings: GivenSettings, to: readonly string[] = ['ada@example.org'], extra: object = {}) {
  const { engine, project, sink } = await engineWithSink({ feedback: { returnPathHost: HOST }, ...settings })
  await engine.start()
  const mail = { to, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>', subscribed: true, ...extra }
  const { answer } = await engine.sending.send(project, mail)
  const messages = await sink.waitFor(to.length)
  const ids = answer.emails.map(({ email }) => email)
  for (const id of ids)
    await until('it is so', async () => (await engine.mails.get(project, id)).email.status === 'DELIVERED')
  const events = async (emailId: string) => (await engine.mails.get(project, emailId)).events.map(({ name }) => name)
  const contact = async () => (await engine.contacts.list(project)).items[0]
  const arrived = messages[0] as SunkMail
  return { engine, project, sink, messages, arrived, id: ids[0] ?? '', ids, events, contact }
}

const TO_US = (mail: SunkMail) => ({ from: '', to: [mail.from] })

describe.each([QUICK])('what comes back, on $name', ({ store }) => {
  it('of an unknown recipient ends the mail, the address and the subscription, once', async () => {
    const { engine, project, arrived, id, events, contact } = await sent({ store: store() })
    expect(arrived.from).toMatch(/^b\+[0-9a-f]{52}@bounces\.example\.com$/)
    const dsn = bounceOf(arrived, [{ address: 'ada@example.org', ...UNKNOWN }])
    // the same report twice at once, as two processes may have it
    const readings = await Promise.all([
      engine.feedback.read(dsn, TO_US(arrived)),
      engine.feedback.read(dsn, TO_US(arrived)),
    ])
    expect(readings.flatMap(({ outcomes }) => outcomes).toSorted()).toEqual(['changed', 'known'])

    const { email } = await engine.mails.get(project, id)
    expect(email).toMatchObject({ status: 'BOUNCED', error: expect.stringContaining('User unknown') })
    const why = { by: 'reply', kind: 'no_such_address', words: expect.stringContaining('User unknown') }
    expect(
      (await engine.mails.get(project, id)).events.find(({ name }) => name === 'email.bounce')?.data,
    ).toMatchObject({ why })
    expect((await events(id)).filter((name) => name === 'email.bounce')).toHaveLength(1)
    expect(await engine.suppressions.list(project)).toMatchObject({
      items: [{ email: 'ada@example.org', reason: 'BOUNCE' }],
    })
    expect(await contact()).toMatchObject({ subscribed: false })
    const { items } = await engine.events.list(project, { eventName: 'contact.unsubscribed' })
    expect(items.map((event) => event.data)).toEqual([{ subscribed: false, reason: 'bounce' }])
  })

  it('as a complaint ends the address too, also behind a click, and stays when a bounce comes later', async () => {
    const { engine, project, arrived, id, events } = await sent({ store: store() })
    const report = { mail: { emailId: id }, at: new Date(), key: '1' }
    const taken: FeedbackReport[] = [
      { ...report, kind: 'opened', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
      { ...report, kind: 'clicked', link: 'https://example.com/' },
      { ...report, kind: 'clicked', link: 'https://example.com/' },
    ]
    expect(await engine.feedback.take(taken)).toEqual(['changed', 'changed', 'known'])
    expect(await engine.feedback.take(taken)).toEqual(['known', 'known', 'known'])
    expect((await engine.mails.get(project, id)).email).toMatchObject({ status: 'CLICKED', opens: 1, clicks: 1 })

    await engine.feedback.read(complaintAbout(arrived, 'ada@example.org'), {
      from: 'fbl@example.net',
      to: ['fbl@example.com'],
    })
    await engine.feedback.read(bounceOf(arrived, [{ address: 'ada@example.org', ...UNKNOWN }]), TO_US(arrived))
    expect((await engine.mails.get(project, id)).email.status).toBe('COMPLAINED')
    expect(await events(id)).toEqual(
      expect.arrayContaining(['email.open', 'email.click', 'email.complaint', 'email.bounce']),
    )
    expect((await engine.suppressions.list(project)).total).toBe(1)
  })

  it('is found by Message-ID alone, and by what the provider calls a mail whose delivery it reports', async () => {
    const accepted = { outcome: 'accepted', id: 'provider-1', deliveryPending: true } as const
    const { engine, project, arrived, id } = await sent({ store: store(), feedback: { returnPathHost: null } })
    expect(arrived.from).toBe('hello@example.com')
    const plain = bounceOf({ ...arrived, from: 'hello@example.com' }, [{ address: 'ada@example.org', ...UNKNOWN }])
    await engine.feedback.read(plain, { from: '', to: ['hello@example.com'] })
    expect((await engine.mails.get(project, id)).email.status).toBe('BOUNCED')

    const plugin = definePlugin({
      name: 'pending',
      provides: ['transport'],
      options: v.object({}),
      open: () => ({ transport: { concurrency: 1, send: async () => accepted } }),
    })
    const other = await engineWithSink({ store: store(), transports: [plugin()] })
    await other.engine.start()
    const mail = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: 'Hi' }
    const { answer } = await other.engine.sending.send(other.project, mail)
    const emailId = answer.emails[0]?.email ?? ''
    const status = async () => (await other.engine.mails.get(other.project, emailId)).email.status
    await until('it is so', async () => (await status()) === 'SENT')
    const report = { mail: { providerId: 'provider-1' }, recipient: 'ada@example.org', at: new Date(), key: '1' }
    expect(await other.engine.feedback.take([{ ...report, kind: 'delivered' }])).toEqual(['changed'])
    expect(await status()).toBe('DELIVERED')
    expect(await other.engine.feedback.take([{ ...report, kind: 'complained' }])).toEqual(['changed'])
    expect(await status()).toBe('COMPLAINED')
  })

  it('by Message-ID alone is only noted where the mail had a return path; a complaint counts from known senders', async () => {
    const { engine, project, arrived, id, events } = await sent({ store: store() })
    const header = { raw: arrived.raw, from: 'hello@example.com' }
    const to = ['hello@example.com']
    const dsn = bounceOf(header, [{ address: 'ada@example.org', ...UNKNOWN }])
    const full = bounceOf(header, [{ address: 'ada@example.org', ...FULL }], '<2@mx.example.net>')
    const complaint = complaintAbout(header, 'ada@example.org')
    for (const raw of [dsn, dsn, full, complaint]) {
      expect((await engine.feedback.read(raw, { from: '', to, dmarc: 'fail' })).outcomes).toEqual(['noted'])
    }
    const noted = await engine.mails.get(project, id)
    expect(noted.email).toMatchObject({
      status: 'DELIVERED',
      error: 'Reported without proof: 550 5.1.1 <ada@example.org>: User unknown',
    })
    expect(await events(id)).not.toContain('email.bounce')
    expect((await engine.suppressions.list(project)).total).toBe(0)
    expect((await engine.feedback.read(complaint, { from: '', to, dmarc: 'pass' })).outcomes).toEqual(['changed'])
    expect((await engine.mails.get(project, id)).email.status).toBe('COMPLAINED')
  })

  it('changes nothing when it is no evidence: forged, of nobody, or about a copy', async () => {
    const { engine, project, arrived, id, contact } = await sent({ store: store() }, undefined, {
      cc: ['copy@example.org'],
    })
    const whom = { address: 'ada@example.org', ...UNKNOWN }
    const forged = arrived.from.replace(/.(?=@)/, (digit) => (digit === '0' ? '1' : '0'))
    const wrongDomain = Buffer.from(
      arrived.raw.toString('latin1').replace(`${id}@example.com`, `${id}@example.net`),
      'latin1',
    )
    const nobodys = Buffer.from('From: a@example.org\r\nMessage-ID: <1@example.org>\r\n\r\n', 'latin1')
    for (const [mail, to] of [
      [bounceOf({ from: forged, raw: nobodys }, [whom]), forged],
      [bounceOf({ from: 'x@example.com', raw: wrongDomain }, [whom]), 'x@example.com'],
      [bounceOf(arrived, [{ ...whom, address: 'copy@example.org' }]), arrived.from],
      [bounceOf(arrived, [{ ...whom, action: 'delayed' }]), arrived.from],
    ] as const) {
      await engine.feedback.read(mail, { from: '', to: [to] })
    }
    expect((await engine.mails.get(project, id)).email.status).toBe('DELIVERED')
    expect((await engine.suppressions.list(project)).total).toBe(0)
    expect(await contact()).toMatchObject({ subscribed: true })
  })

  it('is no bounce when the recipient wrote it, whatever it quotes', async () => {
    const { engine, project, arrived, id } = await sent({ store: store() })
    const refusal = 'Undeliverable: <ada@example.org>: 550 5.1.1 User unknown'
    const answers = [
      ['From: Ada <Ada@example.org>', 'Subject: Undelivered mail', 'Auto-Submitted: auto-replied', '', refusal],
      ['From: ada@example.org', 'Subject: Mail delivery failed', '', refusal],
      ['From: ada+office@example.org', 'Subject: Mail delivery failed', '', refusal],
      ['From: ada@example.org', bounceOf(arrived, [{ address: 'ada@example.org', ...UNKNOWN }]).toString('latin1')],
    ].map((lines) => Buffer.from(lines.join('\r\n').replace('From: MAILER-DAEMON@mx.example.net', 'X-From: x')))
    for (const raw of answers) expect((await engine.feedback.read(raw, TO_US(arrived))).outcomes).toEqual([])
    expect((await engine.mails.get(project, id)).email.status).toBe('DELIVERED')
  })

  it('for the sender’s own sake fails the mail and suppresses nobody', async () => {
    const { engine, project, arrived, id, contact } = await sent({ store: store() })
    const blocked = { status: '5.7.1', diagnostic: '550 5.7.1 Client host blocked using zen.spamhaus.org' }
    await engine.feedback.read(bounceOf(arrived, [{ address: 'ada@example.org', ...blocked }]), TO_US(arrived))
    expect((await engine.mails.get(project, id)).email.status).toBe('FAILED')
    expect((await engine.suppressions.list(project)).total).toBe(0)
    expect(await contact()).toMatchObject({ subscribed: true })
  })

  it('suppresses after soft bounces in a row, each mail once; one that is read in between begins anew', async () => {
    const feedback = { returnPathHost: HOST }
    const { engine, project, sink, contact } = await sent({ store: store(), feedback })
    const more = async () => {
      const before = sink.messages.length
      const mail = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: 'Hi' }
      const { answer } = await engine.sending.send(project, mail)
      const arrived = (await sink.waitFor(before + 1)).at(-1) as SunkMail
      const id = answer.emails[0]?.email ?? ''
      await until('it is so', async () => (await engine.mails.get(project, id)).email.status === 'DELIVERED')
      return { arrived, id }
    }
    const softly = async ({ arrived }: { arrived: SunkMail }, key: string) => {
      const dsn = bounceOf(arrived, [{ address: 'ada@example.org', ...FULL }], `<${key}@mx.example.net>`)
      return (await engine.feedback.read(dsn, TO_US(arrived))).outcomes
    }
    const first = await more()
    expect(await softly(first, '1')).toEqual(['changed'])
    expect(await softly(first, '1 again')).toEqual(['known'])
    await softly(await more(), '2')
    const read = await more()
    await engine.feedback.take([{ kind: 'opened', mail: { emailId: read.id }, at: new Date(), key: 'o' }])
    for (const key of ['3', '4', '5', '6']) await softly(await more(), key)
    expect((await engine.suppressions.list(project)).total).toBe(0)
    await softly(await more(), '7')
    expect(await engine.suppressions.list(project)).toMatchObject({
      items: [{ reason: 'BOUNCE', detail: expect.stringContaining('5 mails in a row') }],
    })
    // a soft bounce leaves the contact subscribed
    expect(await contact()).toMatchObject({ subscribed: true })
  })
})

it('that names one return path at many hosts, or quotes a large mail, is kept once and no longer than it is read', async () => {
  const opened = await testStore()
  const plugin = definePlugin({ name: 'memory', provides: ['store'], open: () => opened })
  const { engine, project } = await engineWithSink({ store: plugin(), secret: 'a secret of sixteen characters' })
  const mail = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
  const { answer } = await engine.sending.send(project, mail)
  const kit = kitOf(() => new Date(), { feedback: { returnPathHost: HOST } })
  const path = new ReturnPaths({ secret: Buffer.from('a secret of sixteen characters') }, kit).of(
    answer.emails[0]!.email,
  )!
  const hosts = Array.from({ length: 50 }, (_, i) => path.replace(HOST, `h${i}.example`))
  const about = { remoteAddress: '192.0.2.1', helo: 'x', tls: false, receivedAt: new Date() }
  const raw = Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), Buffer.alloc(3 * 1024 * 1024, 'x\r\n')])
  await engine.inbound.deliver({ envelope: { from: '', to: hosts }, raw, ...about })
  const lease = { token: 't', until: new Date(Date.now() + 60_000) }
  const claimed = await opened.store.inbound.claim(new Date(), lease, { messages: 9, bytes: 1e9 })
  expect(claimed.map((message) => message.raw.length)).toEqual([1024 * 1024])
})
