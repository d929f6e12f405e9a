import { subjectInWorkflow, valuesIn } from '../filters/workflow-filter.ts'
import type { Audience, Span } from '../ports/store/audiences.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { DateTrigger, Workflow } from '../ports/store/workflows.ts'
import { dayFor, firstDate, lengthOf, momentFor, UNIT_MS, ZONE_FIELD, zoneAmong } from './contact-dates.ts'

/** The distance from UTC of every time zone is a number of these. */
const QUARTER_MS = 900_000
const DAY_MS = UNIT_MS.days
/** The days of clocks are at most one away from those in UTC, and 29 February may be the day before. */
const MARGIN_MS = 3 * DAY_MS
/** A contact has no value of an event or a context. */
const CONTACT_ALONE = { event: {}, context: {} }
/** So many years back a date of the record itself may lie. */
const YEARS_BACK = 60

/** The time between two looks: what came in it starts. */
export interface LookedAt {
  /** After this moment, */
  readonly after: Date
  /** and up to this one. */
  readonly until: Date
}

/** A date of a contact that came. */
export interface CameDate {
  /** The day on which it starts the workflow, where the contact is. */
  readonly day: string
  /** The date itself, without the offset; of a yearly one, that of this year. */
  readonly date: string
}

/** When contacts are looked through next: as soon as it is this time of day in another time zone. */
export function nextLook({ at }: DateTrigger, after: Date): Date {
  const ahead = (Number(at.slice(3)) % 15) * UNIT_MS.minutes
  return new Date((Math.floor((after.getTime() - ahead) / QUARTER_MS) + 1) * QUARTER_MS + ahead)
}

/** The workflow with its next look: from now on, if it did not look for the same dates before. */
export function scheduled(workflow: Workflow, before: Workflow | undefined, now: Date): Workflow {
  const { startedUntil, dueAt, ...rest } = workflow
  const { enabled, triggerType, dateTrigger } = rest
  if (!enabled || triggerType !== 'DATE' || dateTrigger === undefined) return rest
  const isSame = before?.triggerType === 'DATE' && sameDates(before.dateTrigger, dateTrigger)
  if (isSame && startedUntil && dueAt) return workflow
  return { ...rest, startedUntil: now, dueAt: nextLook(dateTrigger, now) }
}

/** Whether two triggers are for the same dates. */
export function sameDates(one: DateTrigger | undefined, other: DateTrigger): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(trigger: DateTrigger | undefined) {
  const { field, offset, yearly = false, at, timezone, timezoneField } = trigger ?? {}
  return [field, offset?.amount, offset?.unit, offset?.direction, yearly, at, timezone, timezoneField]
}

/** The contacts whose date may have come: a few more than those whose date has, so that the store can find them. */
export function audienceOf({ field, offset, yearly }: DateTrigger, { after, until }: LookedAt): Audience {
  const length = lengthOf(offset)
  const span = {
    from: new Date(after.getTime() - length - MARGIN_MS),
    before: new Date(until.getTime() - length + MARGIN_MS),
  }
  const subject = subjectInWorkflow(field, 'exists')
  if (subject?.kind === 'moment' || subject?.kind === 'date') {
    const spans = yearly ? Array.from({ length: YEARS_BACK }, (_, back) => yearsBefore(span, back)) : [span]
    return { kind: 'any', of: spans.map((each) => ({ kind: 'moment', field: subject.field, ...each })) }
  }
  if (subject?.kind !== 'data') return { kind: 'any', of: [] }
  const isYear = span.before.getTime() - span.from.getTime() > 360 * DAY_MS
  const [first, last] = isYear ? ['01-01', '12-31'] : [dayOfYear(span.from), dayOfYear(span.before)]
  const test = yearly ? ({ is: 'yearly', first, last } as const) : ({ is: 'moment', ...span } as const)
  return { kind: 'any', of: subject.paths.map((path) => ({ kind: 'data', path, test })) }
}

/** The date of the contact that came; undefined when none has. */
export function cameDate(
  trigger: DateTrigger,
  { timeZone = 'UTC' }: Pick<Project, 'timeZone'>,
  contact: Contact,
  { after, until }: LookedAt,
): CameDate | undefined {
  const found = firstDate(valuesIn(trigger.field, contact, CONTACT_ALONE))
  if (typeof found === 'string') return undefined
  const own = valuesIn(trigger.timezoneField ?? ZONE_FIELD, contact, CONTACT_ALONE)
  const { days } = zoneAmong(own, trigger.timezone ?? timeZone)
  const [first, last] = [after.getUTCFullYear() - 1, until.getUTCFullYear() + 1]
  const years = trigger.yearly ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : [undefined]
  for (const year of years) {
    const moment = momentFor(found, trigger, days, year)
    if (moment > after && moment <= until) return { day: days.of(moment), date: dayFor(found, days, year) }
  }
  return undefined
}

function yearsBefore({ from, before }: Required<Span>, years: number): Span {
  const back = (moment: Date) => new Date(new Date(moment).setUTCFullYear(moment.getUTCFullYear() - years))
  return { from: back(from), before: back(before) }
}

function dayOfYear(moment: Date): string {
  return moment.toISOString().slice(5, 10)
}
