import { useMemo } from 'react'
import { useLanguage } from '../texts/texts.tsx'

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Numbers, shares and times in the reader's format and zone. */
export function useFormats() {
  const { language } = useLanguage()
  return useMemo(() => makeFormats(language), [language])
}

function makeFormats(language: string) {
  // the browser's own region where it speaks the same language: 1.234,5 in Germany, 1’234.5 in Switzerland
  const locale = navigator.languages.find((each) => each.slice(0, 2) === language && isLocale(each)) ?? language
  const number = new Intl.NumberFormat(locale)
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const smallShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const decimal = number.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
  return {
    locale,
    number: (value: number) => number.format(value),
    /** The sign before decimals. */
    decimal,
    /** A number among the data of contacts, with all its digits and no others: a year or a postcode has no dot in it. */
    plain: (value: number) => String(value).replace('.', decimal),
    /** 12.5 becomes "12.5%". Below one percent a second digit counts, as rates of complaints are small. */
    percent: (value: number) => (Math.abs(value) < 1 ? smallShare : share).format(value / 100),
    short: (value: number) => short.format(value),
    time: (value: string | Date) => time.format(new Date(value)),
    /** The time of the day alone. */
    clock: (value: string | Date) => clock.format(new Date(value)),
    exact: (value: string | Date) => exact.format(new Date(value)),
    day: (value: string | Date) => day.format(new Date(value)),
    /** A date such as `2026-05-01`, which is the same in every time zone. */
    date: (value: string) => day.format(new Date(`${value}T12:00`)),
    /** Without the year. */
    shortDay: (value: Date) => shortDay.format(value),
    bytes: (value: number) => {
      const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
      const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
      const unit = units[power] ?? 'byte'
      const unitDisplay = power === 0 ? 'long' : 'short'
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumSignificantDigits: 3 }).format(
        value / 1000 ** power,
      )
    },
    /** "1 minute", "3 days". */
    lasting: (amount: number, units: string) =>
      /^(second|minute|hour|day|week)s$/.test(units)
        ? new Intl.NumberFormat(locale, { style: 'unit', unit: units.slice(0, -1), unitDisplay: 'long' }).format(amount)
        : `${amount} ${units}`,
    /** "5 minutes ago", "in 2 days". */
    ago(value: string | Date, now = Date.now()) {
      const seconds = (new Date(value).getTime() - now) / 1000
      const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1]
      return ago.format(Math.trunc(seconds / size), unit)
    },
  }
}

/** Some systems name locales in their own way, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
