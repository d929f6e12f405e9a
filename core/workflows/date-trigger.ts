import { subjectInWorkflow, valuesIn } from '../filters/workflow-filter.ts'
import type { Audience, MomentTest, Span, YearlyTest } from '../ports/store/audiences.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { DateTrigger, Workflow } from '../ports/store/workflows.ts'
import type { Days } from '../values/time-zone.ts'
import { dayFor, firstDate, lengthOf, momentFor, UNIT_MS, ZONE_FIELD, zoneAmong } from './contact-dates.ts'

/** The distance from UTC of every time zone is a number of these. */
const QUARTER_MS = 900_000
const DAY_MS = UNIT_MS.days
/** Clocks are at most so far behind UTC and ahead of it: on Baker Island and on Kiritimati. */
const BEHIND_MS = 12 * 3_600_000
const AHEAD_MS = 14 * 3_600_000
/** Before there were time zones they were up to so far away from it. */
const EVER_AWAY_MS = 16 * 3_600_000
/** The day that a date is written with is at most two away from that of the contact, and 29 February may be the 28th. */
const YEARLY_MARGIN_MS = 3 * DAY_MS
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

/**
 * The contacts whose date may have come: a few more than those whose date has, so that the store can find them. While
 * the time of day has not come in the zone of most, only contacts with a zone of their own are among them.
 */
export function audienceOf(trigger: DateTrigger, project: Pick<Project, 'timeZone'>, looked: LookedAt): Audience {
  const days = daysIn(trigger, looked)
  const dated = datedOn(trigger, days)
  const zone = subjectInWorkflow(trigger.timezoneField ?? ZONE_FIELD, 'exists')
  if (zone?.kind !== 'data' || comesIn(zoneAmong([], zoneOf(trigger, project)).days, trigger, days, looked))
    return dated
  const zoned = zone.paths.map((path) => ({ kind: 'data', path, test: { is: 'filled' } }) as const)
  return { kind: 'all', of: [{ kind: 'any', of: zoned }, dated] }
}

/** Those with a date on these days, or about them. */
function datedOn({ field, yearly }: DateTrigger, { first, last }: DaysOfLook): Audience {
  const span = { from: new Date(first - EVER_AWAY_MS), before: new Date(last + DAY_MS + EVER_AWAY_MS) }
  const subject = subjectInWorkflow(field, 'exists')
  if (subject?.kind === 'moment' || subject?.kind === 'date') {
    const spans = yearly ? Array.from({ length: YEARS_BACK }, (_, back) => yearsBefore(span, back)) : [span]
    return inOneOf(subject.field, spans)
  }
  if (subject?.kind !== 'data') return { kind: 'any', of: [] }
  const test = yearly ? yearlyAbout(first, last) : ({ is: 'moment', ...span } as const)
  return { kind: 'any', of: subject.paths.map((path) => ({ kind: 'data', path, test })) }
}

/** The first and the last day whose date starts the workflow in this time, somewhere: the moments when they begin in UTC. */
interface DaysOfLook {
  readonly first: number
  readonly last: number
}

function daysIn({ at, offset }: DateTrigger, { after, until }: LookedAt): DaysOfLook {
  const time = Date.parse(`1970-01-01T${at}Z`)
  const first = Math.ceil((after.getTime() - BEHIND_MS - time) / DAY_MS) * DAY_MS
  const last = Math.floor((until.getTime() + AHEAD_MS - time) / DAY_MS) * DAY_MS
  return { first: first - lengthOf(offset), last: last - lengthOf(offset) }
}

/** Whether one of these days starts the workflow in this time where clocks are of this zone. */
function comesIn(zone: Days, { at, offset }: DateTrigger, { first, last }: DaysOfLook, looked: LookedAt): boolean {
  for (let day = first; day <= last; day += DAY_MS) {
    const moved = new Date(day + lengthOf(offset)).toISOString().slice(0, 10)
    if (isInTime(zone.at(moved, at), looked)) return true
  }
  return false
}

function isInTime(moment: Date, { after, until }: LookedAt): boolean {
  return moment > after && moment <= until
}

/** A time in one of these spans, of which earlier ones come later: by halves, since every contact is compared with them. */
function inOneOf(field: MomentTest['field'], spans: readonly Required<Span>[]): Audience {
  const [latest, earliest] = [spans[0], spans.at(-1)]
  if (latest === undefined || earliest === undefined) return { kind: 'any', of: [] }
  const whole: MomentTest = { kind: 'moment', field, from: earliest.from, before: latest.before }
  if (spans.length === 1) return whole
  const half = Math.ceil(spans.length / 2)
  const halves = [spans.slice(0, half), spans.slice(half)].map((some) => inOneOf(field, some))
  return { kind: 'all', of: [whole, { kind: 'any', of: halves }] }
}

function yearlyAbout(firstDay: number, lastDay: number): YearlyTest {
  const [from, to] = [firstDay - YEARLY_MARGIN_MS, lastDay + YEARLY_MARGIN_MS]
  if (to - from > 360 * DAY_MS) return { is: 'yearly', first: '01-01', last: '12-31' }
  return { is: 'yearly', first: dayOfYear(from), last: dayOfYear(to) }
}

/** The date of the contact that came; undefined when none has. */
export function cameDate(
  trigger: DateTrigger,
  project: Pick<Project, 'timeZone'>,
  contact: Contact,
  looked: LookedAt,
): CameDate | undefined {
  const found = firstDate(valuesIn(trigger.field, contact, CONTACT_ALONE))
  if (typeof found === 'string') return undefined
  const own = valuesIn(trigger.timezoneField ?? ZONE_FIELD, contact, CONTACT_ALONE)
  const { days } = zoneAmong(own, zoneOf(trigger, project))
  const [first, last] = [looked.after.getUTCFullYear() - 1, looked.until.getUTCFullYear() + 1]
  const years = trigger.yearly ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : [undefined]
  for (const year of years) {
    const moment = momentFor(found, trigger, days, year)
    if (isInTime(moment, looked)) return { day: days.of(moment), date: dayFor(found, days, year) }
  }
  return undefined
}

/** The time zone of contacts that have none. */
function zoneOf({ timezone }: DateTrigger, { timeZone = 'UTC' }: Pick<Project, 'timeZone'>): string {
  return timezone ?? timeZone
}

function yearsBefore({ from, before }: Required<Span>, years: number): Required<Span> {
  const back = (moment: Date) => new Date(new Date(moment).setUTCFullYear(moment.getUTCFullYear() - years))
  return { from: back(from), before: back(before) }
}

function dayOfYear(moment: number): string {
  return new Date(moment).toISOString().slice(5, 10)
}
