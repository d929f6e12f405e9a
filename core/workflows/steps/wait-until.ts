import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { ofContact, valuesIn } from '../../filters/workflow-filter.ts'
import type { StepUse } from '../../references/step-uses.ts'
import type { JsonObject } from '../../values/json.ts'
import { refused, say } from '../../values/parse.ts'
import { type Days, dayAfter, TimeZone } from '../../values/time-zone.ts'
import { firstDate, MAX_OFFSET_DAYS, momentFor, UNIT_MS, ZONE_FIELD, type Zone, zoneAmong } from '../contact-dates.ts'
import { DateField, existing, TimeOfDay, warnOfField, wrongFields } from '../date-fields.ts'
import { defineStep, type StepContext } from './step-definition.ts'

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const
const UNITS = ['minutes', 'hours', 'days', 'weeks'] as const

/** The longest wait, in days: five years of 365 days, and the days of leap years. */
const MAX_AHEAD_DAYS = 1826
const DAY_MS = UNIT_MS.days

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
  field: v.nullish(DateField),
  /** How long before or after the date. */
  offset: v.nullish(Offset),
  /** True: the date's next return, as for birthdays. */
  yearly: v.nullish(v.boolean()),
  /** The time of day, such as `09:00`. */
  at: v.nullish(TimeOfDay),
  /** Without a field: the days on which it continues; by default all. */
  weekdays: v.nullish(v.pipe(v.array(v.picklist(WEEKDAYS)), v.minLength(1), v.maxLength(7))),
  /** The time zone of contacts that have none. */
  timezone: v.nullish(TimeZone),
  /** The field with the contact's time zone; by default `timezone`. */
  timezoneField: v.nullish(DateField),
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
    const problems = [...wrongParts(config), ...wrongFields(config, 'config')]
    if (problems.length > 0) throw refused(problems)
    if (config.field != null)
      await warnOfField(config.field, 'config', { project, filters, told: { input: sent, place: 'config' } })
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
  const { field, yearly } = config
  const found = firstDate(valuesIn(field ?? '', context.contact, context.execution))
  if (typeof found === 'string') return found
  if (yearly) {
    const year = Number(days.of(now).slice(0, 4))
    // the offset leads at most a year away
    const moments = [year - 1, year, year + 1, year + 2].map((each) => momentFor(found, config, days, each))
    return moments.find((date) => date >= now) ?? 'too-far'
  }
  const date = momentFor(found, config, days)
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

/** The contact's zone, that of the step, or UTC. */
function zoneOf({ config, contact, execution }: Context): Zone {
  return zoneAmong(valuesIn(config.timezoneField ?? ZONE_FIELD, contact, execution), config.timezone ?? 'UTC')
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
