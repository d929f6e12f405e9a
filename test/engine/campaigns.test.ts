import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type EmailStatus, type Engine, type GivenSettings, type Project } from '../../config/library.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink, type SinkWorld, sharedWithSink, toSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { isStrictSwapped, isSwapped, QUICK, STRICT } from '../support/matrix.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const CAMPAIGN = {
  name: 'News',
  subject: 'News for {{ name }}',
  body: '<p>Dear {{ name }}, your number is {{ number }}.</p>',
  from: 'news@example.com',
  fromName: 'The News',
  audienceType: 'ALL',
} as const
/** A connection of the sink that takes its time: mails are on their way when the campaign is stopped. */
const SLOW: SmtpSinkOptions = {
  server: { onRcptTo: (_address, _session, done) => void setTimeout(() => done(), 25) },
}
/** The sink has so many connections at most. */
const CONNECTIONS = 5
const LONG = 60_000

async function importContacts(engine: Engine, project: Project, count: number, prefix = 'p'): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => `${prefix}${i}@example.org,${prefix.toUpperCase()}${i},${i}`)
  const file = Buffer.from(['email,name,number', ...rows].join('\n'))
  const { answer } = await engine.contacts.jobs.import(project, { file })
  await until(
    'the contacts are there',
    async () => {
      const job = await engine.contacts.jobs.get(project, 'import', answer.jobId)
      return job.state === 'completed'
    },
    LONG,
  )
}

async function campaign(engine: Engine, project: Project, change: object = {}): Promise<string> {
  return (await engine.campaigns.create(project, { ...CAMPAIGN, ...change })).campaign.id
}

const statusOf = async (engine: Engine, project: Project, id: string) =>
  (await engine.campaigns.get(project, id)).campaign.status

function reached(engine: Engine, project: Project, id: string, status: string): Promise<unknown> {
  return until(`the campaign is ${status}`, async () => (await statusOf(engine, project, id)) === status, LONG)
}

/** Waits until no mail of the campaign is in work. */
function landed(engine: Engine, project: Project, id: string): Promise<unknown> {
  return until(
    'nothing is in flight',
    async () => {
      const { items } = await engine.campaigns.recipients(project, id, { status: 'SENDING', limit: 1 })
      return items.length === 0
    },
    LONG,
  )
}

const addressees = (sink: SmtpSink) => sink.messages.map(({ to }) => to.join()).sort()
const numbered = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}@example.org`).sort()

for (const { name, store } of [STRICT]) {
  describe(`campaigns on ${name}`, () => {
    const settings = (): GivenSettings => ({ store: store() })
    let quick: () => SinkWorld
    let slow: () => SinkWorld
    beforeAll(async () => {
      quick = await sharedWithSink(settings())
      slow = await sharedWithSink(settings(), SLOW)
    })

    it('bring everybody a mail of their own, once', { timeout: 120_000 }, async () => {
      const { engine, project, sink } = quick()
      await importContacts(engine, project, 120)
      await engine.contacts.upsert(project, { email: 'gone@example.org', subscribed: false })
      await engine.contacts.upsert(project, { email: 'bad@example.org' })
      await engine.suppressions.add(project, { email: 'bad@example.org' })
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(numbered(120))
      const one = await simpleParser(sink.messages.find(({ to }) => to[0] === 'p113@example.org')!.raw)
      expect(one).toMatchObject({ subject: 'News for P113', from: { text: '"The News" <news@example.com>' } })
      expect(one.html).toContain('Dear P113, your number is 113.')
      expect(one.headers.get('precedence')).toBe('bulk')
      expect(await engine.campaigns.stats(project, id, {})).toMatchObject({
        ...{ totalRecipients: 120, queued: 0, sent: 120, delivered: 120, failed: 0, bounced: 0, deliveryRate: 100 },
        skipped: { unsubscribed: 1, suppressed: 1, paused: 0, topic: 0, contactRemoved: 0, cancelled: 0 },
      })
      const { campaign: sent } = await engine.campaigns.get(project, id)
      expect(sent.sentAt!.getTime()).toBeGreaterThanOrEqual(sent.startedAt!.getTime())
    })

    it('go to static and dynamic segments and to filtered contacts', async () => {
      const { engine, project, sink } = quick()
      for (const [who, plan] of [
        ['a', 'pro'],
        ['b', 'pro'],
        ['c', 'free'],
      ] as const) {
        await engine.contacts.upsert(project, { email: `${who}@example.org`, data: { plan, name: who } })
      }
      const pro = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
      const dynamic = await engine.segments.create(project, { name: 'Pro', filters: pro })
      const list = await engine.segments.create(project, { name: 'List', type: 'STATIC' })
      await engine.segments.addMembers(project, list.id, { emails: ['c@example.org', 'a@example.org'] })
      const free = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'notEquals', value: 'pro' }] }
      const audiences = [
        [{ audienceType: 'SEGMENT', segmentId: dynamic.id }, ['a@example.org', 'b@example.org']],
        [{ audienceType: 'SEGMENT', segmentId: list.id }, ['a@example.org', 'c@example.org']],
        [{ audienceType: 'FILTERED', audienceFilter: free }, ['c@example.org']],
        [{ audienceType: 'ALL' }, ['a@example.org', 'b@example.org', 'c@example.org']],
      ] as const
      for (const [audience, expected] of audiences) {
        const id = await campaign(engine, project, audience)
        await engine.campaigns.send(project, id, {})
        await reached(engine, project, id, 'SENT')
        expect(addressees(sink)).toEqual(expected)
        sink.clear()
      }
    })

    // a busy machine may look for mail to send only after each page was written
    it('are written as claimed as far as mail is taken at once, and their size is known before', {
      retry: 3,
    }, async () => {
      const plugin = store()
      let claimed = 0
      const watched = {
        ...plugin,
        async open(kit: Parameters<typeof plugin.open>[0]) {
          const opened = await plugin.open(kit)
          const { emails } = opened.store
          const claimDue = emails.claimDue.bind(emails)
          emails.claimDue = async (...given) => {
            const got = await claimDue(...given)
            claimed += got.length
            return got
          }
          return opened
        },
      }
      const { engine, project, sink } = await engineWithSink({ store: watched })
      await engine.start()
      await importContacts(engine, project, 900)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(numbered(900))
      expect(claimed).toBeLessThan(900)
      const { campaign: sent } = await engine.campaigns.get(project, id)
      expect(sent.fanOut).toMatchObject({ done: true, expected: 900, recipients: 900 })
      const { items } = await engine.campaigns.recipients(project, id, { limit: 1 })
      expect(await engine.mails.get(project, items[0]!.id)).toMatchObject({
        email: { attempts: 1, status: 'DELIVERED' },
      })
    })

    it('are one set of mails when they are sent several times at once', async () => {
      const { engine, project, sink } = quick()
      await importContacts(engine, project, 30)
      const id = await campaign(engine, project)
      const sends = await Promise.allSettled(Array.from({ length: 6 }, () => engine.campaigns.send(project, id, {})))
      const refused = sends.flatMap((send) => (send.status === 'rejected' ? [send.reason.code] : []))
      expect(refused).toEqual(Array(5).fill('CONFLICT'))
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(numbered(30))
    })

    it('stop at once when they are cancelled', { timeout: 120_000 }, async () => {
      const { engine, project, sink } = slow()
      await importContacts(engine, project, 250)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await sink.waitFor(30, 30)
      const cancelled = await engine.campaigns.cancel(project, id)
      const then = sink.messages.length
      expect(cancelled.campaign.status).toBe('CANCELLED')
      const stats = () => engine.campaigns.stats(project, id, {})
      await until('nothing of it waits', async () => (await stats()).queued === 0, LONG)
      expect(sink.messages.length).toBeLessThanOrEqual(then + CONNECTIONS)
      expect(sink.messages.length).toBeLessThan(250)
      const { totalRecipients, sent, skipped } = await stats()
      expect(sent).toBe(sink.messages.length)
      expect(sent + skipped.cancelled).toBe(totalRecipients)
      expect(await statusOf(engine, project, id)).toBe('CANCELLED')
      await expect(engine.campaigns.resume(project, id)).rejects.toMatchObject({ code: 'CONFLICT' })
    })

    it('hold when they are paused and go on when they are resumed', { timeout: 120_000 }, async () => {
      const { engine, project, sink } = slow()
      await importContacts(engine, project, 110)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await sink.waitFor(40, 30)
      await engine.campaigns.pause(project, id)
      const then = sink.messages.length
      await landed(engine, project, id)
      expect(sink.messages.length).toBeLessThanOrEqual(then + CONNECTIONS)
      expect(await statusOf(engine, project, id)).toBe('PAUSED')
      await engine.campaigns.resume(project, id)
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(numbered(110))
    })

    it('leave out who unsubscribed, or was removed, on the way', { timeout: 120_000 }, async () => {
      const { engine, project, sink } = slow()
      await importContacts(engine, project, 120)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await until('all of it is in the ledger', async () => {
        const { campaign: found } = await engine.campaigns.get(project, id)
        return found.fanOut?.done
      })
      await engine.campaigns.pause(project, id)
      await landed(engine, project, id)
      const { items } = await engine.campaigns.recipients(project, id, { status: 'QUEUED', limit: 2 })
      const [leaves, goes] = items
      await engine.contacts.change(project, leaves!.contactId!, { subscribed: false })
      await engine.contacts.remove(project, goes!.contactId!)
      await engine.campaigns.send(project, id, {})
      await reached(engine, project, id, 'SENT')
      const gone = new Set([leaves!.to, goes!.to])
      expect(addressees(sink)).toEqual(numbered(120).filter((address) => !gone.has(address)))
      expect(await engine.campaigns.stats(project, id, {})).toMatchObject({
        ...{ totalRecipients: 120, sent: 118, queued: 0 },
        skipped: { unsubscribed: 1, contactRemoved: 1 },
      })
      const skipped = await engine.campaigns.recipients(project, id, { status: 'SKIPPED' })
      expect(skipped.items.map(({ skipReason }) => skipReason).sort()).toEqual(['contact-removed', 'unsubscribed'])
    })

    it('do not go to contacts who came after them, nor to who matches a filter only then', async () => {
      const { engine, project, sink } = await engineWithSink(settings())
      await importContactsBefore(engine, project)
      const pro = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
      const segment = await engine.segments.create(project, { name: 'Pro', filters: pro })
      const id = await campaign(engine, project, { audienceType: 'SEGMENT', segmentId: segment.id })
      await engine.campaigns.send(project, id, {})
      // nothing is written before the engine starts: all of this comes in the middle of the fan-out
      await engine.contacts.upsert(project, { email: 'late@example.org', data: { plan: 'pro' } })
      const free = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'free' }] } as const
      await engine.segments.change(project, segment.id, { filters: free })
      await engine.start()
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(['a@example.org', 'b@example.org'])
    })

    it('leave no mail waiting when they are removed while they are paused', async () => {
      const { engine, project, sink } = slow()
      await importContacts(engine, project, 110)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await sink.waitFor(10, 30)
      await engine.campaigns.pause(project, id)
      await engine.campaigns.remove(project, id)
      const list = (status: EmailStatus) => engine.mails.list(project, { campaignId: id, status, limit: 1 })
      await until(
        'nothing waits',
        async () => {
          const open = [await list('QUEUED'), await list('SENDING')]
          return open.every(({ items }) => items.length === 0)
        },
        LONG,
      )
      const [sent, skipped] = [await list('DELIVERED'), await list('SKIPPED')]
      expect(sent.total).toBe(sink.messages.length)
      expect(skipped.items[0]).toMatchObject({ skipReason: 'campaign-cancelled' })
    })

    it('send again what failed, to nobody else', async () => {
      let isClosed = true
      const judge: SmtpSinkOptions['judge'] = ({ to }) =>
        isClosed && !to.includes('p0@example.org') ? { code: 554, message: '5.7.1 Client host blocked' } : undefined
      const { engine, project, sink } = await engineWithSink(settings(), { judge })
      await engine.start()
      await importContacts(engine, project, 8)
      const id = await campaign(engine, project)
      await engine.campaigns.send(project, id, {})
      await reached(engine, project, id, 'SENT')
      expect(await engine.campaigns.stats(project, id, {})).toMatchObject({ sent: 1, failed: 7, queued: 0 })
      isClosed = false
      expect(await engine.campaigns.retryFailed(project, id)).toEqual({ retried: 7 })
      await reached(engine, project, id, 'SENT')
      expect(addressees(sink)).toEqual(numbered(8))
      expect(await engine.campaigns.stats(project, id, {})).toMatchObject({ sent: 8, failed: 0 })
      expect(await engine.campaigns.retryFailed(project, id)).toEqual({ retried: 0 })
      expect(await statusOf(engine, project, id)).toBe('SENT')
    })
  })
}

// Nothing of this is decided by the store, whose contract tests run on both.
describe.skipIf(isSwapped)('campaigns', () => {
  let plain: () => SinkWorld
  beforeAll(async () => {
    plain = await sharedWithSink()
  })

  it('copy of their recipients only the data their words ask for, where that can be told', async () => {
    const { engine, project, sink } = await engineWithSink({ publicUrl: 'https://mail.example.net' })
    await engine.start()
    const data = { name: 'Ada', number: 7, plan: { level: 'pro' }, secret: 'x', locale: 'de' }
    await engine.contacts.upsert(project, { email: 'ada@example.org', data })
    const told = { name: 'Ada', number: 7, locale: 'de', subscribed: true }
    const everything = { ...data, subscribed: true }
    const link = '<a href="https://a.example/{{ number }}">{{ data.name }}</a>'
    const cases = [
      [link, told],
      [`{{ data['plan'].level }}${link}`, everything],
      [`{% if plan.level == 'pro' %}{{ name }}{% endif %}`, everything],
      ['{{ data }}', everything],
      ['{{ data.plan.level }}', { name: 'Ada', plan: data.plan, locale: 'de', subscribed: true }],
    ] as const
    for (const [body, expected] of cases) {
      const id = await campaign(engine, project, { body })
      await engine.campaigns.send(project, id, {})
      await reached(engine, project, id, 'SENT')
      const { items } = await engine.campaigns.recipients(project, id, {})
      expect({ body, variables: items[0]?.variables }).toEqual({ body, variables: expected })
    }
    const { html } = await simpleParser(sink.messages[0]!.raw)
    expect(html).toContain('>Ada</a>')
    expect(html).toContain('Abmelden')
  })

  it('start at their time', async () => {
    const { engine, project, sink } = plain()
    await engine.contacts.upsert(project, { email: 'a@example.org' })
    const id = await campaign(engine, project)
    const at = new Date(Date.now() + 1500)
    await engine.campaigns.send(project, id, { scheduledFor: at.toISOString() })
    expect((await engine.campaigns.get(project, id)).campaign).toMatchObject({ status: 'SCHEDULED', scheduledAt: at })
    await reached(engine, project, id, 'SENT')
    expect(sink.messages.length).toBe(1)
    const { campaign: sent } = await engine.campaigns.get(project, id)
    expect(sent.scheduledAt).toEqual(at)
    expect(sent.startedAt!.getTime()).toBeGreaterThanOrEqual(at.getTime())
  })

  it('are paused when they could not start for long, and when they cannot start at all', async () => {
    const clock = new SettableClock()
    const { engine, project, sink } = await engineWithSink({ clock })
    await engine.contacts.upsert(project, { email: 'a@example.org' })
    await engine.contacts.upsert(project, { email: 'b@example.org', data: { plan: 'pro' } })
    const [overdue, late] = [await campaign(engine, project), await campaign(engine, project)]
    const pro = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
    const empty = await campaign(engine, project, { audienceType: 'FILTERED', audienceFilter: pro })
    const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000).toISOString()
    await engine.campaigns.send(project, overdue, { scheduledFor: inMinutes(5) })
    await engine.campaigns.send(project, late, { scheduledFor: inMinutes(50) })
    await engine.campaigns.send(project, empty, { scheduledFor: inMinutes(50) })
    await engine.contacts.upsert(project, { email: 'b@example.org', data: { plan: 'free' } })
    clock.advance(70 * 60)
    await engine.start()
    await reached(engine, project, late, 'SENT')
    await reached(engine, project, overdue, 'PAUSED')
    await reached(engine, project, empty, 'PAUSED')
    const reason = async (id: string) => (await engine.campaigns.get(project, id)).campaign.statusReason
    expect(await reason(overdue)).toContain('time')
    expect(await reason(empty)).toContain('No contact in the audience')
    expect(sink.messages.length).toBe(2)
    await engine.campaigns.resume(project, overdue)
    await reached(engine, project, overdue, 'SENT')
    expect(sink.messages.length).toBe(4)
    expect(await reason(overdue)).toBeUndefined()
  })

  it('try again what was put off', async () => {
    const seen = new Set<string>()
    const judge: SmtpSinkOptions['judge'] = ({ to }) => {
      if (seen.has(to.join())) return undefined
      seen.add(to.join())
      return { code: 451, message: '4.7.1 greylisted' }
    }
    const { engine, project, sink } = await engineWithSink({ delivery: { retryDelays: [0.2] } }, { judge })
    await engine.start()
    await importContacts(engine, project, 20)
    const id = await campaign(engine, project)
    await engine.campaigns.send(project, id, {})
    await reached(engine, project, id, 'SENT')
    expect(addressees(sink)).toEqual(numbered(20))
  })

  it('have FAILED when none of their mails could be sent, and bounces are no failure', async () => {
    let reply = { code: 554, message: '5.7.1 Client host blocked' }
    const { engine, project } = await engineWithSink({}, { judge: () => reply })
    await engine.start()
    await importContacts(engine, project, 3)
    const failing = await campaign(engine, project)
    await engine.campaigns.send(project, failing, {})
    await reached(engine, project, failing, 'FAILED')
    reply = { code: 550, message: '5.1.1 no such user' }
    const bouncing = await campaign(engine, project)
    await engine.campaigns.send(project, bouncing, {})
    await reached(engine, project, bouncing, 'SENT')
    expect(await engine.campaigns.stats(project, bouncing, {})).toMatchObject({
      ...{ totalRecipients: 3, queued: 0, sent: 0, bounced: 3, bounceRate: 100, openRate: 0 },
    })
  })

  it('are tried on one address, which need not be a contact', async () => {
    const { engine, project, sink } = plain()
    await engine.contacts.upsert(project, { email: 'a@example.org', subscribed: false, data: { name: 'Ada' } })
    const id = await campaign(engine, project)
    await engine.campaigns.test(project, id, { email: 'A@Example.org' })
    await engine.campaigns.test(project, id, { email: 'nobody@example.org' })
    // filled in for another contact, whom the links of a test must not unsubscribe
    const ada = await engine.contacts.upsert(project, { email: 'a@example.org' })
    await engine.campaigns.test(project, id, { email: 'other@example.org', contactId: ada.contact.id })
    for (const contactId of ['0190a000-0000-7000-8000-000000000000', 'x']) {
      const refused = engine.campaigns.test(project, id, { email: 'other@example.org', contactId })
      await expect(refused).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' })
    }
    const mails = await sink.waitFor(3)
    const parsed = await Promise.all(mails.map(({ raw }) => simpleParser(raw)))
    expect(parsed.map(({ subject }) => subject).sort()).toEqual([
      '[TEST] News for ',
      '[TEST] News for Ada',
      '[TEST] News for Ada',
    ])
    expect((await engine.contacts.list(project, {})).total).toBe(1)
    expect(await engine.campaigns.stats(project, id, {})).toMatchObject({ totalRecipients: 0, sent: 0 })
    expect(await statusOf(engine, project, id)).toBe('DRAFT')
    const { items } = await engine.mails.list(project, {})
    expect(items.map(({ to, lane }) => [to, lane]).sort()).toEqual([
      ['a@example.org', 'transactional'],
      ['nobody@example.org', 'transactional'],
      ['other@example.org', 'transactional'],
    ])
    expect(items.find(({ to }) => to === 'other@example.org')?.contactId).toBeUndefined()
  })
})

async function importContactsBefore(engine: Engine, project: Project): Promise<void> {
  for (const who of ['a', 'b'])
    await engine.contacts.upsert(project, { email: `${who}@example.org`, data: { plan: 'pro' } })
}

describe('campaigns and processes', () => {
  it.skipIf(isSwapped)('go on after a restart in the middle', { timeout: 120_000 }, async () => {
    const url = await freshDatabase()
    const sink = await startSmtpSink(SLOW)
    onTestFinished(() => sink.close())
    const first = await engineOn(url, sink)
    const [project] = await first.projects.list()
    await first.start()
    await importContacts(first, project!, 120)
    const id = await campaign(first, project!)
    await first.campaigns.send(project!, id, {})
    await sink.waitFor(30, 30)
    await first.stop(0)
    const second = await engineOn(url, sink)
    await second.start()
    await reached(second, project!, id, 'SENT')
    expect(new Set(addressees(sink))).toEqual(new Set(numbered(120)))
    expect(await second.campaigns.stats(project!, id, {})).toMatchObject({ totalRecipients: 120, sent: 120, queued: 0 })
  })

  it.skipIf(isStrictSwapped)('go out while the contacts of another campaign are still searched', async () => {
    const plugin = QUICK.store()
    const searched = Promise.withResolvers<void>()
    let searches = 0
    const watched = {
      ...plugin,
      async open(kit: Parameters<typeof plugin.open>[0]) {
        const opened = await plugin.open(kit)
        const { campaignMails } = opened.store
        const audiencePage = campaignMails.audiencePage.bind(campaignMails)
        campaignMails.audiencePage = async (id, audience, page) => {
          // the first page that is written has so many
          if (page.limit === 25 && ++searches === 1) await searched.promise
          return audiencePage(id, audience, page)
        }
        return opened
      },
    }
    const { engine, project, sink } = await engineWithSink({ store: watched })
    await engine.start()
    await importContacts(engine, project, 30)
    const [slow, other] = [await campaign(engine, project), await campaign(engine, project)]
    await engine.campaigns.send(project, slow, {})
    await until('its contacts are searched', async () => searches === 1, LONG)
    await engine.campaigns.send(project, other, {})
    await reached(engine, project, other, 'SENT')
    expect(addressees(sink)).toEqual(numbered(30))
    sink.clear()
    searched.resolve()
    await reached(engine, project, slow, 'SENT')
    expect(addressees(sink)).toEqual(numbered(30))
  })

  it.skipIf(isSwapped)('are shared by two workers, without doubles', { timeout: 120_000 }, async () => {
    const url = await freshDatabase()
    const sinks = [await startSmtpSink(SLOW), await startSmtpSink(SLOW)]
    onTestFinished(async () => void (await Promise.all(sinks.map((sink) => sink.close()))))
    const engines = await Promise.all(sinks.map((sink) => engineOn(url, sink)))
    for (const engine of engines) await engine.start()
    const [engine, other] = engines
    const [project] = await engine!.projects.list()
    await importContacts(engine!, project!, 600)
    const id = await campaign(engine!, project!)
    await engine!.campaigns.send(project!, id, {})
    await sinks[1]!.waitFor(5, 30)
    // paused by one process, held by both
    await other!.campaigns.pause(project!, id)
    const then = sinks.map(({ messages }) => messages.length)
    await landed(engine!, project!, id)
    for (const [i, sink] of sinks.entries()) expect(sink.messages.length).toBeLessThanOrEqual(then[i]! + CONNECTIONS)
    await engine!.campaigns.resume(project!, id)
    await reached(engine!, project!, id, 'SENT')
    expect(sinks.flatMap(addressees).sort()).toEqual(numbered(600))
    expect(Math.min(...sinks.map(({ messages }) => messages.length))).toBeGreaterThan(0)
  })
})

/** An engine that shares its database, queue and schedule with others. */
async function engineOn(url: string, sink: SmtpSink): Promise<Engine> {
  const engine = await createEngine({
    store: postgres({ url }),
    queue: postgresQueue({ url }),
    scheduler: postgresScheduler({ url }),
    transports: [toSink(sink)],
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
    // a try that a stop has cut off behind the end of its message waits for its retry
    delivery: { retryDelays: [1, 1] },
  })
  onTestFinished(() => engine.stop())
  return engine
}
