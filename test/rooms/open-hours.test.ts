import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hours, OpenHours, WEEKDAYS } from '../../core/values/open-hours.ts'
import { zoneOfContact } from '../../core/values/zone-of-contact.ts'

/** Zones with clocks changed in the north and the south, by half an hour, at midnight, and odd distances from UTC. */
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Sydney', 'Australia/Lord_Howe'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Africa/Cairo', 'America/St_Johns', 'Pacific/Kiritimati', 'Pacific/Chatham'],
]
const HOUR_MS = 3_600_000
const minutes = fc.integer({ min: 0, max: 1439 })
const hours = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
  from: minutes,
  until: minutes,
})
// the nights in which clocks change are a small part of the year
const moments = fc.oneof(
  fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
  ...[
    '2026-03-29',
    '2026-10-25',
    '2026-03-08',
    '2026-11-01',
    '2026-04-05',
    '2026-10-04',
    '2026-09-06',
    '2027-04-30',
  ].map((day) =>
    fc.date({ min: new Date(`${day}T00:00Z`), max: new Date(Date.parse(day) + 36 * HOUR_MS), noInvalidDate: true }),
  ),
)

describe('open hours', () => {
  it('never count a moment as open that clocks show outside of them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        hours,
        moments,
        fc.integer({ min: 0, max: 90 * HOUR_MS }),
        (zone, given, from, ms) => {
          fc.pre(given.from !== given.until)
          const wanted = { ...given, from: timeOf(given.from), until: timeOf(given.until) }
          const open = new OpenHours(wanted, zone)
          const [next, after] = [open.next(from), open.after(from, ms, 20)]
          expect(next >= from && after >= next).toBe(true)
          expect({ from, next, isOpen: isWithin(wanted, zone, next) }).toMatchObject({ isOpen: true })
          // the last moment before the time is over
          if (after > next)
            expect({ from, after, isOpen: isWithin(wanted, zone, new Date(after.getTime() - 1)) }).toMatchObject({
              isOpen: true,
            })
          expect(open.next(next)).toEqual(next)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('leave no open moment out, but for those that clocks show twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), hours, moments, (zone, given, from) => {
        fc.pre(given.from !== given.until)
        const wanted = { ...given, from: timeOf(given.from), until: timeOf(given.until) }
        fc.pre(isWithin(wanted, zone, from) && !isShownTwice(zone, from))
        expect(new OpenHours(wanted, zone).next(from)).toEqual(from)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    [
      'a weekday',
      { days: ['mon'], from: '09:00', until: '18:00' },
      'Europe/Berlin',
      '2026-11-27T12:00Z',
      '2026-11-30T08:00Z',
    ],
    ['a window over midnight', { from: '22:00', until: '02:00' }, 'UTC', '2026-11-27T01:00Z', '2026-11-27T01:00Z'],
    ['its end', { from: '22:00', until: '02:00' }, 'UTC', '2026-11-27T02:00Z', '2026-11-27T22:00Z'],
    // it began on Friday
    ['its day', { days: ['fri'], from: '22:00', until: '02:00' }, 'UTC', '2026-11-28T01:00Z', '2026-11-28T01:00Z'],
    [
      'the day after',
      { days: ['sat'], from: '22:00', until: '02:00' },
      'UTC',
      '2026-11-28T01:00Z',
      '2026-11-28T22:00Z',
    ],
    [
      'an hour that a day leaves out',
      { from: '02:10', until: '02:50' },
      'Europe/Berlin',
      '2026-03-29T00:55Z',
      '2026-03-30T00:10Z',
    ],
    [
      'a beginning that is left out',
      { from: '02:30', until: '05:00' },
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      '2026-03-29T01:00Z',
    ],
    [
      'an end that is left out',
      { from: '01:00', until: '02:30' },
      'Europe/Berlin',
      '2026-03-29T01:00Z',
      '2026-03-29T23:00Z',
    ],
    [
      'a beginning that comes twice',
      { from: '02:30', until: '05:00' },
      'Europe/Berlin',
      '2026-10-25T00:40Z',
      '2026-10-25T01:30Z',
    ],
    [
      'an end that comes twice',
      { from: '01:00', until: '02:30' },
      'Europe/Berlin',
      '2026-10-25T00:40Z',
      '2026-10-26T00:00Z',
    ],
    ['the whole day', { days: ['sun'] }, 'Africa/Cairo', '2026-11-27T12:00Z', '2026-11-28T22:00Z'],
  ] as const)('know %s', (_what, given, zone, from, expected) => {
    expect(new OpenHours(given, zone).next(new Date(from)).toISOString()).toBe(new Date(expected).toISOString())
  })

  it('count only their own time, over nights and week-ends', () => {
    const open = new OpenHours(
      { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', until: '17:00' },
      'Asia/Kolkata',
    )
    const friday = new Date('2026-11-27T15:00:00+05:30')
    expect(open.after(friday, 4 * HOUR_MS).toISOString()).toBe(new Date('2026-11-30T11:00:00+05:30').toISOString())
    expect(open.after(friday, 4 * HOUR_MS, 1).toISOString()).toBe(new Date('2026-11-27T17:00:00+05:30').toISOString())
  })

  it('find the next time of day that is open', () => {
    const open = new OpenHours({ days: ['tue'], from: '08:00', until: '12:00' }, 'Asia/Kathmandu')
    const found = open.nextAt(new Date('2026-11-24T09:01:00+05:45'), '09:00')
    expect(found.toISOString()).toBe(new Date('2026-12-01T09:00:00+05:45').toISOString())
    const berlin = new OpenHours({}, 'Europe/Berlin')
    // clocks leave 02:30 out
    expect(berlin.nextAt(new Date('2026-03-29T00:00Z'), '02:30').toISOString()).toBe('2026-03-29T01:00:00.000Z')
  })
})

describe('the zone of a contact', () => {
  it.each([
    [{ timezone: 'Asia/Tokyo', country: 'DE' }, 'Asia/Tokyo', 'contact'],
    [{ timeZone: 'America/Lima' }, 'America/Lima', 'contact'],
    [{ timezone: 'Middle-earth/Shire', country: 'fr' }, 'Europe/Paris', 'country'],
    // several zones: that of the capital
    [{ country: 'US' }, 'America/New_York', 'country'],
    [{ country: 'AU' }, 'Australia/Sydney', 'country'],
    [{ country: 'XX' }, 'Africa/Nairobi', 'project'],
    [{ country: '??', timezone: 7 }, 'Africa/Nairobi', 'project'],
    [{}, 'Africa/Nairobi', 'project'],
  ])('%j: %s', (data, zone, by) => {
    expect(zoneOfContact(data, 'Africa/Nairobi')).toEqual({ zone, by })
  })
})

function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

/** The answer of clocks and calendars, by another way than the code's. */
function isWithin({ days = WEEKDAYS, from = '00:00', until = '24:00' }: Hours, zone: string, moment: Date): boolean {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(moment)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  const [weekday, time] = [
    Object.keys(WEEKDAYS).findIndex((i) => WEEKDAYS[Number(i)] === part('weekday').toLowerCase()),
    `${part('hour')}:${part('minute')}`,
  ]
  const isOn = (day: number) => days.some((each) => each === WEEKDAYS[(day + 7) % 7])
  if (from < until) return isOn(weekday) && time >= from && time < until
  return time >= from ? isOn(weekday) : time < until && isOn(weekday - 1)
}

/** Whether clocks that are put back, by an hour or half of one, show this moment's time twice. */
function isShownTwice(zone: string, moment: Date): boolean {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const shown = (ms: number) => clock.format(moment.getTime() + ms)
  return [0.5, 1].some((hours) => [-hours, hours].some((away) => shown(away * HOUR_MS) === shown(0)))
}
