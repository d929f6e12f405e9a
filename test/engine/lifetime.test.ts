import { describe, expect, it } from 'vitest'
import type { Engine } from '../../config/library.ts'
import { engineWithSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>
const BUSY = { code: 421, message: '4.7.0 Too busy, come back tomorrow' }
const LONG = 20_000
const NEWS = {
  name: 'News',
  subject: 'News',
  body: '<p>News</p>',
  from: 'hello@example.com',
  audienceType: 'ALL',
} as const

async function send(engine: Engine, project: Project, to: string, change: object = {}): Promise<string> {
  const mail = { to, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>', ...change }
  return (await engine.sending.send(project, mail)).answer.emails[0]!.email
}

function failed(engine: Engine, project: Project, id: string) {
  const ended = async () => {
    const detail = await engine.mails.get(project, id)
    return detail.email.status === 'FAILED' ? detail : undefined
  }
  return until(`the mail has FAILED`, ended, LONG)
}

const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

describe.each([QUICK])('the lifetime of mail, on $name', ({ store }) => {
  it('ends mail that is put off for ever, with the last reason and a soft bounce, also what was never tried', async () => {
    const delivery = { expireAfter: 3, retryDelays: [60, 60, 60] }
    const { engine, project, sink } = await engineWithSink({ store: store(), delivery }, { judge: () => BUSY })
    await engine.start()
    const begun = Date.now()
    // The first is answered 421, so that its domain is paused and the others wait without a try.
    const first = await send(engine, project, 'first@busy.example')
    await until('it was tried', async () => (await engine.mails.get(project, first)).email.error)
    const others = await Promise.all(['b', 'c', 'd'].map((name) => send(engine, project, `${name}@busy.example`)))
    for (const id of [first, ...others]) {
      const { email, events } = await failed(engine, project, id)
      expect(email.error).toMatch(/^expired: .*421 4\.7\.0 Too busy, come back tomorrow$/)
      expect(events).toMatchObject([{ name: 'email.bounce', data: { bounceType: 'Transient', transientBounce: true } }])
      expect(email.updatedAt.getTime()).toBeGreaterThanOrEqual(email.createdAt.getTime() + 3000)
    }
    expect(Date.now() - begun).toBeLessThan(15_000)
    const tries = others.map(async (id) => (await engine.mails.get(project, id)).email.attempts)
    expect(Math.min(...(await Promise.all(tries)))).toBeLessThanOrEqual(1)
    expect(sink.messages).toHaveLength(0)
  })

  it('ends a campaign to a domain that defers for ever', async () => {
    const delivery = { expireAfter: 4, retryDelays: [60, 60, 60] }
    const { engine, project, sink } = await engineWithSink(
      { store: store(), delivery },
      { judge: ({ to }) => (to[0]!.endsWith('@busy.example') ? BUSY : undefined) },
    )
    await engine.start()
    for (let i = 0; i < 30; i++) {
      const domain = i % 10 === 0 ? 'good.example' : 'busy.example'
      await engine.contacts.upsert(project, { email: `p${i}@${domain}`, subscribed: true })
    }
    const { id } = (await engine.campaigns.create(project, NEWS)).campaign
    await engine.campaigns.send(project, id, {})
    const status = async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT'
    await until('the campaign is SENT', status, LONG)
    expect(await engine.campaigns.stats(project, id, {})).toMatchObject({ sent: 3, failed: 27, queued: 0 })
    expect(sink.messages).toHaveLength(3)
  })
})

describe('the lifetime of mail', () => {
  it('ends at its own expiresAt while it waits for a retry, a slot, or its time', async () => {
    let slow = 0
    const { engine, project, sink } = await engineWithSink(
      { delivery: { retryDelays: [60], throttle: { transports: { sink: { connections: 1 } } } } },
      {
        recipients: { 'later@example.org': { code: 451, message: '4.2.0 Mailbox busy' } },
        server: {
          onData(stream, _session, callback) {
            slow++
            stream.resume()
            stream.on('end', () => setTimeout(callback, 2_500))
          },
        },
      },
    )
    await engine.start()
    const later = await send(engine, project, 'later@example.org', { expiresAt: soon(1.5) })
    await until('it was tried', async () => (await engine.mails.get(project, later)).email.error)
    await send(engine, project, 'slow@example.org')
    await until('the only slot is taken', () => slow === 1)
    const behind = await send(engine, project, 'behind@example.org', { expiresAt: soon(1) })
    const scheduled = { scheduledFor: soon(0.5), expiresAt: soon(1.2) }
    const tardy = await send(engine, project, 'tardy@example.org', scheduled)
    expect((await failed(engine, project, later)).email.error).toBe('expired: 451 4.2.0 Mailbox busy')
    for (const id of [behind, tardy]) {
      const { email } = await failed(engine, project, id)
      expect(email.error).toBe('expired: it waited for its turn')
    }
    expect(slow).toBe(1)
    expect(sink.messages.length).toBeLessThanOrEqual(1)
  })

  it('begins when the mail was to be sent first', async () => {
    const { engine, project, sink } = await engineWithSink({ delivery: { expireAfter: 2 } })
    await engine.start()
    await send(engine, project, 'ada@example.org', { scheduledFor: soon(3) })
    await sink.waitFor(1)
  })

  it('does not run while a campaign is paused', async () => {
    let isClosed = true
    const { engine, project, sink } = await engineWithSink(
      { delivery: { expireAfter: 3, retryDelays: [1, 1, 1, 1, 1, 1] } },
      { judge: () => (isClosed ? { code: 451, message: '4.2.0 Mailbox busy' } : undefined) },
    )
    await engine.start()
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
    const { id } = (await engine.campaigns.create(project, NEWS)).campaign
    await engine.campaigns.send(project, id, {})
    const mail = async () => (await engine.mails.list(project, { campaignId: id })).items[0]
    await until('it was tried', async () => (await mail())?.error)
    await engine.campaigns.pause(project, id)
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect(await mail()).toMatchObject({ status: 'QUEUED' })
    isClosed = false
    await engine.campaigns.resume(project, id)
    await sink.waitFor(1)
  })
})
