import * as v from 'valibot'
import { describedBy } from './described.ts'
import { say } from './parse.ts'
import { oddWhen } from './unknown-keys.ts'

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * A date or date-time of ISO 8601 as text (RFC 3339's form, seconds and zone optional); a bare date is midnight, and
 * without a zone it is UTC. Read as a Date.
 */
export const IsoDate = describedBy(
  v.pipe(
    v.string(),
    v.transform((text) => instantOf(text.trim())),
    v.check((date) => date !== undefined, say('invalid_date', 'must be an ISO 8601 date such as 2026-01-31T09:00:00Z')),
    v.transform((date) => date as Date),
    oddWhen(inexact),
  ),
  v.pipe(v.string(), v.isoTimestamp()),
)

/** The time of such a text, undefined for any other; unlike the schema it allows no surrounding space. */
export function instantOf(text: string): Date | undefined {
  const [, year, month, day, time] = ISO.exec(text) ?? []
  if (year === undefined || (Number(day) > 28 && Number(day) > daysIn(Number(year), Number(month)))) return undefined
  const instant = new Date(time === undefined || COMMON.test(text) ? text : rewritten(text))
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

/**
 * The time a value of contact data names: an ISO 8601 text, or Unix time in seconds or milliseconds as a number or a
 * text of digits. Ten digits before the point are seconds and thirteen are milliseconds, which is from 2001 to 2286;
 * fractions of these are dropped.
 */
export function momentIn(value: unknown): Date | undefined {
  if (typeof value === 'string') return DIGITS.test(value) ? momentIn(Number(value)) : instantOf(value)
  if (typeof value !== 'number') return undefined
  if (value >= 1e9 && value < 1e10) return new Date(Math.floor(value) * 1000)
  return value >= 1e12 && value < 1e13 ? new Date(Math.floor(value)) : undefined
}

/**
 * The day of the year that such a value names, as `12-24`: of a text the one that it is written with, whatever its offset
 * from UTC; of Unix time the one in UTC.
 */
export function dayOfYearIn(value: unknown): string | undefined {
  const moment = momentIn(value)
  if (moment === undefined) return undefined
  const isWritten = typeof value === 'string' && !DIGITS.test(value)
  return (isWritten ? value : moment.toISOString()).slice('yyyy-'.length, 'yyyy-mm-dd'.length)
}

const DIGITS = /^(?:\d{10}|\d{13})$/

/** The warning about a time that does not say how far it is from UTC; undefined for any other value. */
export function zoneless(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (text.length <= 'YYYY-MM-DD'.length || HAS_ZONE.test(text.slice(10))) return undefined
  const instant = instantOf(text)
  return (
    instant &&
    `has no offset from UTC and was taken as ${instant.toISOString()}: end it with Z or an offset such as +02:00`
  )
}

/** The same where a moment is meant, of which a day alone says only half. */
function inexact(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  const instant = text.length === 'YYYY-MM-DD'.length ? instantOf(text) : undefined
  if (instant === undefined) return zoneless(value)
  return `is a day without a time and was taken as ${instant.toISOString()} which is midnight in UTC: write the time and its offset such as ${text}T09:00:00+01:00`
}

const HAS_ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i

/** The form that `Date` reads directly; other forms are rewritten to it. */
const COMMON = /T[\d:.]+Z$/

function rewritten(text: string): string {
  const hasZone = HAS_ZONE.test(text.slice(10))
  const plain = text
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d\d)(\d\d)?$/, (_zone, hours, minutes) => `${hours}:${minutes ?? '00'}`)
  return (hasZone ? plain : `${plain}Z`).toUpperCase()
}

/** How many days the month has; 0 when there is no such month. */
function daysIn(year: number, month: number): number {
  return month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0
}
