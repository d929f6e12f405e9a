import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, ownProject, type TestApp, testApp } from '../support/app.ts'
import { everyPage } from '../support/every-page.ts'
import { STRICT } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'

const NOW = '2026-03-29T20:00:00.000Z'

describe('what a request for activities may ask', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(STRICT, {}, { clock: new SettableClock(NOW) })
  })

  it.each([
    ['activity?types=email.open,email.opened', { types: 'invalid_enum_value' }],
    [`activity?types=${'email.open,'.repeat(14)}x`, { types: 'invalid_enum_value' }],
    ['activity?types=', { types: 'invalid_enum_value' }],
    ['activity?limit=101', { limit: 'too_big' }],
    ['activity?timezone=Nowhere', { timezone: 'custom' }],
    ['activity?startDate=2026-01-02&endDate=2026-01-01', { endDate: 'too_small' }],
    ['activity/stats?startDate=2026-01-02T10:00Z&endDate=2026-01-02T10:00Z', { endDate: 'too_small' }],
    ['activity/recent-count?minutes=0', { minutes: 'too_small' }],
    ['activity/recent-count?minutes=61', { minutes: 'too_big' }],
    ['activity/upcoming?daysAhead=91', { daysAhead: 'too_big' }],
  ])('is not %s', async (path, fields) => {
    expectEnvelope(await test.ask('GET', `/${path}`), 422, 'VALIDATION_ERROR', fields)
  })

  it('is one list for each question: a cursor of another is refused, and who is not known did nothing', async () => {
    for (const event of ['a', 'b']) await test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event } })
    const { body } = await test.ask('GET', '/activity?limit=1')
    expect(body).toMatchObject({ total: 2, hasMore: true })
    expect((await test.ask('GET', `/activity?limit=1&cursor=${body.cursor}`)).body).toMatchObject({
      total: 0,
      hasMore: false,
      cursor: null,
    })
    const foreign = await test.ask('GET', `/activity?types=event.triggered&cursor=${body.cursor}`)
    expectEnvelope(foreign, 400, 'BAD_REQUEST')
    const none = { data: [], total: 0, hasMore: false }
    expect((await test.ask('GET', '/activity?contactId=nobody')).body).toMatchObject(none)
    expect((await test.ask('GET', `/activity?contactId=${body.data[0].id}`)).body).toMatchObject(none)
  })
})

describe.each([STRICT])('activities on $name', (store) => {
  // catches times that are taken before the ids: requests that overlap then stand in another order
  it.each(['events', 'activity'])('of a burst are listed by time, then id, also page by page: /%s', async (list) => {
    const test = await ownProject(await testApp(store))
    await Promise.all(
      Array.from({ length: 150 }, async (_, i) => {
        const email = `p${i % 40}@example.org`
        // looked up first, which takes a moment
        const headers: Record<string, string> = i % 2 === 0 ? { 'idempotency-key': String(i) } : {}
        await test.ask('POST', '/v1/track', { json: { email, event: `e${i % 3}`, subscribed: i % 3 === 0 }, headers })
        if (i % 5 === 0) await test.ask('POST', '/v1/send', { json: { ...MAIL, to: email } })
      }),
    )
    const rows = await everyPage(async (path) => (await test.ask('GET', path)).body, `/${list}`)
    const keys = rows.map(({ id, createdAt, timestamp }) => `${createdAt ?? timestamp} ${id}`)
    expect(keys.length).toBeGreaterThan(150)
    expect(keys).toEqual(keys.toSorted().toReversed())
  })

  it('are listed by day of any time zone, as many as are counted, and say what is to happen', async () => {
    const clock = new SettableClock('2026-03-28T18:29:59.999Z')
    const test = await ownProject(await testApp(store, {}, { clock }))
    const track = (event: string) =>
      test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event, data: { sum: 1 } } })
    await track('paid')
    // midnight in India
    clock.set('2026-03-28T18:30:00.000Z')
    await track('paid')
    await track('left')
    const day = '?startDate=2026-03-28&endDate=2026-03-28'
    for (const [zone, events] of [
      ['UTC', ['left', 'paid', 'paid']],
      ['Asia/Kolkata', ['paid']],
    ] as const) {
      const list = await everyPage(
        async (path) => (await test.ask('GET', path)).body,
        `/activity${day}&timezone=${zone}`,
      )
      expect(list.map(({ metadata }: { metadata: { eventName: string } }) => metadata.eventName)).toEqual(events)
      const { body } = await test.ask('GET', `/activity/stats${day}&timezone=${zone}`)
      expect(body).toMatchObject({ totalEvents: events.length, totalEmailsSent: 0, openRate: 0 })
    }
    const [first] = (await test.ask('GET', '/activity?types=event.triggered&limit=1')).body.data
    expect(first).toMatchObject({
      ...{ type: 'event.triggered', timestamp: '2026-03-28T18:30:00.000Z', contactEmail: 'ada@example.org' },
      metadata: { eventName: 'left', data: { sum: 1 } },
    })
    expect((await test.ask('GET', '/activity/types')).body).toEqual({ types: ['event.triggered'] })
    clock.set('2026-03-28T18:40:00.000Z')
    const recent = async (minutes: number) => (await test.ask('GET', `/activity/recent-count?minutes=${minutes}`)).body
    expect([await recent(5), await recent(10)]).toEqual([
      { count: 0, minutes: 5 },
      { count: 2, minutes: 10 },
    ])

    const scheduledFor = '2026-03-30T08:00:00.000Z'
    await test.ask('POST', '/v1/send', { json: { ...MAIL, scheduledFor } })
    expect((await test.ask('GET', '/activity/upcoming')).body).toMatchObject({
      activities: [
        {
          ...{ type: 'email.scheduled', timestamp: scheduledFor, contactEmail: MAIL.to },
          metadata: { subject: MAIL.subject, from: MAIL.from },
        },
      ],
    })
    expect((await test.ask('GET', '/activity/upcoming?daysAhead=1')).body).toEqual({ activities: [] })
    expect((await test.ask('GET', `/activity/upcoming`)).text).not.toContain('<p>')
  })
})
