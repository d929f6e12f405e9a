import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine, Project, WriteCampaignInput } from '../../config/library.ts'
import { type SinkWorld, sharedWithSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const CAMPAIGN: WriteCampaignInput & Required<Pick<WriteCampaignInput, 'variants'>> = {
  name: 'News',
  subject: 'A for {{ name }}',
  body: '<p>Dear {{ name }} A</p>',
  from: 'news@example.com',
  audienceType: 'ALL',
  variants: [
    { subject: 'B for {{ name }}', fromName: 'The B' },
    { subject: 'C for {{ other }}', body: '<p>Dear {{ other }} C</p>' },
  ],
}
const PEOPLE = 90

// On PostgreSQL, the stricter: what is stored has its contract on both.
describe('variants of campaigns', () => {
  const clock = new SettableClock()
  let fresh: () => SinkWorld
  beforeAll(async () => {
    fresh = await sharedWithSink({ store: STRICT.store(), clock })
  })

  const state = async ({ engine, project }: SinkWorld, id: string) => (await engine.campaigns.get(project, id)).campaign
  const waiting = (world: SinkWorld, id: string) =>
    until('the mails of the test are out', async () => {
      const { phase } = (await state(world, id)).fanOut ?? {}
      if (phase !== 'waiting') return false
      return (await world.engine.campaigns.stats(world.project, id)).queued === 0
    })
  const isSent = (world: SinkWorld, id: string) =>
    until('it is SENT', async () => (await state(world, id)).status === 'SENT')
  const subjects = ({ sink }: SinkWorld) => {
    const letters = sink.messages.map(({ raw }) => /^Subject: (.)/m.exec(raw.toString())?.[1] ?? '')
    return Object.fromEntries(['A', 'B', 'C'].map((each) => [each, letters.filter((one) => one === each).length]))
  }
  const everybodyOnce = ({ sink }: SinkWorld, without: readonly string[] = []) => {
    const all = Array.from({ length: PEOPLE }, (_, i) => `p${i}@example.org`).filter((to) => !without.includes(to))
    expect(sink.messages.map(({ to }) => to.join()).toSorted()).toEqual(all.toSorted())
  }
  async function begun(world: SinkWorld, change: object): Promise<string> {
    await people(world.engine, world.project)
    const { campaign } = await world.engine.campaigns.create(world.project, { ...CAMPAIGN, ...change })
    await world.engine.campaigns.send(world.project, campaign.id, {})
    return campaign.id
  }

  it('go to their shares, and the one that is chosen goes to everybody else', async () => {
    const world = fresh()
    const { engine, project } = world
    const id = await begun(world, { test: { share: 50, winner: 'manual' } })
    await waiting(world, id)
    const inTest = subjects(world)
    expect(Math.min(...Object.values(inTest))).toBeGreaterThan(0)
    expect(world.sink.messages.length).toBeLessThan(PEOPLE - 20)
    const before = await engine.campaigns.variants.results(project, id)
    expect(before).toMatchObject({ phase: 'waiting', winner: null, rest: null, isClear: false, metric: 'clicks' })
    for (const { variant, sent, recipients, subject } of before.variants) {
      expect([sent, recipients, subject[0]]).toEqual([inTest[variant], inTest[variant], variant])
      const listed = await engine.campaigns.recipients(project, id, { variant, limit: 100 })
      expect(listed.items.every((mail) => mail.variant === variant)).toBe(true)
      expect([listed.items.length, listed.total]).toEqual([inTest[variant], inTest[variant]])
    }
    // a contact who leaves meanwhile is not in the rest
    const [gone] = (await engine.contacts.list(project, { limit: 100 })).items.filter(
      ({ email }) => !world.sink.messages.some(({ to }) => to[0] === email),
    )
    await engine.contacts.change(project, gone!.id, { subscribed: false })
    await engine.campaigns.pause(project, id)
    await engine.campaigns.variants.choose(project, id, { variant: 'C' })
    await engine.campaigns.resume(project, id)
    await isSent(world, id)
    everybodyOnce(world, [gone!.email])
    const mails = PEOPLE - 1
    expect(subjects(world)).toEqual({ ...inTest, C: mails - inTest.A! - inTest.B! })
    const after = await engine.campaigns.variants.results(project, id)
    expect(after).toMatchObject({ phase: 'rest', winner: 'C', chosenBy: 'person' })
    expect(after.variants.map(({ sent }) => sent)).toEqual(Object.values(inTest))
    const rest = await engine.campaigns.recipients(project, id, { variant: 'rest', delivered: true, limit: 1 })
    expect([after.rest?.sent, rest.total]).toEqual([
      mails - before.variants.reduce((sum, { sent }) => sum + sent, 0),
      after.rest?.sent,
    ])
    const c = await simpleParser(world.sink.messages.find(({ raw }) => raw.toString().includes('Subject: C'))!.raw)
    expect(c.html).toMatch(/Dear o\d+ C/)
    const b = await simpleParser(world.sink.messages.find(({ raw }) => raw.toString().includes('Subject: B'))!.raw)
    expect([b.from?.text, String(b.html).includes(' A</p>')]).toEqual(['"The B" <news@example.com>', true])
  })

  it('all go out when all take part, without a winner; some get nothing when that is wished', async () => {
    const world = fresh()
    const { engine, project } = world
    const id = await begun(world, { test: { share: 100, holdOut: 30, metric: 'event', event: 'bought' } })
    await isSent(world, id)
    const { items, total } = await engine.campaigns.recipients(project, id, { variant: 'held-out', limit: 100 })
    expect(items.length).toBeGreaterThan(5)
    expect([total, items[0]?.status, items[0]?.skipReason]).toEqual([items.length, 'SKIPPED', 'held-out'])
    everybodyOnce(
      world,
      items.map(({ to }) => to),
    )
    expect((await engine.campaigns.stats(project, id)).skipped.heldOut).toBe(items.length)
    for (const { to } of [items[0]!, items[1]!]) await engine.events.track(project, { event: 'bought', email: to })
    const { items: ofB } = await engine.campaigns.recipients(project, id, { variant: 'B', limit: 2 })
    for (const { to } of [ofB[0]!, ofB[1]!, ofB[0]!]) await engine.events.track(project, { event: 'bought', email: to })
    const results = await engine.campaigns.variants.results(project, id)
    expect(results).toMatchObject({
      winner: null,
      rest: null,
      heldOut: { met: 2, recipients: items.length, sent: 0 },
    })
    expect(results.variants.map(({ met }) => met)).toEqual([0, 2, 0])
    const met = await engine.campaigns.recipients(project, id, { variant: 'B', metric: true, limit: 100 })
    expect([met.total, met.items.map(({ to }) => to).toSorted()]).toEqual([2, ofB.map(({ to }) => to).toSorted()])
    await expect(engine.campaigns.variants.choose(project, id, { variant: 'A' })).rejects.toThrow('no rest')
  })

  it('are judged once the time is over, by the figures alone; when these cannot tell, a person is waited for', async () => {
    const world = fresh()
    const { engine, project } = world
    const id = await begun(world, { test: { share: 50, metric: 'event', event: 'bought', hours: 2 } })
    await waiting(world, id)
    clock.advance(2 * 3600 + 1)
    await until('it says so', async () => (await state(world, id)).fanOut?.test?.unclear === true)
    expect((await state(world, id)).status).toBe('SENDING')
    await engine.campaigns.variants.choose(project, id, { variant: 'B' })
    await isSent(world, id)
    everybodyOnce(world)
  })

  it('win by the figures when these are clear, or as the best so far when that is wished', async () => {
    const world = fresh()
    const { engine, project } = world
    const two = CAMPAIGN.variants?.slice(0, 1)
    const buy = async (id: string, variant: 'A' | 'B', count: number) => {
      const { items } = await engine.campaigns.recipients(project, id, { variant, limit: 100 })
      for (const { to } of items.slice(0, count)) await engine.events.track(project, { event: 'bought', email: to })
    }
    const test = { share: 80, metric: 'event', event: 'bought', hours: 1 } as const
    const clear = await begun(world, { variants: two, test })
    await waiting(world, clear)
    await buy(clear, 'B', 100)
    clock.advance(3600 + 1)
    await isSent(world, clear)
    expect(await engine.campaigns.variants.results(project, clear)).toMatchObject({
      winner: 'B',
      chosenBy: 'figures',
    })
    everybodyOnce(world)

    world.sink.clear()
    // an event of before does not count
    const close = await begun(world, { variants: two, test: { ...test, whenUnclear: 'best' } })
    await waiting(world, close)
    await buy(close, 'A', 1)
    clock.advance(3600 + 1)
    await isSent(world, close)
    const results = await engine.campaigns.variants.results(project, close)
    expect(results).toMatchObject({ winner: 'A', chosenBy: 'best-so-far', isClear: false })
    everybodyOnce(world)
  })
})

/** The same people in each test, that have a different name and another value. */
async function people(engine: Engine, project: Project): Promise<void> {
  const rows = Array.from({ length: PEOPLE }, (_, i) => `p${i}@example.org,P${i},o${i}`)
  const file = Buffer.from(['email,name,other', ...rows].join('\n'))
  const { answer } = await engine.contacts.jobs.import(project, { file })
  await until('the contacts are there', async () => {
    return (await engine.contacts.jobs.get(project, 'import', answer.jobId)).state === 'completed'
  })
}
