import { beforeAll, describe, expect, it } from 'vitest'
import { dayAfter } from '../../core/values/time-zone.ts'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'

const [NOW, TODAY] = ['2026-03-29T20:00:00.000Z', '2026-03-29']

describe('what a request for figures may ask', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(STRICT, {}, { clock: new SettableClock(NOW) })
  })

  const series = async (query: string) => test.ask('GET', `/analytics/timeseries?${query}`)
  const daysOf = async (query: string) => (await series(query)).body.map(({ date }: { date: string }) => date)

  it('30 days by default, up to today where the time zone has it, and 366 at most', async () => {
    expect(await daysOf('')).toEqual(Array.from({ length: 30 }, (_, i) => dayAfter(TODAY, i - 29)))
    expect((await daysOf('timezone=Pacific/Auckland')).at(-1)).toBe('2026-03-30')
    expect(await daysOf('endDate=2026-01-02')).toEqual(Array.from({ length: 30 }, (_, i) => dayAfter('2025-12-04', i)))
    expect(await daysOf('startDate=2026-03-28')).toEqual(['2026-03-28', TODAY])
    expect(await daysOf('startDate=2026-01-01T23:30:00Z&endDate=2026-01-02&timezone=Europe/Berlin')).toEqual([
      '2026-01-02',
    ])
    expect(await daysOf('startDate=2025-01-01&endDate=2026-01-01')).toHaveLength(366)
    const nothing = { emails: 0, delivered: 0, toFolder: 0, opens: 0, clicks: 0, bounces: 0, complaints: 0 }
    expect((await series('startDate=2026-03-29')).body).toEqual([{ date: TODAY, ...nothing }])
  })

  it.each([
    ['startDate=2025-01-01&endDate=2026-01-02', { startDate: 'too_big' }],
    ['startDate=2025-03-28', { startDate: 'too_big' }],
    ['startDate=2026-01-02&endDate=2026-01-01', { endDate: 'too_small' }],
    ['startDate=yesterday', { startDate: 'invalid_date' }],
    ['endDate=2026-02-30', { endDate: 'invalid_date' }],
    ['endDate=0001-01-01', { endDate: 'invalid_date' }],
    ['timezone=Mars/Base', { timezone: 'custom' }],
    ['timezone=%2B05:07&startDate=never', { timezone: 'custom', startDate: 'invalid_date' }],
  ])('is not %s, and names the field', async (query, fields) => {
    expectEnvelope(await series(query), 422, 'VALIDATION_ERROR', fields)
    expectEnvelope(await test.ask('GET', `/analytics/top-events?${query}`), 422, 'VALIDATION_ERROR', fields)
  })

  it.each([
    ['top-events?limit=0', { limit: 'too_small' }],
    ['top-events?limit=101', { limit: 'too_big' }],
    ['top-campaigns?limit=101', { limit: 'too_big' }],
    ['top-campaigns?metric=bounces', { metric: 'invalid_enum_value' }],
    ['campaign-stats?limit=x', { limit: 'invalid_type' }],
  ])('is not %s', async (path, fields) => {
    expectEnvelope(await test.ask('GET', `/analytics/${path}`), 422, 'VALIDATION_ERROR', fields)
  })
})

describe.each([STRICT])('figures on $name', (store) => {
  it('are of the day they happened, in any time zone; a trend compares with as many days before', async () => {
    const clock = new SettableClock('2026-03-27T18:00:00Z')
    const whole = await testApp(store, {}, { clock })
    const test = await ownProject(whole)
    const track = (event: string) => test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event } })
    for (const event of ['paid', 'paid', 'seen']) await track(event)
    clock.set('2026-03-28T18:29:59.999Z')
    await track('paid')
    // midnight in India
    clock.set('2026-03-28T18:30:00.000Z')
    for (const event of ['paid', 'paid', 'left']) await track(event)
    clock.set(NOW)
    const top = async (query: string) => (await test.ask('GET', `/analytics/top-events?${query}`)).body
    const day = 'startDate=2026-03-28&endDate=2026-03-28'
    expect(await top(day)).toEqual([
      { name: 'paid', count: 3, trend: 50 },
      { name: 'left', count: 1, trend: null },
    ])
    expect(await top(`${day}&timezone=Asia/Kolkata`)).toEqual([{ name: 'paid', count: 1, trend: -50 }])
    expect(await top('startDate=2026-03-29&endDate=2026-03-29&timezone=Asia/Kolkata&limit=1')).toEqual([
      { name: 'paid', count: 2, trend: 100 },
    ])
    expect(await top('')).toMatchObject([{ name: 'paid', count: 5 }, { name: 'left' }, { name: 'seen' }])
    expect((await whole.ask('GET', '/analytics/top-events')).body).toEqual([])
  })
})
