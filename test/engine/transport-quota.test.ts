import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, silentLog } from '../../config/library.ts'
import { quotaStates, TransportQuota } from '../../core/delivery/throttle/transport-quota.ts'
import { type Clock, systemClock } from '../../core/ports/clock.ts'
import type { QuotaSettings } from '../../core/settings/throttle-settings.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink, toSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { SettableClock, testStore } from '../support/store.ts'
import { until } from '../support/until.ts'

type Delivery = NonNullable<GivenSettings['delivery']>

const MAIL = { subject: 'Hello', body: '<p>Hello</p>', from: 'news@example.com' } as const
const NEWS = { ...MAIL, name: 'News', audienceType: 'ALL' } as const

/** An engine that sends to `main`, and then to `spare`. */
async function world(delivery: Delivery, settings: GivenSettings = {}, options: SmtpSinkOptions = {}) {
  const [main, spare] = [await startSmtpSink(options), await startSmtpSink()]
  onTestFinished(() => main.close())
  onTestFinished(() => spare.close())
  const transports = [toSink(main, 'main'), toSink(spare, 'spare')]
  const made = await engineWithSink({ transports, ...settings, delivery })
  await made.engine.start()
  return { ...made, main, spare }
}

async function campaignTo(engine: Engine, project: Parameters<Engine['campaigns']['create']>[0], count: number) {
  for (let i = 0; i < count; i++)
    await engine.contacts.upsert(project, { email: `p${i}@example.org`, subscribed: true })
  const { campaign } = await engine.campaigns.create(project, NEWS)
  await engine.campaigns.send(project, campaign.id)
  return campaign.id
}

const people = (count: number, name = 'p') => Array.from({ length: count }, (_, i) => `${name}${i}@example.org`)

describe('the quota of a transport', () => {
  it.each([STRICT])('goes on with the next transport, and renews, on $name', async ({ store }) => {
    const clock = new SettableClock('2026-11-30T22:00:00Z')
    const quota = { day: 10, month: 15, keep: 0 }
    const throttle = { transports: { main: { quota } } }
    const { engine, project, main, spare } = await world({ throttle }, { clock, store: await store() })
    await engine.sending.send(project, { ...MAIL, to: people(12) })
    await until('all are sent', () => main.messages.length + spare.messages.length === 12)
    expect(main.messages).toHaveLength(10)
    // the day and the month renew together here, the day alone a day later
    clock.set('2026-12-01T00:00:00Z')
    await engine.sending.send(project, { ...MAIL, to: people(10, 'q') })
    await main.waitFor(20)
    clock.set('2026-12-02T00:00:00Z')
    await engine.sending.send(project, { ...MAIL, to: people(10, 'r') })
    await until('all are sent', () => main.messages.length + spare.messages.length === 32)
    expect(main.messages).toHaveLength(25)
    // what was counted for the day before the month was found used up goes back
    await until('the rest is given back', async () => {
      const { quotas } = await engine.analytics.operations.view()
      return quotas[0]?.sent === 5
    })
    const { quotas } = await engine.analytics.operations.view()
    expect(quotas).toEqual([
      { transport: 'main', period: 'day', most: 10, sent: 5, renewsAt: new Date('2026-12-03T00:00:00Z') },
      { transport: 'main', period: 'month', most: 15, sent: 15, renewsAt: new Date('2027-01-01T00:00:00Z') },
    ])
  })

  it.each([STRICT])('lets a campaign wait that says so, and keeps a part for transactional mail, on $name', async ({
    store,
  }) => {
    const clock = new SettableClock('2026-11-27T12:00:00Z')
    const throttle = { transports: { main: { quota: { day: 20 } } } }
    const routes: Delivery['routes'] = [{ to: 'main', fallback: 'spare', whenFull: 'wait' }]
    const { engine, project, main, spare } = await world({ throttle, routes }, { clock, store: await store() })
    const id = await campaignTo(engine, project, 30)
    await until('it waits', async () => (await engine.campaigns.get(project, id)).waiting?.reason === 'transport')
    expect((await engine.campaigns.get(project, id)).waiting?.nextAt).toEqual(new Date('2026-11-28T00:00:00Z'))
    expect(main.messages).toHaveLength(18)
    const answer = await engine.sending.send(project, { ...MAIL, to: people(3, 'urgent') })
    await main.waitFor(20)
    await until('the third waits', async () => {
      const ids = answer.answer.emails.map(({ email }) => email)
      const found = await Promise.all(ids.map((each) => engine.mails.get(project, each)))
      return found.some(({ email }) => email.error?.startsWith('As much mail as its transport') === true)
    })
    expect(main.messages).toHaveLength(20)
    // waiting has not run its time: three days later it is still sent
    clock.set('2026-11-30T23:59:00Z')
    await until('it is sent', async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT', 20_000)
    expect(new Set(main.messages.flatMap(({ to }) => to)).size).toBe(main.messages.length)
    expect(main.messages.length).toBeGreaterThanOrEqual(32)
    expect(spare.messages).toHaveLength(0)
  })

  it.skipIf(isSwapped)('counts recipients, and not what the server refused', async () => {
    const judge = ({ to }: { readonly to: readonly string[] }) =>
      to[0]?.startsWith('no') ? { code: 550, message: '5.7.1 no' } : undefined
    const throttle = { transports: { main: { quota: { hour: 6, keep: 0 } } } }
    const { engine, project, main, spare } = await world({ throttle }, {}, { judge })
    // the mail and two copies
    await engine.sending.send(project, { ...MAIL, to: 'a@example.org', cc: ['b@example.org'], bcc: ['c@example.org'] })
    await main.waitFor(1)
    await engine.sending.send(project, { ...MAIL, to: people(4, 'no') })
    await spare.waitFor(4)
    await engine.sending.send(project, { ...MAIL, to: people(4) })
    await spare.waitFor(5)
    expect(main.messages).toHaveLength(4)
    const { quotas } = await engine.analytics.operations.view()
    expect(quotas).toMatchObject([{ transport: 'main', period: 'hour', most: 6, sent: 6 }])
  })

  it.skipIf(isSwapped)('holds over two processes and a restart', { timeout: 60_000 }, async () => {
    const { start, sinks } = await processes({ day: 150, keep: 0 })
    const [one, other] = [await start(), await start()]
    const [project] = await one.projects.list()
    const id = await campaignTo(one, project!, 300)
    await until(
      'it waits',
      async () => (await other.campaigns.get(project!, id)).waiting?.reason === 'transport',
      30_000,
    )
    await one.stop()
    const restarted = await start()
    await restarted.sending.send(project!, { ...MAIL, to: people(5, 'late') })
    await until('nothing is under way', async () => {
      const { total } = await restarted.mails.list(project!, { status: 'SENDING', limit: 1 })
      return total === 0
    })
    const got = sinks.flatMap(({ messages }) => messages.flatMap(({ to }) => to))
    expect(got.length).toBeLessThanOrEqual(150)
    // what one had taken for mails that the other sent is given back, but for a few at the end
    expect(got.length).toBeGreaterThan(140)
    expect(new Set(got).size).toBe(got.length)
  })

  it.skipIf(isSwapped)('of a second is kept by two processes together', { timeout: 60_000 }, async () => {
    const times: number[] = []
    const { start, sinks } = await processes({ second: 10 }, { judge: () => void times.push(Date.now()) })
    const [one] = [await start(), await start()]
    const [project] = await one.projects.list()
    await one.sending.send(project!, { ...MAIL, to: people(60) })
    await until('all are sent', () => sinks.reduce((sum, { messages }) => sum + messages.length, 0) === 60, 30_000)
    const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length))
    // the seconds of the clock are counted: two of them may meet in one of ours
    expect(most).toBeLessThanOrEqual(20)
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(4_000)
  })

  it.each<[quota: Readonly<Record<string, number>>, field: string]>([
    [{ day: 0 }, 'quota.day'],
    [{ hour: 1.5 }, 'quota.hour'],
    [{ week: 3 }, 'quota.week'],
    [{ day: 10, keep: 101 }, 'quota.keep'],
    [{ rolling: 0 }, 'quota.rolling'],
    [{ keep: 5 }, 'quota'],
  ])('%j is refused by its place', async (quota, field) => {
    const throttle = { transports: { sink: { quota } } }
    await expect(engineWithSink({ delivery: { throttle } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      fields: [{ field: `delivery.throttle.transports.sink.${field}` }],
    })
  })
})

it.skipIf(isSwapped)('a mistyped key of a limit has the one that was meant', async () => {
  const main = { quota: { dai: 5, rolling: 10 }, perSecnd: 3 } as const
  const throttle = { transports: { sink: { ...main, ramp: { begin: 5 } as object } } }
  await expect(engineWithSink({ delivery: { throttle } })).rejects.toMatchObject({
    fields: expect.arrayContaining([
      expect.objectContaining({ message: 'is not a known key (did you mean day?)' }),
      expect.objectContaining({ message: 'is not a known key (did you mean perSecond?)' }),
      expect.objectContaining({ message: 'is not a known key (there are start, growth, until)' }),
    ]),
  })
})

describe.each([STRICT])('the quota of any 24 hours, on $name', ({ store }) => {
  const MOST = 200
  const MINUTE = 60_000

  // catches a part that is left out or counted too short, two processes that both take the last, and mail that waits too long
  it('is never exceeded, by several processes, over restarts and at the edges of parts, and is used up', async () => {
    const clock = new SettableClock('2026-11-27T12:00:00Z')
    const opened = await (await store()).open({ log: silentLog, clock })
    onTestFinished(async () => opened.close?.())
    const begun = clock.now().getTime()
    // clocks differ by seconds
    const open = (aheadMs: number) => {
      const kit = { now: () => new Date(clock.now().getTime() + aheadMs), log: silentLog }
      return new TransportQuota('main', { keep: 0, rolling: MOST }, opened.store, kit)
    }
    let [one, other] = [open(0), open(4_000)]
    const sent: number[] = []
    const send = async (quota: TransportQuota) => {
      const receipt = await quota.take('campaign', 1)
      if (receipt instanceof Date) return receipt
      // as a refused mail: the next one may have its place
      if (sent.length % 7 === 3 && clock.now().getTime() % 2 === 0) return quota.giveBack(receipt)
      sent.push(clock.now().getTime())
      return undefined
    }
    const until: Date[] = []
    for (let step = 0; step < 72 * 4; step++) {
      // just before and after each quarter of an hour, in turn
      clock.set(
        new Date(begun + step * 15 * MINUTE + (step % 3 === 0 ? -1 : step % 3 === 1 ? 0 : 7 * MINUTE)).toISOString(),
      )
      const wanted = step % 5 === 0 ? 12 : 2
      const answers = await Promise.all(Array.from({ length: wanted }, (_, i) => send(i % 2 === 0 ? one : other)))
      until.push(...answers.filter((each) => each instanceof Date))
      if (step % 40 !== 39) continue
      await Promise.all([one.close(), other.close()])
      ;[one, other] = [open(0), open(-4_000)]
    }
    await Promise.all([one.close(), other.close()])
    const inDay = (from: number) => sent.filter((at) => at >= from && at < from + 24 * 60 * MINUTE).length
    const most = Math.max(...sent.map(inDay))
    expect(most).toBeLessThanOrEqual(MOST)
    expect(most).toBeGreaterThan(MOST * 0.95)
    // three days of which each may have as many, as far as the steps ask for them
    expect(sent.length).toBeGreaterThan(3 * MOST * 0.9)
    expect(until.length).toBeGreaterThan(0)
    expect(until.every((each) => each.getTime() > begun)).toBe(true)
  })

  it('has room again when its oldest mail is a day old, and leaves the part of transactional mail', async () => {
    const clock = new SettableClock('2026-11-27T12:05:00Z')
    const opened = await (await store()).open({ log: silentLog, clock })
    onTestFinished(async () => opened.close?.())
    const kit = { now: () => clock.now(), log: silentLog }
    const settings = { main: { quota: { keep: 10, rolling: 100 } } }
    const open = () => new TransportQuota('main', settings.main.quota, opened.store, kit)
    const quota = open()
    const states = () => quotaStates(opened.store, settings, clock.now())
    expect(await states()).toMatchObject([{ period: 'rolling', most: 100, sent: 0 }])
    await quota.take('transactional', 60)
    clock.set('2026-11-27T23:50:00Z')
    await quota.take('campaign', 30)
    // over midnight, when a day of the calendar would begin anew
    clock.set('2026-11-28T00:10:00Z')
    const renewed = new Date('2026-11-28T12:30:00Z')
    expect(await quota.take('campaign', 1)).toEqual(renewed)
    expect(quota.fullUntil('campaign')).toEqual(renewed)
    expect(quota.fullUntil('transactional')).toBeUndefined()
    expect(await quota.take('transactional', 10)).not.toBeInstanceOf(Date)
    await quota.close()
    expect(await states()).toEqual([{ transport: 'main', period: 'rolling', most: 100, sent: 100, renewsAt: renewed }])
    clock.set('2026-11-28T12:29:59.999Z')
    expect(await open().take('campaign', 1)).toEqual(renewed)
    clock.set(renewed.toISOString())
    expect(await quota.take('campaign', 50)).not.toBeInstanceOf(Date)
    expect(await quota.take('campaign', 1)).toEqual(new Date('2026-11-29T00:15:00Z'))
  })
})

describe.skipIf(isSwapped)('what a quota counts', () => {
  const NOON = '2026-11-27T12:00:00Z'

  async function quotaOf(settings: Partial<QuotaSettings>, clock: Clock = new SettableClock(NOON)) {
    const { store, close } = await testStore()
    onTestFinished(close)
    const kit = { now: () => clock.now(), log: silentLog }
    const quota = new TransportQuota('main', { keep: 0, ...settings }, store, kit)
    onTestFinished(() => quota.close())
    const counted = async () => {
      await quota.close()
      const [state] = await quotaStates(store, { main: { quota: { keep: 0, ...settings } } }, clock.now())
      return state?.sent
    }
    return { quota, store, counted }
  }

  it('goes back as it was counted, also of a mail with more recipients than its lane may have', async () => {
    const { quota, counted } = await quotaOf({ hour: 10, keep: 50 })
    const receipt = await quota.take('campaign', 8)
    if (receipt instanceof Date) throw new Error('the first mail does not fit')
    quota.giveBack(receipt)
    expect(await counted()).toBe(0)
    const granted = await Promise.all(Array.from({ length: 12 }, () => quota.take('campaign', 1)))
    expect(granted.filter((each) => !(each instanceof Date))).toHaveLength(5)
    expect(await counted()).toBe(5)
  })

  it('stays the part of transactional mail when that is refused', async () => {
    const { quota, counted } = await quotaOf({ hour: 10, keep: 50 })
    await Promise.all(Array.from({ length: 5 }, () => quota.take('campaign', 1)))
    for (let i = 0; i < 5; i++) {
      const receipt = await quota.take('transactional', 1)
      if (receipt instanceof Date) throw new Error('transactional mail does not fit')
      quota.giveBack(receipt)
      expect(await quota.take('campaign', 1)).toBeInstanceOf(Date)
    }
    expect(await counted()).toBe(5)
  })

  it('leaves room for others when a mail has too many recipients for what is left', async () => {
    const { quota, counted } = await quotaOf({ day: 10 })
    await quota.take('transactional', 6)
    expect(await quota.take('transactional', 8)).toEqual(new Date('2026-11-28T00:00:00Z'))
    expect(quota.fullUntil('transactional')).toBeUndefined()
    expect(await quota.take('transactional', 3)).not.toBeInstanceOf(Date)
    expect(await counted()).toBe(9)
    expect(await quota.take('transactional', 1)).not.toBeInstanceOf(Date)
    expect(await quota.take('transactional', 1)).toBeInstanceOf(Date)
    expect(quota.fullUntil('transactional')).toEqual(new Date('2026-11-28T00:00:00Z'))
  })

  it('is that of now when a clock that was ahead is set back', async () => {
    const clock = new SettableClock('2027-06-01T12:00:00Z')
    const { quota, counted } = await quotaOf({ day: 2, month: 3 }, clock)
    expect(await quota.take('campaign', 2)).not.toBeInstanceOf(Date)
    expect(await quota.take('campaign', 1)).toEqual(new Date('2027-06-02T00:00:00Z'))
    clock.set(NOON)
    expect(quota.fullUntil('campaign')).toBeUndefined()
    expect(await quota.take('campaign', 2)).not.toBeInstanceOf(Date)
    expect(await quota.take('campaign', 1)).toEqual(new Date('2026-11-28T00:00:00Z'))
    expect(await counted()).toBe(2)
  })

  it('of a second goes to transactional mail first', async () => {
    const { quota } = await quotaOf({ second: 2 }, systemClock)
    const order: string[] = []
    const take = async (lane: 'campaign' | 'transactional', name: string) => {
      if (!((await quota.take(lane, 1)) instanceof Date)) order.push(name)
    }
    const all = ['a', 'b', 'c'].map((name) => take('campaign', name))
    await Promise.all([...all, take('transactional', 'urgent'), take('transactional', 'next')])
    expect(order).toEqual(['urgent', 'next', 'a', 'b', 'c'])
  })

  it('is nothing for a mail whose recipients have all had it, or want none', async () => {
    const { quota, counted } = await quotaOf({ second: 1, hour: 1 })
    await quota.take('transactional', 1)
    expect(await quota.take('transactional', 0)).toEqual([])
    expect(await counted()).toBe(1)
  })

  it('goes back when another period cannot be counted', async () => {
    const { quota, store, counted } = await quotaOf({ hour: 10, day: 10 })
    const { take } = store.attempts
    store.attempts.take = (key, ...given) =>
      key.includes(' day ') ? Promise.reject(new Error('the store is away')) : take.call(store.attempts, key, ...given)
    await expect(quota.take('transactional', 4)).rejects.toThrow('the store is away')
    expect(await counted()).toBe(0)
  })
})

/** Engines that share a database, as processes do, each with a way to the one server that has this quota. */
async function processes(quota: object, options: SmtpSinkOptions = {}) {
  const url = await freshDatabase()
  const sink = await startSmtpSink(options)
  onTestFinished(() => sink.close())
  const start = async () => {
    const engine = await createEngine({
      store: postgres({ url }),
      queue: postgresQueue({ url }),
      scheduler: postgresScheduler({ url }),
      transports: [toSink(sink, 'main')],
      projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
      delivery: { threads: 0, throttle: { transports: { main: { quota } } } },
      log: silentLog,
    })
    onTestFinished(() => engine.stop())
    await engine.start()
    return engine
  }
  const sinks: readonly SmtpSink[] = [sink]
  return { start, sinks }
}
