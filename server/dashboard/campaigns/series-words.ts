import type { components } from '../api/client.ts'
import type { Texts } from '../texts/types.ts'

type Rhythm = components['schemas']['Rhythm']

/** When issues are made, as people say it. */
export function rhythmInWords({ every, days = [], day, at, timezone }: Rhythm, t: Texts): string {
  if (every === 'hour') return t.series.everyHour
  const when =
    every === 'week'
      ? days.map((each) => t.series.days[each]).join(', ')
      : every === 'month'
        ? day === 'last'
          ? t.series.lastDay
          : t.series.onDay(String(day))
        : t.series.everyDay
  return t.series.rhythmAt(when, at, timezone)
}
