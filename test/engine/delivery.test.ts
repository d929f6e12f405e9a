import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine, SendInput } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { engineWithSink, type SinkWorld, sharedWithSink, toSink } from '../support/engine.ts'
import { freePort } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>
const MAIL = {
  from: 'hello@example.com',
  subject: 'Hi {{ name }}',
  body: '<p>Dear {{ name }}</p>',
  data: { name: 'Ada' },
}

async function send(
  engine: Engine,
  project: Project,
  change: Partial<SendInput> & Pick<SendInput, 'to'>,
): Promise<string> {
  const { answer } = await engine.sending.send(project, { ...MAIL, ...change })
  return answer.emails[0]!.email
}

async function settled(engine: Engine, project: Project, id: string, status: string) {
  return until(`the mail is ${status}`, async () => {
    const detail = await engine.mails.get(project, id)
    return detail.email.status === status ? detail : undefined
  })
}

describe('delivery', () => {
  let plain: () => SinkWorld
  beforeAll(async () => {
    plain = await sharedWithSink()
  })

  it('takes a mail from acceptance to the next hop and records it', async () => {
    const { engine, project, sink } = plain()
    const id = await send(engine, project, {
      to: { name: 'Ada Lovelace', email: 'Ada@Example.org' },
      cc: ['cc@example.org'],
      bcc: 'bcc@example.org',
      reply: 'reply@example.com',
      headers: { 'X-Order': '42' },
      name: 'Shop',
    })
    const [mail] = await sink.waitFor(1)
    expect(mail!.from).toBe('hello@example.com')
    expect(mail!.to).toEqual(['ada@example.org', 'cc@example.org', 'bcc@example.org'])
    const parsed = await simpleParser(mail!.raw)
    expect(parsed.from?.text).toBe('"Shop" <hello@example.com>')
    expect(parsed.to).toMatchObject({ text: '"Ada Lovelace" <ada@example.org>' })
    expect(parsed.subject).toBe('Hi Ada')
    expect(parsed.html).toContain('<p>Dear Ada</p>')
    expect(parsed.text?.trim()).toBe('Dear Ada')
    expect(parsed.messageId).toBe(`<${id}@example.com>`)
    expect(parsed.headers.get('x-order')).toBe('42')
    expect(parsed.headers.get('feedback-id')).toContain(project.id)
    expect(parsed.replyTo?.text).toBe('reply@example.com')
    expect(mail!.raw.toString()).not.toContain('bcc@example.org')

    const detail = await settled(engine, project, id, 'DELIVERED')
    expect(detail).toMatchObject({ subject: 'Hi Ada', email: { attempts: 1, transport: 'sink' } })
    expect(detail.events.map(({ name }) => name)).toEqual(['email.sent', 'email.delivery'])
    expect(detail.events[0]!.data).toEqual({
      subject: 'Hi Ada',
      from: 'hello@example.com',
      fromName: 'Shop',
      messageId: `<${id}@example.com>`,
      emailId: id,
      templateId: null,
      campaignId: null,
      sourceType: 'TRANSACTIONAL',
      sentAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('delivers what was accepted before the engine was started', async () => {
    const { engine, project, sink } = await engineWithSink()
    await send(engine, project, { to: 'a@example.org' })
    await engine.start()
    await sink.waitFor(1)
  })

  it('makes a refused recipient a bounce: suppressed, unsubscribed, with the event', async () => {
    const { engine, project, sink } = await engineWithSink(
      {},
      { recipients: { 'nobody@example.org': { code: 550, message: '5.1.1 no such user' } } },
    )
    await engine.start()
    const id = await send(engine, project, { to: 'nobody@example.org', subscribed: true })
    const detail = await settled(engine, project, id, 'BOUNCED')
    expect(detail.events).toMatchObject([
      { name: 'email.bounce', data: { bounceType: 'Permanent', transientBounce: false } },
    ])
    expect(detail.email.error).toContain('no such user')
    const contact = await engine.contacts.get(project, detail.email.contactId!)
    expect(contact.subscribed).toBe(false)
    const names = await engine.events.names(project)
    expect(names).toContain('contact.unsubscribed')
    const { items } = await engine.suppressions.list(project, {})
    expect(items).toMatchObject([{ email: 'nobody@example.org', reason: 'BOUNCE' }])

    const again = await send(engine, project, { to: 'nobody@example.org' })
    const skipped = await settled(engine, project, again, 'SKIPPED')
    expect(skipped.email.skipReason).toBe('suppressed:BOUNCE')
    expect(sink.messages).toEqual([])
  })

  it('suppresses nobody for a policy block', async () => {
    const judge = () => ({ code: 554, message: '5.7.1 Client host blocked using zen.spamhaus.org' })
    const { engine, project } = await engineWithSink({}, { judge })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org', subscribed: true })
    const detail = await settled(engine, project, id, 'FAILED')
    const diagnostic = '554 5.7.1 Client host blocked using zen.spamhaus.org'
    const data = { bounceType: 'Transient', bounceClass: 'policy', bounceStatus: '5.7.1', diagnostic }
    expect(detail.events).toMatchObject([{ name: 'email.bounce', data }])
    expect((await engine.suppressions.list(project, {})).items).toEqual([])
    expect((await engine.contacts.get(project, detail.email.contactId!)).subscribed).toBe(true)
  })

  it('suppresses at once only for an address that does not exist, whatever the code and wherever it is said', async () => {
    const replies = {
      full: [552, 'Requested mail action aborted: exceeded storage allocation'],
      quota: [522, '5.7.10 Over quota'],
      mailbox: [550, '5.2.0 mailbox is full'],
      rate: [550, '5.2.1 The user you are trying to contact is receiving mail at a rate that prevents it'],
      nested: [550, "5.1.0 - Unknown address error 550-'5.2.2 <nested@example.org>... Mailbox Full'"],
      unclear: [554, 'Transaction failed'],
      protocol: [550, 'Protocol violation'],
      callout: [550, 'Callout verification failed'],
      frequency: [550, 'Ip frequency limited'],
      orange: [550, 'Service refuse. OFR_506 [506]'],
      hosts: [553, "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
      'gone.exim': [550, 'Unrouteable address'],
      'gone.microsoft': [550, '5.4.1 Recipient address rejected: Access denied'],
      'gone.outlook': [550, '5.5.0 Requested action not taken: mailbox unavailable'],
      'gone.yahoo': [554, 'delivery error: dd Not a valid recipient - mta1.example.com'],
    } as const
    const recipients = Object.entries(replies).map(([name, [code, message]]) => {
      return [`${name}@example.org`, { code, message }] as const
    })
    const sandbox = { code: 554, message: 'Message rejected: Email address is not verified.' }
    const { engine, project } = await engineWithSink(
      {},
      { recipients: Object.fromEntries(recipients), judge: () => sandbox },
    )
    await engine.start()
    const names = [...Object.keys(replies), 'sandbox']
    await Promise.all(
      names.map(async (name) => {
        const id = await send(engine, project, { to: `${name}@example.org`, subscribed: true })
        const isGone = name.startsWith('gone')
        const { email, events } = await settled(engine, project, id, isGone ? 'BOUNCED' : 'FAILED')
        expect(events).toMatchObject([{ data: { bounceType: isGone ? 'Permanent' : 'Transient' } }])
        expect(email.attempts).toBe(1)
        const [code, message] = name === 'sandbox' ? [554, sandbox.message] : replies[name as keyof typeof replies]
        expect(email.error).toBe(`${code} ${message}`)
        expect((await engine.contacts.get(project, email.contactId!)).subscribed).toBe(!isGone)
      }),
    )
    const { items } = await engine.suppressions.list(project, {})
    const gone = names.filter((name) => name.startsWith('gone')).map((name) => `${name}@example.org`)
    expect(items.map(({ email }) => email).toSorted()).toEqual(gone.toSorted())
  })

  it('counts refusals for good that are unclear among the soft bounces, and those for our sake not', async () => {
    const { engine, project } = await engineWithSink(
      {},
      {
        recipients: {
          'full@example.org': { code: 552, message: '5.2.2 Mailbox full' },
          'blocked@example.org': { code: 550, message: '5.7.1 blocked for its reputation' },
        },
      },
    )
    await engine.start()
    for (const to of ['blocked@example.org', 'full@example.org'].flatMap((to) => Array<string>(5).fill(to))) {
      expect((await engine.suppressions.list(project, {})).items).toEqual([])
      await settled(engine, project, await send(engine, project, { to, subscribed: true }), 'FAILED')
    }
    const listed = async () => (await engine.suppressions.list(project, {})).items
    await until('the series is full', async () => (await listed()).length > 0)
    expect(await listed()).toMatchObject([
      { email: 'full@example.org', detail: expect.stringContaining('5 mails in a') },
    ])
  })

  it('tries again after a temporary refusal, with the same Message-ID', async () => {
    let tries = 0
    const judge = () => (++tries === 1 ? { code: 451, message: '4.7.1 greylisted' } : undefined)
    const { engine, project, sink } = await engineWithSink({ delivery: { retryDelays: [0.2, 0.2] } }, { judge })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org' })
    const detail = await settled(engine, project, id, 'DELIVERED')
    expect(detail.email.attempts).toBe(2)
    expect(sink.messages[0]!.raw.toString()).toContain(`Message-ID: <${id}@example.com>`)
  })

  it('gives up when the pauses are used up, as a soft bounce', async () => {
    const judge = () => ({ code: 451, message: '4.3.0 later' })
    const { engine, project } = await engineWithSink({ delivery: { retryDelays: [0.05, 0.05] } }, { judge })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org', subscribed: true })
    const detail = await settled(engine, project, id, 'FAILED')
    expect(detail.email.attempts).toBe(3)
    expect(detail.events).toMatchObject([
      { name: 'email.bounce', data: { bounceType: 'Transient', transientBounce: true } },
    ])
    expect((await engine.contacts.get(project, detail.email.contactId!)).subscribed).toBe(true)
  })

  it('sends a copy that was put off only to those who lack it', async () => {
    const sink = await startSmtpSink({ recipients: { 'cc@example.org': { code: 451, message: '4.2.0 busy' } } })
    const { engine, project } = await engineWithSink({
      transports: [toSink(sink)],
      delivery: { retryDelays: [0.2] },
    })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org', cc: ['cc@example.org'] })
    await settled(engine, project, id, 'DELIVERED')
    await sink.close()
    expect(sink.messages.map(({ to }) => to)).toEqual([['a@example.org']])
  })

  it('takes the next transport when the first cannot be reached', async () => {
    const second = await startSmtpSink()
    const down = smtp({ host: '127.0.0.1', port: await freePort() })
    const { engine, project } = await engineWithSink({
      transports: [{ name: 'down', plugin: down }, toSink(second, 'second')],
    })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org' })
    const detail = await settled(engine, project, id, 'DELIVERED')
    await second.close()
    expect(detail.email.transport).toBe('second')
  })

  it('does not ask the next transport about a recipient who is no good', async () => {
    const first = await startSmtpSink({ recipients: { 'a@example.org': { code: 550, message: '5.1.1 no such user' } } })
    const second = await startSmtpSink()
    const { engine, project } = await engineWithSink({ transports: [toSink(first, 'first'), toSink(second, 'second')] })
    await engine.start()
    const id = await send(engine, project, { to: 'a@example.org' })
    const detail = await settled(engine, project, id, 'BOUNCED')
    await Promise.all([first.close(), second.close()])
    expect(detail.email.transport).toBe('first')
    expect(second.messages).toEqual([])
  })

  it('holds a scheduled mail until its time', async () => {
    const { engine, project, sink } = plain()
    const dueAt = Date.now() + 700
    const id = await send(engine, project, { to: 'a@example.org', scheduledFor: new Date(dueAt).toISOString() })
    expect((await engine.mails.get(project, id)).email.status).toBe('QUEUED')
    await sink.waitFor(1)
    expect(Date.now()).toBeGreaterThanOrEqual(dueAt)
  })

  it('skips a mail whose contact was removed meanwhile', async () => {
    const { engine, project, sink } = await engineWithSink()
    const id = await send(engine, project, { to: 'a@example.org' })
    const { email } = await engine.mails.get(project, id)
    await engine.contacts.remove(project, email.contactId!)
    await engine.start()
    expect((await settled(engine, project, id, 'SKIPPED')).email.skipReason).toBe('contact-removed')
    expect(sink.messages).toEqual([])
  })

  it('never sends a scheduled or put off mail of a contact that was removed, nor a test', async () => {
    const { engine, project, sink } = await engineWithSink()
    const scheduledFor = new Date(Date.now() + 300).toISOString()
    const id = await send(engine, project, { to: 'a@example.org', scheduledFor })
    const { email } = await engine.mails.get(project, id)
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'News', subject: 'Hi', body: '<p>Hi</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    await engine.campaigns.test(project, campaign.id, { email: 'a@example.org' })
    await engine.contacts.remove(project, email.contactId!)
    await engine.start()
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(sink.messages).toEqual([])
    const { items } = await engine.mails.list(project, {})
    expect(items.map(({ to, status, skipReason }) => ({ to, status, skipReason }))).toEqual(
      Array(2).fill({ to: 'deleted', status: 'SKIPPED', skipReason: 'contact-removed' }),
    )
  })

  it('refuses a mail that breaks a render limit with what the contact has stored, and keeps nothing', async () => {
    const { engine, project } = plain()
    const list = Array.from({ length: 1000 }, () => 'x'.repeat(50))
    await engine.contacts.upsert(project, { email: 'a@example.org', data: { list } })
    const body = '{% for a in list %}{% for b in list %}{{ b }}{% endfor %}{% endfor %}'
    const refused = send(engine, project, { to: 'a@example.org', body })
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field: 'body', code: 'too_big' }],
    })
    expect((await engine.mails.list(project, {})).total).toBe(0)
  })

  it('shows the mail as it was sent, whatever changed since', async () => {
    const { engine, project, sink } = plain()
    const body = '<p>{{ subscribed }} {% if subscribed %}yes{% else %}no{% endif %} {{ plan }}</p>'
    const id = await send(engine, project, { to: 'a@example.org', body, subscribed: true, data: { plan: 'pro' } })
    const { email } = await settled(engine, project, id, 'DELIVERED')
    await engine.contacts.change(project, email.contactId!, { subscribed: false, data: { plan: 'free' } })
    expect((await engine.mails.get(project, id)).html).toBe('<p>true yes pro</p>')
    expect((await simpleParser(sink.messages[0]!.raw)).html).toContain('true yes pro')
  })
})

describe('two engines in one process', () => {
  it('never meet: neither data nor mail of one is seen by the other', async () => {
    const one = await engineWithSink()
    const two = await engineWithSink()
    await Promise.all([one.engine.start(), two.engine.start()])
    await send(one.engine, one.project, { to: 'one@example.org' })
    await send(two.engine, two.project, { to: 'two@example.org' })
    await Promise.all([one.sink.waitFor(1), two.sink.waitFor(1)])
    expect(one.sink.messages.map(({ to }) => to[0])).toEqual(['one@example.org'])
    expect(two.sink.messages.map(({ to }) => to[0])).toEqual(['two@example.org'])
    expect((await one.engine.contacts.list(one.project, {})).items.map(({ email }) => email)).toEqual([
      'one@example.org',
    ])
    await one.engine.stop()
    await send(two.engine, two.project, { to: 'still@example.org' })
    await two.sink.waitFor(2)
  })
})

describe('stopping', () => {
  it('lets mail under way end and keeps the rest for the next start', async () => {
    const { engine, project, sink } = await engineWithSink()
    await engine.start()
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, i) => send(engine, project, { to: `u${i}@example.org` })),
    )
    await sink.waitFor(1)
    await engine.stop()
    const sent = sink.messages.length
    expect(new Set(sink.messages.map(({ to }) => to[0])).size).toBe(sent)
    expect(sent).toBeLessThanOrEqual(ids.length)
  })
})
