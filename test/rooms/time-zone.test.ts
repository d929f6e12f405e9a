import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { Day, DayOrMoment, Days, dayAfter, daysBetween, TimeZone } from '../../core/values/time-zone.ts'

/** Days that no test of figures sees: left out, doubled, short or long, in zones few people live in. */
describe('the days of a time zone', () => {
  it.each([
    ['UTC', '2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['Asia/Kolkata', '2026-01-31', '2026-01-30T18:30:00.000Z'],
    ['Asia/Kathmandu', '2026-01-31', '2026-01-30T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-31', '2026-01-30T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-31', '2026-01-31T11:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-01-31', '2026-01-30T13:00:00.000Z'],
    // midnight is left out, and twice there
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z'],
    ['America/Havana', '2024-03-10', '2024-03-10T05:00:00.000Z'],
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z'],
    // a day that was left out begins when the next does
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ])('of %s: %s begins at %s', (zone, day, expected) => {
    expect(new Days(zone).start(day).toISOString()).toBe(expected)
  })

  it.each([
    'Europe/Berlin',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
    'Africa/Cairo',
    'Pacific/Apia',
    'UTC',
  ])('are in %s as its clocks say, for years on end, one after the other', (zone) => {
    const days = new Days(zone)
    const starts = days.starts('2010-12-28', 800)
    for (const [i, start] of starts.entries()) {
      const day = dayAfter('2010-12-28', i)
      expect(start).toEqual(days.start(day))
      if (zone === 'Pacific/Apia' && day === '2011-12-30') continue
      expect([day, days.of(start), days.of(new Date(start.getTime() - 1))]).toEqual(
        [day, day, dayAfter(day, -1)].map((expected) =>
          zone === 'Pacific/Apia' && day === '2011-12-31' && expected === '2011-12-30' ? '2011-12-29' : expected,
        ),
      )
      expect(start.getTime() % 900_000).toBe(0)
    }
  })

  it.each([
    ['Europe/Berlin', '2026-03-28', '02:30', '2026-03-28T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '01:59', '2026-03-29T00:59:00.000Z'],
    // left out: clocks go from 2:00 to 3:00
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '03:00', '2026-03-29T01:00:00.000Z'],
    // shown twice: clocks go from 3:00 to 2:00
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '03:00', '2026-10-25T02:00:00.000Z'],
    ['America/New_York', '2026-03-08', '02:30', '2026-03-08T07:30:00.000Z'],
    ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:45:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-31', '23:59:59', '2026-01-31T09:59:59.000Z'],
    ['Pacific/Apia', '2011-12-30', '09:00', '2011-12-30T19:00:00.000Z'],
  ])('of %s: on %s clocks show %s at %s', (zone, day, time, expected) => {
    expect(new Days(zone).at(day, time).toISOString()).toBe(expected)
  })

  it('are named by day or by moment, in years that clocks know', () => {
    const read = (text: string) => v.safeParse(DayOrMoment, text).output
    expect([read('2026-01-31'), read(' 2026-01-31 ')]).toEqual(['2026-01-31', '2026-01-31'])
    expect(read('2026-01-31T10:00+01:00')).toEqual(new Date('2026-01-31T09:00:00Z'))
    for (const wrong of ['2026-02-30', 'today', '1971-12-31', '9999-01-01', '0001-01-01', '']) {
      expect(v.is(DayOrMoment, wrong), wrong).toBe(false)
      expect(v.is(Day, wrong), wrong).toBe(false)
    }
    expect([v.is(Day, '1972-01-01'), v.is(Day, '9998-12-31'), v.is(Day, '2026-01-31T10:00Z')]).toEqual([
      true,
      true,
      false,
    ])
    expect([daysBetween('2026-03-01', '2026-03-31'), daysBetween('2026-03-31', '2026-03-31')]).toEqual([30, 0])
  })

  it('are those of a zone that has a name', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      expect(v.is(TimeZone, name), name).toBe(true)
    for (const name of ['', '+05:30', '+05:07', 'Mars/Base', 'Europe/Berlin\n', '\u0000', 'a'.repeat(65), '../../etc'])
      expect(v.is(TimeZone, name), name).toBe(false)
  })
})
