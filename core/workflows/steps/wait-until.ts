import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { ofContact, subjectInWorkflow, valuesIn } from '../../filters/workflow-filter.ts'
import type { Filter } from '../../ports/store/filters.ts'
import type { StepUse } from '../../references/step-uses.ts'
import { momentIn } from '../../values/iso-date.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { refused, say } from '../../values/parse.ts'
import { RecentlyUsed } from '../../values/recently-used.ts'
import { Days, dayAfter, TimeZone } from '../../values/time-zone.ts'
import { zoneNamed } from '../../values/zone-names.ts'
import { defineStep, type StepContext } from './step-definition.ts'

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const
const UNITS = ['minutes', 'hours', 'days', 'weeks'] as const
const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const

/** The longest offset, and the longest wait, in days: five years of 365 days, and the days of leap years. */
const MAX_OFFSET_DAYS = 365
const MAX_AHEAD_DAYS = 1826
const DAY_MS = UNIT_MS.days
/** The years that dates are read in. */
const YEARS = { from: 1000, to: 9998 }

/** Where a contact's time zone is looked for. */
const ZONE_FIELD = 'timezone'

const Field = v.pipe(v.string(), v.minLength(1), v.maxLength(1000))

const Offset = v.pipe(
  v.object({
    /** How long, in `unit`: a whole number. */
    amount: v.pipe(v.number(), v.integer(say('invalid_type', 'must be a whole number')), v.minValue(1)),
    /** The unit. Days and weeks are those of the calendar, so the time of day stays. */
    unit: v.picklist(UNITS),
    /** Whether it is before the date or after it. */
    direction: v.picklist(['before', 'after']),
  }),
  v.forward(
    v.check(
      ({ amount, unit }) => amount * UNIT_MS[unit] <= MAX_OFFSET_DAYS * DAY_MS,
      say('too_big', `must be at most ${MAX_OFFSET_DAYS} days`),
    ),
    ['amount'],
  ),
)

const Config = v.object({
  /** The field with the date, as filters of workflows name it: `data.trialEnds`, `createdAt`, `event.date`. */
  field: v.nullish(Field),
  /** How long before or after the date. */
  offset: v.nullish(Offset),
  /** True: the date's next return, as for birthdays. */
  yearly: v.nullish(v.boolean()),
  /** The time of day, such as `09:00`. */
  at: v.nullish(
    v.pipe(
      v.string(),
      v.check((text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), say('custom', 'must be a time of day such as 09:00')),
    ),
  ),
  /** Without a field: the days on which it continues; by default all. */
  weekdays: v.nullish(v.pipe(v.array(v.picklist(WEEKDAYS)), v.minLength(1), v.maxLength(7))),
  /** The time zone of contacts that have none. */
  timezone: v.nullish(TimeZone),
  /** The field with the contact's time zone; by default `timezone`. */
  timezoneField: v.nullish(Field),
})
type Config = v.InferOutput<typeof Config>
type Context = StepContext<Config>

/** WAIT_UNTIL: waits until a date of the contact, or until the next of some weekdays and a time of day. */
export const waitUntil = defineStep({
  type: 'WAIT_UNTIL',
  name: 'Wait until',
  Config,
  branches: { names: ({ field }) => (field == null ? ['reached'] : ['reached', 'missing']), required: false },
  decides: true,
  uses: ({ field, timezoneField }) =>
    [field, timezoneField ?? ZONE_FIELD].flatMap((name): StepUse[] =>
      name == null ? [] : [{ kind: 'filter', filter: ofContact(existing(name)) }],
    ),
  check: async (config, { project, sent, filters }) => {
    const problems = [...wrongParts(config), ...wrongFields(config)]
    if (problems.length > 0) throw refused(problems)
    const { field } = config
    const subject = field == null ? undefined : subjectInWorkflow(field, 'exists')
    if (field == null || subject?.kind !== 'data' || subject.isElsewhere) return
    const fields = [{ paths: subject.paths, place: 'config.field' }]
    const read = { filter: existing(field), segments: [], campaigns: [], topics: [], fields, saidDates: [] }
    await filters.check(project, read, 'config', { told: { input: sent, place: 'config' } })
  },
  run: (context) => {
    const { execution, waited, now } = context
    if (waited) {
      const output = { branch: 'reached', until: (execution.dueAt ?? now).toISOString() }
      return { outcome: 'done', branch: 'reached', output }
    }
    const zone = zoneOf(context)
    const dueAt = context.config.field == null ? nextTime(context, zone.days) : dateOf(context, zone.days)
    const output: JsonObject = { timezone: zone.name, ...(zone.isUnknown ? { unknownTimezone: true } : {}) }
    if (typeof dueAt === 'string') {
      return { outcome: 'done', branch: 'missing', output: { branch: 'missing', reason: dueAt, ...output } }
    }
    const until = { until: dueAt.toISOString(), ...output }
    if (dueAt > now) return { outcome: 'wait', dueAt, output: until }
    return { outcome: 'done', branch: 'reached', output: { branch: 'reached', reason: 'past', ...until } }
  },
})

/** Why there is no date to wait for. */
type Missing = 'missing' | 'no-date' | 'too-far'

/** The moment of the contact's date, with the offset. */
function dateOf(context: Context, days: Days): Date | Missing {
  const { config, now } = context
  const { field, offset, yearly, at } = config
  const values = valuesIn(field ?? '', context.contact, context.execution).filter((value) => value !== null)
  if (values.length === 0) return 'missing'
  const found = values.flatMap((value) => dateIn(value) ?? [])[0]
  if (found === undefined) return 'no-date'
  const sign = offset?.direction === 'before' ? -1 : 1
  const isCalendar = offset?.unit === 'days' || offset?.unit === 'weeks'
  const length = offset == null ? 0 : sign * offset.amount * UNIT_MS[offset.unit]
  /** The moment in the year of the date, or another one. */
  const inYear = (year?: number): Date => {
    const isMoment = !found.isDay && at == null && !isCalendar && year === undefined
    // clocks show some moments twice
    if (isMoment) return new Date(found.moment.getTime() + length)
    const day = year === undefined ? dayIn(found, days) : inOtherYear(dayIn(found, days), year)
    const moved = isCalendar ? dayAfter(day, length / DAY_MS) : day
    const time = at ?? (found.isDay ? '00:00' : days.clock(found.moment).slice(11, 19))
    return new Date(days.at(moved, time).getTime() + (isCalendar ? 0 : length))
  }
  if (yearly) {
    const year = Number(days.of(now).slice(0, 4))
    // the offset leads at most a year away
    return [year - 1, year, year + 1, year + 2].map(inYear).find((date) => date >= now) ?? 'too-far'
  }
  const date = inYear()
  return date.getTime() - now.getTime() > MAX_AHEAD_DAYS * DAY_MS ? 'too-far' : date
}

/** The next moment with the weekday and the time of day. */
function nextTime({ config: { at, weekdays }, now }: Context, days: Days): Date {
  const today = days.of(now)
  // eight days: today's time may be over, and a zone may leave out a day
  for (let ahead = 0; ; ahead++) {
    const day = dayAfter(today, ahead)
    const weekday = WEEKDAYS[new Date(day).getUTCDay()]
    const moment = days.at(day, at ?? '00:00')
    if (moment >= now && (weekdays == null || weekdays.some((each) => each === weekday))) return moment
  }
}

/** A date in the data: a whole day, or a moment. */
interface FoundDate {
  readonly moment: Date
  readonly isDay: boolean
}

/** The date that a value is, as filters read dates; a day is one of the contact's zone. */
function dateIn(value: Json): FoundDate | undefined {
  const moment = momentIn(value)
  const year = moment?.getUTCFullYear() ?? 0
  if (moment === undefined || year < YEARS.from || year > YEARS.to) return undefined
  return { moment, isDay: typeof value === 'string' && value.length === 'yyyy-mm-dd'.length && value.includes('-') }
}

function dayIn({ moment, isDay }: FoundDate, days: Days): string {
  return isDay ? moment.toISOString().slice(0, 10) : days.of(moment)
}

/** The same day of another year; 29 February is the 28th where there is none. */
function inOtherYear(day: string, year: number): string {
  const wanted = `${String(year).padStart(4, '0')}${day.slice(4)}`
  const isThere = new Date(wanted).toISOString().startsWith(wanted)
  return isThere ? wanted : `${wanted.slice(0, 8)}28`
}

interface Zone {
  readonly name: string
  readonly days: Days
  /** Whether the contact names a zone that there is not. */
  readonly isUnknown: boolean
}

/** The contact's zone, that of the step, or UTC. */
function zoneOf({ config, contact, execution }: Context): Zone {
  const [own] = valuesIn(config.timezoneField ?? ZONE_FIELD, contact, execution).filter(
    (value) => value !== null && value !== '',
  )
  const known = typeof own === 'string' ? zoneNamed(own) : undefined
  const name = known ?? config.timezone ?? 'UTC'
  return { name, days: daysOf(name), isUnknown: own !== undefined && known === undefined }
}

/** To make a calendar takes longer than to use it. */
const CALENDARS = new RecentlyUsed<Days>(100, 100, () => 1)

function daysOf(zone: string): Days {
  const days = CALENDARS.get(zone) ?? new Days(zone)
  CALENDARS.set(zone, days)
  return days
}

/** The fields that do not go together. */
function wrongParts({ field, offset, yearly, at, weekdays }: Config): readonly FieldProblem[] {
  const alone = (name: string, value: unknown, message: string): FieldProblem[] =>
    value == null ? [] : [{ field: `config.${name}`, code: 'custom', message }]
  if (field != null) return alone('weekdays', weekdays, 'cannot be given together with field')
  return [
    ...alone('offset', offset, 'can be given only with field'),
    ...alone('yearly', yearly, 'can be given only with field'),
    ...(at == null
      ? [
          {
            field: 'config.at',
            code: 'required',
            message: 'is required without field: a time of day such as 09:00',
          } as const,
        ]
      : []),
  ]
}

/** Fields that no date or zone can be in. */
function wrongFields({ field, timezoneField }: Config): readonly FieldProblem[] {
  return Object.entries({ field, timezoneField }).flatMap(([name, given]): FieldProblem[] => {
    const kind = given == null ? 'data' : subjectInWorkflow(given, 'exists')?.kind
    if (kind === 'data' || ((kind === 'moment' || kind === 'date') && name === 'field')) return []
    const message = name === 'field' ? 'is not a field with a date' : 'is not a field of the data'
    return [{ field: `config.${name}`, code: 'invalid_enum_value', message }]
  })
}

/** The filter that needs the field. */
function existing(field: string): Filter {
  return { operator: 'AND', conditions: [{ field, operator: 'exists' }] }
}
