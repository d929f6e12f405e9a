import { beforeAll, describe, expect, it } from 'vitest'
import { type Engine, type GivenSettings, silentLog, untrusted } from '../../config/library.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { engineWithSink, type SinkWorld } from '../support/engine.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const NEWS = {
  name: 'News',
  subject: 'News',
  body: '<p>News</p>',
  from: 'news@example.com',
  audienceType: 'ALL',
} as const

describe.each([STRICT])('a plan on $name', ({ store }) => {
  const settings = (): GivenSettings => ({ store: store() })
  it('holds mails until its hours begin by the clocks of each recipient, and counts by what they were found', async () => {
    const world = await begun(settings(), '2026-11-27T12:00:00Z')
    const { engine, project, sink, clock } = world
    await engine.contacts.upsert(project, { email: 'tokyo@example.org', data: { timezone: 'Asia/Tokyo' } })
    await engine.contacts.upsert(project, { email: 'lima@example.org', data: { country: 'PE' } })
    await engine.contacts.upsert(project, { email: 'else@example.org' })
    const id = await sent(world, { from: '09:00', until: '18:00', timeZone: 'recipient' })
    // 12:00 in UTC, 21:00 in Tokyo, 07:00 in Lima
    await sink.waitFor(1)
    expect(sink.messages.map(({ to }) => to.join())).toEqual(['else@example.org'])
    const { campaign, waiting } = await engine.campaigns.get(project, id)
    expect(campaign.fanOut?.plan).toEqual({ zone: 'UTC', zones: { contact: 1, country: 1, project: 1 } })
    await until('it waits', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'plan')
    expect((await engine.campaigns.get(project, id)).waiting).toMatchObject({
      nextAt: new Date('2026-11-27T14:00:00Z'),
      lastAt: new Date('2026-11-28T00:00:00Z'),
    })
    expect(waiting).toBeDefined()
    at(world, '2026-11-27T14:00:00Z')
    await sink.waitFor(2)
    expect(sink.messages[1]?.to).toEqual(['lima@example.org'])
    at(world, '2026-11-28T00:00:00Z')
    await sink.waitFor(3)
    await until('it is done', async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT')
    expect(clock.now().toISOString()).toBe('2026-11-28T00:00:00.000Z')
  })

  it('spreads mails evenly, and what a pause held back stays spread', async () => {
    const world = await begun(settings(), '2026-11-27T12:00:00Z')
    const { engine, project, sink } = world
    for (let i = 0; i < 4; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
    const id = await sent(world, { overHours: 4 })
    await sink.waitFor(1)
    await engine.campaigns.pause(project, id)
    at(world, '2026-11-27T20:00:00Z')
    await engine.campaigns.resume(project, id)
    // three hours' worth is left, the pause lasted for eight
    const due = async () =>
      (await engine.campaigns.recipients(project, id)).items
        .map(({ dueAt }) => dueAt.toISOString().slice(11, 16))
        .sort()
    await until('all are put off', async () => (await due()).filter((time) => time > '20:00').length === 3)
    expect(await due()).toEqual(['12:00', '21:00', '22:00', '23:00'])
    expect(sink.messages.length).toBe(1)
    at(world, '2026-11-27T22:00:00Z')
    await sink.waitFor(3)
  })
})

describe.skipIf(isSwapped)('a plan', () => {
  let quiet: SinkWorld
  beforeAll(async () => {
    quiet = await engineWithSink({}, {}, atEndOfFile)
  })

  it('lets only its share of mails go on a day, also after a pause', async () => {
    const world = await begun({}, '2026-11-27T12:00:00Z')
    const { engine, project, sink } = world
    for (let i = 0; i < 5; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
    const id = await sent(world, { perDay: 2, from: '10:00', until: '14:00' })
    await sink.waitFor(2)
    await until('it waits', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'perDay')
    const due = async () =>
      (await engine.campaigns.recipients(project, id)).items.map((mail) => mail.dueAt.toISOString().slice(8, 13))
    expect((await due()).sort()).toEqual(['27T12', '27T12', '28T10', '28T10', '29T10'])
    await engine.campaigns.pause(project, id)
    at(world, '2026-11-29T12:00:00Z')
    await engine.campaigns.resume(project, id)
    await until('one is put off', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'perDay')
    await sink.waitFor(4)
    expect(sink.messages.length).toBe(4)
    expect((await engine.campaigns.get(project, id)).waiting).toMatchObject({
      nextAt: new Date('2026-11-30T10:00:00Z'),
    })
    at(world, '2026-11-30T10:00:00Z')
    await sink.waitFor(5)
  })

  it('of so few a day that it would take longer than a year is not begun', async () => {
    const world = await begun({}, '2026-11-27T12:00:00Z')
    for (let i = 0; i < 53; i++) await world.engine.contacts.upsert(world.project, { email: `p${i}@example.org` })
    await expect(sent(world, { days: ['mon'], perDay: 1 })).rejects.toMatchObject({
      fields: [{ field: 'plan.perDay' }],
    })
    await sent(world, { days: ['mon'], perDay: 2 })
  })

  it('makes what failed, or was missed in a pause, wait for its hours and its time', async () => {
    const world = await begun({}, '2026-11-27T07:00:00Z')
    const { engine, project, sink } = world
    await engine.contacts.upsert(project, { email: 'a@example.org' })
    const id = await sent(world, { days: ['fri', 'mon'], at: '08:00', timeZone: 'UTC' })
    await until('it is written', async () => (await engine.campaigns.get(project, id)).campaign.fanOut?.done)
    await engine.campaigns.pause(project, id)
    at(world, '2026-11-27T09:00:00Z')
    await engine.campaigns.resume(project, id)
    // on Monday
    const next = async () => (await engine.campaigns.get(project, id)).waiting?.nextAt.toISOString()
    await until('it is put off', async () => (await next()) === '2026-11-30T08:00:00.000Z')
    // four days that its plan held it are no part of its lifetime of three
    at(world, '2026-11-30T08:00:00Z')
    await sink.waitFor(1)
    await until('it is done', async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT')
  })

  it('keeps a retry within its hours', async () => {
    const world = await begun({ delivery: { retryDelays: [3600] } }, '2026-11-27T17:30:00Z', 'deferred')
    const { engine, project, sink } = world
    await engine.contacts.upsert(project, { email: 'deferred@example.org' })
    const id = await sent(world, { from: '09:00', until: '18:00' })
    const [mail] = await waitingMails(world, id, ({ attempts }) => attempts === 1)
    expect(mail?.dueAt.toISOString()).toBe('2026-11-27T18:30:00.000Z')
    at(world, '2026-11-27T18:30:00Z')
    const [held] = await waitingMails(world, id, ({ dueAt }) => dueAt.toISOString() === '2026-11-28T09:00:00.000Z')
    expect(held?.attempts).toBe(1)
    expect(sink.messages.length).toBe(0)
  })

  it('is a campaign’s like any field: kept, changed, removed and copied', async () => {
    const { engine, project } = quiet
    const plan = { days: ['fri', 'mon'], at: '08:00' } as const
    const { campaign } = await engine.campaigns.create(project, { ...NEWS, plan })
    expect(campaign.plan).toEqual({ days: ['mon', 'fri'], at: '08:00' })
    const kept = await engine.campaigns.change(project, campaign.id, { subject: 'Other' })
    expect(kept.campaign.plan).toEqual(campaign.plan)
    expect((await engine.campaigns.duplicate(project, campaign.id)).campaign.plan).toEqual(campaign.plan)
    const bare = await engine.campaigns.change(project, campaign.id, { plan: null })
    expect(bare.campaign.plan).toBeUndefined()
  })

  it.each([
    [{ days: [] }, 'plan.days'],
    [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'mon'] }, 'plan.days'],
    [{ days: ['Montag'] }, 'plan.days.0'],
    [{ from: '09:00' }, 'plan.until'],
    [{ until: '09:00' }, 'plan.from'],
    [{ from: '9:00', until: '18:00' }, 'plan.from'],
    [{ from: '24:00', until: '18:00' }, 'plan.from'],
    [{ from: '09:00', until: '09:00' }, 'plan.until'],
    [{ from: '09:00', until: '18:00', at: '18:00' }, 'plan.at'],
    [{ at: '10:00', overHours: 3 }, 'plan.overHours'],
    [{ timeZone: 'Europe/Nowhere' }, 'plan.timeZone'],
    [{ timeZone: `E${'u'.repeat(64)}` }, 'plan.timeZone'],
    [{ perDay: 0 }, 'plan.perDay'],
    [{ perDay: 100_000_001 }, 'plan.perDay'],
    [{ overHours: 0 }, 'plan.overHours'],
    [{ overHours: 721 }, 'plan.overHours'],
    // a minute a week
    [{ days: ['mon'], from: '09:00', until: '09:01', overHours: 1 }, 'plan.overHours'],
  ])('refuses %j', async (plan, field) => {
    const { engine, project } = quiet
    await expect(engine.campaigns.create(project, untrusted({ ...NEWS, plan }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field }],
    })
  })

  it('may be as long as it is allowed to be', async () => {
    const { engine, project } = quiet
    const plan = { days: ['mon'], from: '23:00', until: '02:00', overHours: 156, timeZone: 'recipient' } as const
    expect((await engine.campaigns.create(project, { ...NEWS, plan })).campaign.plan).toEqual(plan)
    const long = { overHours: 720, perDay: 100_000_000 }
    expect((await engine.campaigns.create(project, { ...NEWS, plan: long })).campaign.plan).toEqual(long)
  })
})

type World = Awaited<ReturnType<typeof begun>>

async function begun(settings: GivenSettings, time: string, deferred?: string) {
  const clock = new SettableClock(time)
  const refuse = (address: string) => deferred !== undefined && address.startsWith(deferred)
  const world = await engineWithSink(
    { clock, log: silentLog, ...settings },
    {
      server: {
        onRcptTo: ({ address }, _session, done) =>
          done(refuse(address) ? Object.assign(new Error('4.2.2 come back'), { responseCode: 451 }) : undefined),
      },
    },
  )
  await world.engine.start()
  return { ...world, clock }
}

async function sent({ engine, project }: World, plan: object): Promise<string> {
  const { campaign } = await engine.campaigns.create(project, { ...NEWS, plan })
  await engine.campaigns.send(project, campaign.id)
  return campaign.id
}

/** Moves the clock. The workers look each second. */
function at({ clock }: World, time: string): void {
  clock.set(time)
}

type Mail = Awaited<ReturnType<Engine['campaigns']['recipients']>>['items'][number]

async function waitingMails(
  { engine, project }: World,
  id: string,
  is: (mail: Mail) => boolean,
): Promise<readonly Mail[]> {
  let found: readonly Mail[] = []
  await until('the mail waits', async () => {
    const { items } = await engine.campaigns.recipients(project, id, { status: 'QUEUED' })
    found = items.filter(is)
    return found.length > 0
  })
  return found
}
