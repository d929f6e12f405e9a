import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { dueFrom, hoursOf, lifetimeEnd, ZONE_OF_RECIPIENT, zoneIn } from '../mail/plan-hours.ts'
import type { Campaign, FanOut, PlanProgress, SendPlan } from '../ports/store/campaigns.ts'
import { type InputOf, takes } from '../values/input.ts'
import type { JsonObject } from '../values/json.ts'
import { type OpenHours, TimeOfDay, WEEKDAYS, type Weekday } from '../values/open-hours.ts'
import { refused, say } from '../values/parse.ts'
import { dayAfter, isTimeZone } from '../values/time-zone.ts'
import { FIELDS_OF_ZONE } from '../values/zone-of-contact.ts'

const HOUR_MS = 3_600_000
const DAY_MINUTES = 1440
/** The longest time that mails are spread over, in hours: 30 days. */
const MOST_HOURS = 720
/** The most mails a day that can be asked for. */
const MOST_A_DAY = 100_000_000
/** A plan that lasts longer than this is taken for a mistake. */
const MOST_WEEKS = 52

const Zone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check(
    (name) => name === ZONE_OF_RECIPIENT || isTimeZone(name),
    say('custom', 'must be "recipient" or the name of a time zone such as Europe/Berlin'),
  ),
)

/** When the mails of a campaign may go. */
export const SendPlanInput = v.object({
  /** The days of the week on which mails go; without it all. */
  days: v.nullish(takes<readonly Weekday[]>()(v.pipe(v.array(v.picklist(WEEKDAYS)), v.minLength(1), v.maxLength(7)))),
  /** From when on these days, such as `09:00`; it goes together with `until`. */
  from: v.nullish(TimeOfDay),
  /** Until when, such as `18:00`; what is earlier than `from` is on the next day. */
  until: v.nullish(TimeOfDay),
  /** `recipient`: the clocks of each recipient count; or the name of a time zone. Without it that of the project. */
  timeZone: v.nullish(Zone),
  /** The time of day at which mails go, once it comes, such as `09:00`. */
  at: v.nullish(TimeOfDay),
  /** How many mails go on a day at most; a day of the plan's zone, with `recipient` of the project's. */
  perDay: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_A_DAY))),
  /** Spreads the mails evenly over so many hours, of which those outside the plan's do not count. */
  overHours: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_HOURS))),
})

/** When the mails of a campaign may go. */
export interface SendPlanInput extends InputOf<typeof SendPlanInput> {}

/** The parts of a plan that do not go together. */
export function* planProblems(plan: v.InferOutput<typeof SendPlanInput> | null | undefined): Generator<FieldProblem> {
  if (plan == null) return
  const { from, until, at, overHours } = plan
  if ((from == null) !== (until == null)) {
    const [field, other] = from == null ? ['from', 'until'] : ['until', 'from']
    yield { field: `plan.${field}`, code: 'required', message: `is required together with plan.${other}` }
  }
  if (from != null && from === until) {
    const message = 'must differ from plan.from; leave both out for the whole day'
    yield { field: 'plan.until', code: 'custom', message }
  }
  if (at != null && from != null && until != null && !isBetween(at, from, until)) {
    yield {
      field: 'plan.at',
      code: 'custom',
      message: `must be between plan.from and plan.until: ${from} and ${until}`,
    }
  }
  if (at != null && overHours != null) {
    const message = 'cannot be given together with plan.at; use plan.from for the time at which the first may go'
    yield { field: 'plan.overHours', code: 'custom', message }
  }
  if (overHours != null && from != null && until != null && from !== until) {
    const most = Math.floor((minutesBetween(from, until) * (plan.days?.length ?? 7) * MOST_WEEKS) / 60)
    if (overHours > most) {
      const message = `must be at most ${most} with so few hours a week: it would take longer than a year`
      yield { field: 'plan.overHours', code: 'too_big', message }
    }
  }
}

/** The plan without what is not set; undefined when nothing is. */
export function planOf(given: v.InferOutput<typeof SendPlanInput> | SendPlan): SendPlan | undefined {
  const { from, until, timeZone, at, overHours, perDay } = given
  const days = given.days && WEEKDAYS.filter((day) => given.days?.includes(day))
  const fields = Object.entries({ days, from, until, timeZone, at, overHours, perDay })
  const plan: SendPlan = Object.fromEntries(fields.filter(([, value]) => value != null))
  return Object.keys(plan).length === 0 ? undefined : plan
}

/** The plan for a copy of the campaign, which was never paused. */
export function copiedPlan({ plan }: Pick<Campaign, 'plan'>): Pick<Campaign, 'plan'> {
  const copied = plan && planOf(plan)
  return copied ? { plan: copied } : {}
}

/**
 * The progress of a plan as sending begins; `zone` is the project's, `count` answers how many mails there will be.
 * Throws EngineError `VALIDATION_ERROR` when it would take longer than a year.
 */
export async function plannedFrom(plan: SendPlan, zone: string, count: () => Promise<number>): Promise<PlanProgress> {
  const { days, timeZone, overHours, perDay } = plan
  const own = timeZone === undefined || timeZone === ZONE_OF_RECIPIENT ? zone : timeZone
  if (overHours === undefined && perDay === undefined) return { zone: own }
  const expected = await count()
  const least = Math.ceil(expected / (MOST_WEEKS * (days?.length ?? 7)))
  if (perDay !== undefined && perDay < least) {
    const message = `must be at least ${least} for ${expected} contacts: with ${perDay} it would take longer than a year`
    throw refused([{ field: 'plan.perDay', code: 'too_small', message }])
  }
  return { zone: own, expected }
}

/** The plan of a campaign that is resumed: how long it was paused counts for what was not sent yet. */
export function planAfterPause(plan: SendPlan, pausedAt: Date, now: Date): SendPlan {
  const totalMs = (plan.paused?.totalMs ?? 0) + Math.max(0, now.getTime() - pausedAt.getTime())
  return { ...plan, paused: { from: pausedAt.toISOString(), until: now.toISOString(), totalMs } }
}

/** When each mail of a page of recipients is due and when it expires, and how far the plan is then. Pure. */
export function planPage(
  { plan, fanOut }: Pick<Campaign, 'plan' | 'fanOut'>,
  from: FanOut,
  recipients: readonly JsonObject[],
  lifetimeMs: number,
): { readonly times: readonly PlannedTime[]; readonly plan: PlanProgress } | undefined {
  if (plan === undefined || from.plan === undefined) return undefined
  const progress = from.plan
  const zones: Record<string, number> = { ...progress.zones }
  const begin = new Date(plan.paused?.until ?? from.frozenAt)
  const days = { ...progress.days }
  const shared = shareOut(plan, progress.zone, days)
  const times = recipients.map((data, i) => {
    const { zone, by } = zoneIn(plan, progress.zone, data)
    if (by !== undefined) zones[by] = (zones[by] ?? 0) + 1
    const hours = hoursOf(plan, zone)
    const share = Math.min(1, (from.recipients + i) / (progress.expected ?? 1))
    const dueAt = shared(zone, hours, dueTime(plan, hours, { begin, start: new Date(from.frozenAt), share }))
    return { dueAt, expiresAt: lifetimeEnd({ plan, fanOut }, dueAt, lifetimeMs, data) }
  })
  const counted = plan.perDay === undefined ? {} : { days }
  return { times, plan: { ...progress, ...counted, ...(plan.timeZone === ZONE_OF_RECIPIENT ? { zones } : {}) } }
}

/** When a mail is due, and when it expires. */
export interface PlannedTime {
  readonly dueAt: Date
  readonly expiresAt: Date
}

/** The data that a mail of the plan needs besides what it prints. */
export function dataForPlan({ timeZone }: SendPlan): readonly string[] {
  return timeZone === ZONE_OF_RECIPIENT ? FIELDS_OF_ZONE : []
}

function dueTime(
  { at, overHours, paused }: SendPlan,
  hours: OpenHours,
  { begin, start, share }: { readonly begin: Date; readonly start: Date; readonly share: number },
): Date {
  if (at !== undefined || overHours === undefined) return dueFrom({ at }, hours, begin)
  // those before it were spread from then on
  const from = new Date(start.getTime() + (paused?.totalMs ?? 0))
  return hours.after(from, share * overHours * HOUR_MS)
}

/** Moves mails to a later day where one has its share already; counts in `days`. */
function shareOut(plan: SendPlan, zone: string, days: Record<string, number>) {
  const { perDay } = plan
  const { days: calendar } = hoursOf(plan, zone)
  /** Up to when the days of each zone are known to be full. */
  const fullUntil = new Map<string, Date>()
  return (ofRecipient: string, hours: OpenHours, wanted: Date): Date => {
    if (perDay === undefined) return wanted
    const full = fullUntil.get(ofRecipient)
    let moment = full !== undefined && full > wanted ? dueFrom(plan, hours, full) : wanted
    for (let day = calendar.of(moment); (days[day] ?? 0) >= perDay; day = calendar.of(moment)) {
      const next = calendar.start(dayAfter(day, 1))
      fullUntil.set(ofRecipient, next)
      moment = dueFrom(plan, hours, next)
    }
    const day = calendar.of(moment)
    days[day] = (days[day] ?? 0) + 1
    return moment
  }
}

function minutesIn(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

/** How long it is open on a day. */
function minutesBetween(from: string, until: string): number {
  return (minutesIn(until) - minutesIn(from) + DAY_MINUTES) % DAY_MINUTES
}

function isBetween(at: string, from: string, until: string): boolean {
  return from < until ? at >= from && at < until : at >= from || at < until
}
