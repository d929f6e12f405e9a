import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine, Project } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { readRawFields } from '../support/raw-header.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const MAIL = { from: 'hello@example.com', subject: 'Hi {{ name }}', body: '<p>Dear {{ name }}</p>' }

async function send(engine: Engine, project: Project, change: object = {}): Promise<string> {
  const { answer } = await engine.sending.send(project, { to: 'ada@example.org', ...MAIL, ...change })
  return answer.emails[0]!.email
}

const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

const header = (raw: Buffer, name: string) =>
  readRawFields(raw.toString('latin1').split('\r\n\r\n', 1)[0]!).find((field) => field.name === name)?.value

function delivered(engine: Engine, project: Project, id: string) {
  return until('the mail is delivered', async () => {
    const detail = await engine.mails.get(project, id)
    return detail.email.status === 'DELIVERED' ? detail : undefined
  })
}

describe.each([STRICT])('one mail, on $name', ({ store }) => {
  it('is either sent or cancelled when both are tried at once, never both and never neither', async () => {
    const { engine, project, sink } = await engineWithSink({ store: store() })
    await engine.start()
    const due = new Date(Date.now() + 1500)
    const to = Array.from({ length: 80 }, (_, i) => `p${i}@example.org`)
    const { answer } = await engine.sending.send(project, { to, ...MAIL, scheduledFor: due.toISOString() })
    const outcomes = await Promise.all(
      answer.emails.map(async ({ email: id }, i) => {
        // the first at once, the others around the time when they are due
        const at = i === 0 ? 0 : due.getTime() - 60 + 2 * i
        await new Promise((resolve) => setTimeout(resolve, at - Date.now()))
        return engine.mails.cancel(project, id).then(
          ({ status }) => [id, status] as const,
          ({ code }) => [id, code as string] as const,
        )
      }),
    )
    const outcome = new Map(outcomes)
    const ended = await until('all have ended', async () => {
      const { items } = await engine.mails.list(project, { limit: 100 })
      return items.every(({ status }) => status !== 'QUEUED' && status !== 'SENDING') ? items : undefined
    })
    const had = sink.messages.flatMap(({ to: [address] }) => address)
    expect(new Set(had).size).toBe(had.length)
    for (const { id, to: address, status, skipReason } of ended) {
      const isCancelled = outcome.get(id) === 'SKIPPED'
      expect([status, skipReason]).toEqual(isCancelled ? ['SKIPPED', 'cancelled'] : ['DELIVERED', undefined])
      expect(had.includes(address)).toBe(!isCancelled)
    }
    expect([...outcome.values()]).toContain('SKIPPED')
    expect([...outcome.values()].filter((each) => each !== 'SKIPPED' && each !== 'CONFLICT')).toEqual([])
  })

  it('goes out at its new time, at once if that is now', async () => {
    const { engine, project, sink } = await engineWithSink({ store: store() })
    await engine.start()
    const [first, second] = [
      await send(engine, project, { scheduledFor: soon(3600) }),
      await send(engine, project, { to: 'bob@example.org', scheduledFor: soon(3600) }),
    ]
    await engine.mails.redate(project, first, { scheduledFor: new Date().toISOString() })
    const later = await engine.mails.redate(project, second, { scheduledFor: soon(2) })
    await delivered(engine, project, first)
    expect(sink.messages.map(({ to }) => to[0])).toEqual(['ada@example.org'])
    const { email } = await delivered(engine, project, second)
    expect(email.sentAt!.getTime()).toBeGreaterThanOrEqual(later.dueAt.getTime())
    expect(email.expiresAt!.getTime()).toBe(later.dueAt.getTime() + 259_200_000)
  })
})

describe(`one mail, sent again, on ${STRICT.name}`, () => {
  it('is a new mail with the same words, its own id and Message-ID, and no copies', async () => {
    const { engine, project, sink } = await engineWithSink({ store: STRICT.store() })
    await engine.start()
    const cc = ['boss@example.org']
    const id = await send(engine, project, { cc, data: { name: 'Ada' }, tags: { kind: 'welcome' } })
    await delivered(engine, project, id)
    const { answer: again, replayed } = await engine.mails.resend(project, id)
    expect(replayed).toBe(false)
    expect(again).toMatchObject({ to: 'ada@example.org', tags: { kind: 'welcome' }, sourceType: 'TRANSACTIONAL' })
    const { subject, text, messageId } = await delivered(engine, project, again.id)
    expect([subject, text]).toEqual(['Hi Ada', expect.stringContaining('Dear Ada')])
    const [first, second] = sink.messages
    expect([first!.to, second!.to]).toEqual([['ada@example.org', 'boss@example.org'], ['ada@example.org']])
    expect(header(second!.raw, 'message-id')).toBe(messageId)
    expect(header(first!.raw, 'message-id')).toBe(`<${id}@example.com>`)
    expect(header(second!.raw, 'cc')).toBeUndefined()

    const { answer: other } = await engine.mails.resend(project, id, { to: 'Eve@Example.org' })
    const detail = await delivered(engine, project, other.id)
    expect([detail.email.to, detail.subject]).toEqual(['eve@example.org', 'Hi Ada'])
    const contact = await engine.contacts.get(project, detail.email.contactId!)
    expect(contact).toMatchObject({ email: 'eve@example.org', subscribed: false, data: {} })
  })
})

describe(`what was said in the tries of a mail, on ${STRICT.name}`, () => {
  it.each([
    0, 1,
  ])('is kept with it, and nothing of the login; its bytes can be had again (%i threads)', async (threads) => {
    const auth = { user: 'me', pass: 'geheim-geheim' }
    let asked = 0
    const judge = () => (++asked === 1 ? { code: 451, message: `4.3.0 Later, ${auth.pass}` } : undefined)
    const recipients = { 'copy@example.org': { code: 550, message: '5.1.1 Nobody here' } }
    const sink = await startSmtpSink({ auth, judge, recipients, tls: 'implicit' })
    onTestFinished(() => sink.close())
    const tls = { rejectUnauthorized: false }
    const main = { name: 'main', plugin: smtp({ host: '127.0.0.1', port: sink.port, secure: true, auth, tls }) }
    const delivery = { retryDelays: [1, 1], threads }
    const { engine, project } = await engineWithSink({ store: STRICT.store(), delivery, transports: [main] })
    await engine.start()
    const id = await send(engine, project, { cc: ['copy@example.org'] })
    const { tries, email } = await delivered(engine, project, id)
    const said = (code: number, text: string, rcpt = '250 Accepted') => [
      'MAIL 250 Accepted',
      `RCPT ada@example.org ${rcpt}`,
      'RCPT copy@example.org 550 5.1.1 Nobody here',
      'DATA 354 End data with <CR><LF>.<CR><LF>',
      `message ${code} ${text}`,
    ]
    const lines = tries.map(({ conversation }) =>
      conversation?.answers.map(({ command, code, text }) => `${command} ${code} ${text}`),
    )
    expect(lines[0]).toEqual(said(451, '4.3.0 Later, [hidden]'))
    expect(lines[1]?.slice(0, 4)).toEqual(said(250, '').slice(0, 4))
    expect(lines[1]?.[4]).toMatch(/^message 250 /)
    expect(tries.map(({ transport, outcome }) => [transport, outcome])).toEqual([
      ['main', 'refused'],
      ['main', 'accepted'],
    ])
    expect(tries[0]).toMatchObject({ reason: expect.stringContaining('451 4.3.0 Later') })
    expect(tries[1]?.conversation).toMatchObject({
      host: `127.0.0.1:${sink.port}`,
      address: '127.0.0.1',
      tls: 'TLSv1.3',
    })
    expect(JSON.stringify(tries)).not.toMatch(/geheim|AUTH/)
    expect(tries[1]!.at.getTime()).toBeLessThanOrEqual(email.sentAt!.getTime())
    const [message] = sink.messages
    expect(Buffer.from(await engine.mails.raw(project, id)).toString()).toBe(message!.raw.toString())
  })
})
