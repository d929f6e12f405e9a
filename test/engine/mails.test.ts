import { describe, expect, it } from 'vitest'
import type { Engine, Project } from '../../config/library.ts'
import { engineWithSink } from '../support/engine.ts'
import { STORES, STRICT } from '../support/matrix.ts'
import { readRawFields } from '../support/raw-header.ts'
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

describe.each(STORES)('one mail, on $name', ({ store }) => {
  it('is either sent or cancelled when both are tried at once, never both and never neither', async () => {
    const { engine, project, sink } = await engineWithSink({ store: store() })
    await engine.start()
    const outcomes = await Promise.all(
      Array.from({ length: 80 }, async (_, i) => {
        const id = await send(engine, project, { to: `p${i}@example.org` })
        await new Promise((resolve) => setTimeout(resolve, i % 10))
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
    expect([...new Set(outcome.values())].toSorted()).toEqual(['CONFLICT', 'SKIPPED'])
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
