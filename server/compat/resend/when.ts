import { invalidField } from '../../../core/errors.ts'

/* Times as Resend takes them: ISO 8601, or a few words of English, in UTC. */

const MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const AHEAD = /^in (?:an? |(\d{1,6}) ?)(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/
const DAY = /^(today|tomorrow|(?:next )?(?:sun|mon|tues|wednes|thurs|fri|satur)day)(?: at (.+))?$/
const HOUR = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?(?: (?:utc|gmt))?$/
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MESSAGE =
  'must be ISO 8601 such as 2030-08-05T11:52:01.858Z, or "in 5 minutes", "in 2 days", "tomorrow at 9am" or "friday at 15:00", in UTC'

/** The time as ISO 8601. Throws EngineError `VALIDATION_ERROR`. */
export function when(text: string, now: Date, field = 'scheduled_at'): string {
  const said = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const ms = said === 'now' ? now.getTime() : (ahead(said, now) ?? onDay(said, now) ?? isoTime(text))
  const at = new Date(ms ?? Number.NaN)
  if (Number.isNaN(at.getTime())) throw invalidField(field, 'invalid_date', MESSAGE)
  return at.toISOString()
}

function ahead(said: string, now: Date): number | undefined {
  const [, count = '1', unit = ''] = AHEAD.exec(said) ?? []
  const factor = MS[unit.charAt(0) as keyof typeof MS]
  return factor === undefined ? undefined : now.getTime() + Number(count) * factor
}

function onDay(said: string, now: Date): number | undefined {
  const [, name, time = '9am'] = DAY.exec(said) ?? []
  const hour = name === undefined ? undefined : hourOf(time)
  if (name === undefined || hour === undefined) return undefined
  const weekday = DAYS.indexOf(name.replace('next ', ''))
  const until = (weekday + 7 - now.getUTCDay()) % 7
  const days = name === 'today' ? 0 : name === 'tomorrow' ? 1 : until || 7
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days) + hour
}

/** In milliseconds since midnight. */
function hourOf(text: string): number | undefined {
  const [, hour = '', minute = '0', half] = HOUR.exec(text) ?? []
  const most = half === undefined ? 23 : 12
  if (hour === '' || Number(hour) > most || Number(minute) > 59 || (half && Number(hour) === 0)) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  return hours * MS.h + Number(minute) * MS.m
}

/** A time without an offset is in UTC. Words such as `2030` are no time, though `Date` would read many of them. */
function isoTime(text: string): number | undefined {
  const [, day = '', time, zone = 'Z'] = ISO.exec(text.trim()) ?? []
  // Date would take 31 February for 3 March
  if (day === '' || new Date(day).getUTCDate() !== Number(day.slice(-2))) return undefined
  return Date.parse(time === undefined ? day : `${day}T${time}${zone.replace(/^([+-]\d{2})$/, '$1:00')}`)
}
