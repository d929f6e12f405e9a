import { describe, expect, it, onTestFinished } from 'vitest'
import { BrakeCampaigns } from '../../core/campaigns/brake-campaigns.ts'
import { frozenAudience, thawedAudience } from '../../core/campaigns/campaign-audience.ts'
import { courseFigures, courseSpan } from '../../core/campaigns/campaign-course.ts'
import { campaignStats } from '../../core/campaigns/campaign-numbers.ts'
import { CompleteCampaigns } from '../../core/campaigns/complete-campaigns.ts'
import { ControlCampaigns } from '../../core/campaigns/control-campaigns.ts'
import { CampaignVariants } from '../../core/campaigns/variants/campaign-variants.ts'
import { CampaignWatch } from '../../core/delivery/campaign-watch.ts'
import { Reputation } from '../../core/feedback/reputation.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Audience } from '../../core/ports/store/audiences.ts'
import type { CampaignCounters } from '../../core/ports/store/campaign-mails.ts'
import type { FanOut } from '../../core/ports/store/campaigns.ts'
import { Doorbell } from '../../core/work/doorbell.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { filled } from '../contracts/store/campaign-mails.ts'
import { campaign as newCampaign, newProjectId } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { testStore } from '../support/store.ts'

const TALLY: CampaignCounters = {
  ...{ recipients: 10, sent: 6, delivered: 6, toFolder: 0, opened: 4, humanOpened: 1, clicked: 2, humanClicked: 1 },
  ...{ anonymousOpened: 0, anonymousHumanOpened: 0, anonymousClicked: 0, anonymousHumanClicked: 0 },
  ...{ bounced: 1, bouncedLater: 0, complained: 1, unsubscribed: 1, replied: 1, failed: 1, failedLater: 0 },
  skipped: { 'suppressed:BOUNCE': 1, unsubscribed: 1 },
}
const FAN_OUT: FanOut = {
  ...{ frozenAt: '2025-06-01T12:00:00.000Z', upTo: 'z', cursor: 'a', done: true, recipients: 10 },
  skipped: { suppressed: 2, unsubscribed: 3 },
}

describe('the figures of a campaign', () => {
  it('add up', () => {
    const stats = campaignStats({ fanOut: FAN_OUT }, TALLY)
    const { totalRecipients, queued, sent, bounced, failed } = stats
    expect(queued + sent + bounced + failed + 2).toBe(totalRecipients)
    expect(queued).toBe(0)
  })

  it('count as waiting what is still to be written while it goes out or is paused, and no longer once it has ended', () => {
    const fanOut = { ...FAN_OUT, done: false, expected: 100 }
    const going = { totalRecipients: 100, queued: 90, sent: 6 }
    for (const status of ['SENDING', 'PAUSED'] as const)
      expect(campaignStats({ fanOut, status }, TALLY)).toMatchObject(going)
    const ended = { totalRecipients: 10, queued: 0 }
    expect(campaignStats({ fanOut, status: 'CANCELLED' }, TALLY)).toMatchObject(ended)
    expect(campaignStats({ fanOut: { ...fanOut, done: true }, status: 'SENDING' }, TALLY)).toMatchObject(ended)
    // more came than was counted
    expect(campaignStats({ fanOut: { ...fanOut, expected: 9 }, status: 'SENDING' }, TALLY)).toMatchObject(ended)
  })

  it('count a mail that comes back after it was accepted once, so that others still wait', () => {
    const going = {
      ...TALLY,
      recipients: 100,
      sent: 50,
      delivered: 38,
      bounced: 12,
      bouncedLater: 10,
      failed: 3,
      failedLater: 2,
    }
    expect(campaignStats({}, { ...going, skipped: {} })).toMatchObject({
      ...{ queued: 47, sent: 50, delivered: 38, bounced: 12, failed: 3, bounceRate: 23.08, deliveryRate: 73.08 },
    })
  })

  it('count who was left out at once and who was left out later together', () => {
    const { skipped, leftOutAtStart } = campaignStats({ fanOut: FAN_OUT }, TALLY)
    expect(skipped).toEqual({
      suppressed: 3,
      unsubscribed: 4,
      paused: 0,
      topic: 0,
      contactRemoved: 0,
      cancelled: 0,
      capped: 0,
      heldOut: 0,
      caught: 0,
    })
    expect(leftOutAtStart).toBe(5)
  })

  it('have rates in percent with two decimals, of machines too or without them', () => {
    expect(campaignStats({}, TALLY)).toMatchObject({ opened: 4, openRate: 66.67, clickRate: 33.33, bounceRate: 14.29 })
    expect(campaignStats({}, TALLY, true)).toMatchObject({ opened: 1, clicked: 1, openRate: 16.67, clickRate: 16.67 })
  })

  it('count what was done by people nobody may know, and say how much of it that is', () => {
    const anonymous = { anonymousOpened: 5, anonymousHumanOpened: 1, anonymousClicked: 1, anonymousHumanClicked: 0 }
    const counters = { ...TALLY, ...anonymous }
    // of six that were sent, nine were opened: a reader came back and was not recognized
    expect(campaignStats({}, counters)).toMatchObject({ opened: 9, openRate: 100, clicked: 3, clickRate: 50 })
    expect(campaignStats({}, counters).anonymous).toEqual({ opened: 5, clicked: 1 })
    expect(campaignStats({}, counters, true)).toMatchObject({
      opened: 2,
      clicked: 1,
      anonymous: { opened: 1, clicked: 0 },
    })
  })

  it('are zero before anything is sent', () => {
    const nothing = Object.fromEntries(Object.keys(TALLY).map((key) => [key, 0]))
    const stats = campaignStats({}, { ...TALLY, ...nothing, skipped: {} })
    const { skipped, anonymous, ...figures } = stats
    for (const figure of [figures, skipped, anonymous].flatMap((each): readonly number[] => Object.values(each)))
      expect(figure).toBe(0)
  })
})

describe('the course of a campaign', () => {
  // an hour before the clocks go forward
  const began = new Date('2026-03-29T00:20:00Z')
  const later = (hours: number) => new Date(began.getTime() + hours * 3_600_000)
  const span = (hours: number, unit?: 'hour' | 'day') =>
    courseSpan({ unit, timezone: 'Europe/Berlin' }, began, later(hours))
  const opened = (at: Date) => ({ figure: 'opened', at, count: 2 }) as const

  it('is hours of three days at first, as its clocks have them, and days afterwards', () => {
    expect(span(2).names).toEqual([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
      '2026-03-29T04:00:00+02:00',
    ])
    expect(span(1000, 'hour').names).toHaveLength(72)
    expect(span(1, 'day').names).toEqual(['2026-03-29'])
    expect(span(80).names).toEqual(['2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01'])
    expect(span(10_000).names).toHaveLength(366)
    // the clock of the machine was set back
    expect(span(-5).names).toEqual(['2026-03-29T01:00:00+01:00'])
  })

  it('ends where nothing happens any more, and has no gaps before', () => {
    const none = { delivered: 0, opens: 0, clicks: 0, unsubscribes: 0 }
    expect(courseFigures(span(80), [])).toEqual([{ date: '2026-03-29', ...none }])
    const rows = courseFigures(span(80), [opened(later(46)), opened(later(0)), opened(later(45.5))])
    expect(rows).toEqual([
      { date: '2026-03-29', ...none, opens: 2 },
      { date: '2026-03-30', ...none, opens: 2 },
      { date: '2026-03-31', ...none, opens: 2 },
    ])
  })
})

describe('a frozen audience', () => {
  const day = new Date('2025-05-31T00:00:00.000Z')
  const audience: Audience = {
    kind: 'any',
    of: [
      { kind: 'text', field: 'email', is: 'oneOf', values: ['from', 'before'] },
      { kind: 'moment', field: 'createdAt', from: day },
      { kind: 'not', of: { kind: 'event', name: 'before', count: 2, from: day, before: new Date(day.getTime() + 1) } },
      { kind: 'data', path: ['from', 'before'], test: { is: 'moment', before: day } },
      { kind: 'data', path: ['a'], test: { is: 'text', how: 'contains', text: '2025-05-31T00:00:00.000Z' } },
      { kind: 'member', segmentId: 's' },
      { kind: 'flag', field: 'subscribed', is: true },
    ],
  }

  it('is plain JSON and reads back as it was', () => {
    const frozen = frozenAudience(audience)
    expect(JSON.parse(JSON.stringify(frozen))).toEqual(frozen)
    expect(thawedAudience({ ...FAN_OUT, audience: frozen })).toEqual(audience)
  })

  it('is stored under the names that versions before and after know', () => {
    const stored = {
      kind: 'all',
      of: [
        { kind: 'email', is: 'text', how: 'endsWith', text: '@acme.example' },
        { kind: 'not', of: { kind: 'subscribed', is: true } },
        { kind: 'tracking', is: 'full' },
        { kind: 'moment', field: 'updatedAt', before: day.toISOString() },
      ],
    }
    const audience: Audience = {
      kind: 'all',
      of: [
        { kind: 'text', field: 'email', is: 'text', how: 'endsWith', text: '@acme.example' },
        { kind: 'not', of: { kind: 'flag', field: 'subscribed', is: true } },
        { kind: 'choice', field: 'tracking', is: 'full' },
        { kind: 'moment', field: 'updatedAt', before: day },
      ],
    }
    expect(frozenAudience(audience)).toEqual(stored)
    expect(thawedAudience({ ...FAN_OUT, audience: stored })).toEqual(audience)
  })

  it('with a test that is not known is refused, since a store that left it out would let everybody in', () => {
    const audience = { kind: 'all', of: [{ kind: 'phone', is: 'oneOf', values: ['1'] }] }
    expect(() => thawedAudience({ ...FAN_OUT, audience })).toThrow('a test of "phone"')
  })

  it('is everybody when there is none', () => {
    expect(thawedAudience(FAN_OUT)).toEqual({ kind: 'all', of: [] })
  })
})

describe('the end of a campaign', () => {
  it('is FAILED when nothing was sent of what was not left out, and SENT when something was, with a reason when it was little', async () => {
    const { store, clock, close } = await testStore()
    onTestFinished(close)
    const kit = kitOf(() => clock.now())
    const { queue } = await inProcess().open({ log: silentLog, clock })
    onTestFinished(() => queue.stop())
    const watch = new CampaignWatch(store)
    const doorbell = new Doorbell(queue, kit)
    const control = new ControlCampaigns(store, doorbell, watch, kit)
    const brake = new BrakeCampaigns(store, watch, doorbell, kit)
    const reputation = new Reputation(store, kit)
    const variants = new CampaignVariants(store, doorbell, brake, kit)
    const complete = new CompleteCampaigns(store, doorbell, control, reputation, brake, variants, kit)
    const projectId = newProjectId()
    for (const [mailsOf, end, statusReason] of [
      [['FAILED'], 'FAILED', 'None of its mails could be sent.'],
      [['BOUNCED'], 'SENT', undefined],
      [['FAILED', 'FAILED', 'DELIVERED'], 'SENT', '2 of its 3 mails could not be sent.'],
      [['FAILED', 'DELIVERED'], 'SENT', undefined],
    ] as const) {
      const [{ id }, mails] = await filled(store, projectId, mailsOf.length + 1, (i) => {
        const status = mailsOf[i]
        return status ? { status } : { status: 'SKIPPED', skipReason: 'unsubscribed' }
      })
      const made = await store.campaigns.find(projectId, id)
      await store.campaigns.update({ ...made!, fanOut: { ...FAN_OUT, recipients: mails.length } })
      await complete.tick(new AbortController().signal)
      const done = await store.campaigns.find(projectId, id)
      expect([done?.status, done?.statusReason]).toEqual([end, statusReason])
    }
  })
})

describe('the watch over a campaign', () => {
  it('knows of a change when that has been said, and of what is gone', async () => {
    const { store, close } = await testStore()
    onTestFinished(close)
    const watch = new CampaignWatch(store)
    const campaign = newCampaign(newProjectId(), { status: 'SENDING' })
    const { projectId, id } = campaign
    await store.campaigns.insert(campaign)
    expect(await watch.sending(projectId, id)).toBeDefined()
    await store.campaigns.update({ ...campaign, status: 'PAUSED' })
    await watch.changed(id)
    expect(await watch.sending(projectId, id)).toBeUndefined()
    await store.campaigns.update(campaign)
    watch.forget(id)
    expect(await watch.sending(projectId, id)).toBeDefined()
    await store.campaigns.remove(projectId, id)
    await watch.changed(id)
    expect(await watch.sending(projectId, id)).toBeUndefined()
  })

  it('believes no look that was begun before a change', async () => {
    const { store, close } = await testStore()
    onTestFinished(close)
    const watch = new CampaignWatch(store)
    const campaign = newCampaign(newProjectId(), { status: 'SENDING' })
    const { projectId, id } = campaign
    await store.campaigns.insert(campaign)
    const looks = [watch.sending(projectId, id), watch.sending(projectId, id)]
    const change = store.campaigns.update({ ...campaign, status: 'CANCELLED' }).then(() => watch.changed(id))
    await change
    const later = await watch.sending(projectId, id)
    await Promise.all(looks)
    expect(later).toBeUndefined()
  })
})
