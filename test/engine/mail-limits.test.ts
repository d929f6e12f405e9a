import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, type Project } from '../../config/library.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const NEWS = {
  name: 'News',
  subject: 'News',
  body: '<p>News</p>',
  from: 'news@example.com',
  audienceType: 'ALL',
} as const
const MAIL = { subject: 'Hello', body: '<p>Hello</p>', from: 'news@example.com' } as const
const PROJECT = { name: 'Test', trustedDomains: ['example.com'] }

describe('the cap of a project', () => {
  it('leaves contacts out of a campaign who have had as many, lists them, and lets them have mail again', async () => {
    const clock = new SettableClock('2026-11-27T12:00:00Z')
    const { engine, project: bare, sink } = await engineWithSink({ clock })
    await engine.start()
    const project = await engine.projects.change(bare, { frequencyCap: { mails: 2, days: 7 } })
    for (const name of ['a', 'b']) await engine.contacts.upsert(project, { email: `${name}@example.org` })
    for (let i = 0; i < 2; i++) await done(engine, project, await sent(engine, project))
    await engine.contacts.upsert(project, { email: 'new@example.org' })
    const third = await sent(engine, project)
    await done(engine, project, third)
    expect(sink.messages.map(({ to }) => to.join()).slice(4)).toEqual(['new@example.org'])
    const { stats } = await engine.campaigns.get(project, third)
    expect(stats).toMatchObject({ sent: 1, queued: 0, skipped: { capped: 2 }, leftOutAtStart: 0 })
    const { items } = await engine.campaigns.recipients(project, third, { status: 'SKIPPED' })
    expect(items.map(({ to, skipReason }) => [to, skipReason]).sort()).toEqual([
      ['a@example.org', 'capped'],
      ['b@example.org', 'capped'],
    ])
    clock.advance(7 * 86_400 + 1)
    await done(engine, project, await sent(engine, project))
    expect(sink.messages).toHaveLength(8)
  })

  it('counts the marketing mail of the API, which it never holds back', async () => {
    const { engine, project: bare, sink } = await engineWithSink({})
    await engine.start()
    const project = await engine.projects.change(bare, { frequencyCap: { mails: 1, days: 7 } })
    for (const name of ['a', 'b'])
      await engine.contacts.upsert(project, { email: `${name}@example.org`, subscribed: true })
    const { id: template } = await engine.templates.create(project, { ...MAIL, name: 'M', type: 'MARKETING' })
    for (let i = 0; i < 2; i++) await engine.sending.send(project, { to: 'a@example.org', template })
    await engine.sending.send(project, { to: 'b@example.org', ...MAIL })
    await sink.waitFor(3)
    const id = await sent(engine, project)
    await done(engine, project, id)
    expect((await engine.campaigns.get(project, id)).stats).toMatchObject({ sent: 1, skipped: { capped: 1 } })
    expect(sink.messages.map(({ to }) => to.join()).slice(3)).toEqual(['b@example.org'])
  })

  it('skips the marketing mail of a workflow, and only that', async () => {
    const { engine, project: bare, sink } = await engineWithSink({})
    await engine.start()
    const project = await engine.projects.change(bare, { frequencyCap: { mails: 1, days: 366 } })
    await engine.contacts.upsert(project, { email: 'a@example.org', subscribed: true })
    await done(engine, project, await sent(engine, project))
    const template = async (type: 'MARKETING' | 'TRANSACTIONAL') =>
      (await engine.templates.create(project, { name: type, type, subject: type, body: '<p>x</p>', from: MAIL.from }))
        .id
    const [marketing, other] = [await template('MARKETING'), await template('TRANSACTIONAL')]
    const { workflow } = await engine.workflows.create(project, {
      name: 'Flow',
      eventName: 'go',
      steps: [
        { key: 'one', type: 'SEND_EMAIL', templateId: marketing },
        { key: 'two', type: 'SEND_EMAIL', templateId: other },
      ],
      transitions: [
        { from: 'trigger', to: 'one' },
        { from: 'one', to: 'two' },
      ],
    })
    await engine.workflows.change(project, workflow.id, { enabled: true })
    await engine.events.track(project, { event: 'go', email: 'a@example.org' })
    await sink.waitFor(2)
    const subjects = sink.messages.map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString())?.[1]?.trim())
    expect(subjects).toEqual(['News', 'TRANSACTIONAL'])
  })

  it('holds between two campaigns that two processes write at the same time', { timeout: 60_000 }, async () => {
    const { engines, sinks } = await two({ ...PROJECT, frequencyCap: { mails: 1, days: 1 } })
    const [engine, other] = engines
    const [project] = await engine.projects.list()
    for (let i = 0; i < 60; i++) await engine.contacts.upsert(project!, { email: `p${i}@example.org` })
    const ids = await Promise.all([sent(engine, project!), sent(other, project!)])
    for (const id of ids) await done(engine, project!, id)
    const got = sinks.flatMap(({ messages }) => messages.map(({ to }) => to.join()))
    expect(got.sort()).toEqual(Array.from({ length: 60 }, (_, i) => `p${i}@example.org`).sort())
  })
})

describe('a quota', () => {
  it('refuses transactional mail beyond it, says which and until when, and renews', async () => {
    const clock = new SettableClock('2026-11-30T22:30:00Z')
    const projects = [{ ...PROJECT, timeZone: 'Europe/Berlin', quotas: { daily: 3, monthly: 4 } }]
    const { engine, project } = await engineWithSink({ clock, projects })
    const send = (...to: readonly string[]) => engine.sending.send(project, { ...MAIL, to: [...to] })
    await send('a@example.org', 'b@example.org')
    // neither what is refused for another reason nor what does not fit as a whole counts
    await expect(engine.sending.send(project, { ...MAIL, to: 'c@example.org', subject: '{{' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    await expect(send('c@example.org', 'd@example.org')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    const batch = { messages: ['c', 'd'].map((name) => ({ ...MAIL, to: `${name}@example.org` })) }
    await expect(engine.sending.sendBatch(project, batch)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    const key = { idempotencyKey: 'once' }
    const once = () => engine.sending.send(project, { ...MAIL, to: 'c@example.org' }, key)
    expect([await once(), await once()].map(({ replayed }) => replayed)).toEqual([false, true])
    await expect(send('d@example.org')).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      retryAfter: 1800,
      message: expect.stringMatching(/daily quota of 3 mails .* 2026-11-30T23:00:00\.000Z/),
    })
    // the first of December in Berlin
    clock.advance(1800)
    await send('d@example.org', 'e@example.org', 'f@example.org')
    clock.advance(86_400)
    await expect(send('g@example.org', 'h@example.org')).rejects.toMatchObject({
      message: expect.stringMatching(/monthly quota of 4 mails .* 2026-12-31T23:00:00\.000Z/),
    })
    await send('g@example.org')
  })

  it('makes campaigns wait, which say so', async () => {
    const clock = new SettableClock('2026-11-27T12:00:00Z')
    const projects = [{ ...PROJECT, quotas: { daily: 2 } }]
    const { engine, project, sink } = await engineWithSink({ clock, projects })
    await engine.start()
    for (let i = 0; i < 3; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
    const id = await sent(engine, project)
    await until('it waits', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'quota')
    await sink.waitFor(2)
    expect(sink.messages).toHaveLength(2)
    expect((await engine.campaigns.get(project, id)).waiting?.nextAt).toEqual(new Date('2026-11-28T00:00:00Z'))
    clock.set('2026-11-28T00:00:00Z')
    await done(engine, project, id)
    expect(sink.messages).toHaveLength(3)
  })

  it('is kept by two processes that send at the same time', { timeout: 60_000 }, async () => {
    const { engines } = await two({ ...PROJECT, quotas: { daily: 7 } })
    const [project] = await engines[0].projects.list()
    const sends = Array.from({ length: 20 }, (_, i) =>
      engines[i % 2]!.sending.send(project!, { ...MAIL, to: `p${i}@example.org` }).then(
        () => 'sent',
        ({ code }) => code,
      ),
    )
    const outcomes = Map.groupBy(await Promise.all(sends), (outcome) => outcome)
    expect([...outcomes].map(([outcome, all]) => [outcome, all.length]).sort()).toEqual([
      ['QUOTA_EXCEEDED', 13],
      ['sent', 7],
    ])
  })

  it.each([{ daily: -1 }, { daily: 1_000_000_001 }, { monthly: 1.5 }])('refuses %j', async (quotas) => {
    await expect(engineWithSink({ projects: [{ ...PROJECT, quotas }] })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })
})

it('a ramp holds marketing mail alone, and its campaign says so', async () => {
  const clock = new SettableClock('2026-11-27T12:00:00Z')
  const throttle = { transports: { sink: { ramp: { start: 2, growth: 1.5, until: 100 } } } }
  const { engine, project, sink } = await engineWithSink({ clock, delivery: { throttle } })
  await engine.start()
  for (let i = 0; i < 4; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
  const id = await sent(engine, project)
  await until('it waits', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'ramp')
  await sink.waitFor(2)
  expect(sink.messages).toHaveLength(2)
  await engine.sending.send(project, { ...MAIL, to: 'me@example.org' })
  await sink.waitFor(3)
  const [ramp] = (await engine.analytics.operations.view()).ramps
  expect(ramp).toMatchObject({ transport: 'sink', domain: 'example.com', step: 1, perDay: 2, sent: 2 })
  clock.set('2026-11-28T00:00:00Z')
  await done(engine, project, id)
  expect(sink.messages).toHaveLength(5)
})

describe('a cap in a request', () => {
  it.each([
    [{ mails: 0, days: 7 }, 'frequencyCap.mails'],
    [{ mails: 1001, days: 7 }, 'frequencyCap.mails'],
    [{ mails: 1, days: 0 }, 'frequencyCap.days'],
    [{ mails: 1, days: 367 }, 'frequencyCap.days'],
  ])('%j is refused', async (frequencyCap, field) => {
    const { engine, project } = await engineWithSink({})
    await expect(engine.projects.change(project, { frequencyCap })).rejects.toMatchObject({ fields: [{ field }] })
    const most = { mails: 1000, days: 366 }
    expect((await engine.projects.change(project, { frequencyCap: most })).frequencyCap).toEqual(most)
    expect((await engine.projects.change(project, { frequencyCap: null })).frequencyCap).toBeUndefined()
  })
})

async function sent(engine: Engine, project: Project): Promise<string> {
  const { campaign } = await engine.campaigns.create(project, NEWS)
  await engine.campaigns.send(project, campaign.id)
  return campaign.id
}

function done(engine: Engine, project: Project, id: string): Promise<unknown> {
  return until('it is sent', async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT', 30_000)
}

/** Two engines that share a database, as processes do, each with a server to send to. */
async function two(project: NonNullable<GivenSettings['projects']>[number]) {
  const url = await freshDatabase()
  const sinks: SmtpSink[] = []
  const engines: Engine[] = []
  for (let i = 0; i < 2; i++) {
    const sink = await startSmtpSink({})
    onTestFinished(() => sink.close())
    const engine = await createEngine({
      store: postgres({ url }),
      queue: postgresQueue({ url }),
      scheduler: postgresScheduler({ url }),
      transports: [toSink(sink)],
      projects: [project],
      delivery: { threads: 0 },
    })
    onTestFinished(() => engine.stop())
    await engine.start()
    sinks.push(sink)
    engines.push(engine)
  }
  return { engines: engines as [Engine, Engine], sinks }
}
