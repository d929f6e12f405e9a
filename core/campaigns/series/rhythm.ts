import type { Rhythm } from '../../ports/store/series.ts'
import { WEEKDAYS } from '../../values/open-hours.ts'
import { Days, dayAfter } from '../../values/time-zone.ts'

const HOUR_MS = 3_600_000
/** How many days are looked at: the longest rhythm has a month, and a zone may leave out a day. */
const LOOKED_AT = 100

/** The first time of the rhythm after this moment. */
export function nextTime(rhythm: Rhythm, after: Date): Date {
  if (rhythm.every === 'hour') return new Date((Math.floor(after.getTime() / HOUR_MS) + 1) * HOUR_MS)
  const days = new Days(rhythm.timezone)
  // a time of the day before may be put off past midnight, where clocks go forward then
  let day = dayAfter(days.of(after), -1)
  for (let looked = 0; looked < LOOKED_AT; looked++, day = dayAfter(day, 1)) {
    if (!isOn(rhythm, day)) continue
    const at = days.at(day, rhythm.at)
    if (at > after) return at
  }
  throw new RangeError(`no time of ${JSON.stringify(rhythm)} comes after ${after.toISOString()}`)
}

/** The next times of the rhythm, the first of which is known. */
export function timesFrom(rhythm: Rhythm, first: Date, count: number): readonly Date[] {
  const times = [first]
  for (let at = first; times.length < count; times.push(at)) at = nextTime(rhythm, at)
  return times
}

function isOn({ every, days = [], day = 1 }: Rhythm, date: string): boolean {
  if (every === 'week') {
    const weekday = WEEKDAYS[new Date(date).getUTCDay()]
    return weekday !== undefined && days.includes(weekday)
  }
  if (every !== 'month') return true
  const isLast = dayAfter(date, 1).endsWith('-01')
  const number = Number(date.slice(8))
  return day === 'last' ? isLast : number === day || (isLast && number < day)
}
