import type { Campaign, FanOut, SendPlan } from '../ports/store/campaigns.ts'
import type { Email } from '../ports/store/emails.ts'
import type { JsonObject } from '../values/json.ts'
import { OpenHours } from '../values/open-hours.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { dayAfter } from '../values/time-zone.ts'
import { type ZoneSource, zoneOfContact } from '../values/zone-of-contact.ts'
import type { Share } from '../work/shares.ts'

/** The time zone of a plan by which each recipient's own clocks count. */
export const ZONE_OF_RECIPIENT = 'recipient'
/** Why a mail waits that its plan holds back. */
export const WAITS_FOR_PLAN = 'It waits for the hours of its plan.'
/** Shown on a mail that waits because its plan's limit for today is used up. */
export const WAITS_FOR_SHARE = 'As many mails as its plan allows on a day have gone today.'

/** Why a mail waits that is beyond a quota of its project. */
export const WAITS_FOR_QUOTA = {
  day: "The project's daily quota of mails is used up.",
  month: "The project's monthly quota of mails is used up.",
} as const

/** To make the hours of a zone takes longer than to use them. */
const MADE = new RecentlyUsed<OpenHours>(500, 500, () => 1)

/** Until when a mail is held back, why, and when it expires from then on, if not as before. */
export interface Held {
  readonly until: Date
  readonly reason: string
  readonly expiresAt?: Date
}

/** The hours of a plan by the clocks of this zone. */
export function hoursOf({ days, from, until }: SendPlan, zone: string): OpenHours {
  const key = `${zone} ${days?.join() ?? ''} ${from ?? ''} ${until ?? ''}`
  const hours = MADE.get(key) ?? new OpenHours({ days, from, until }, zone)
  MADE.set(key, hours)
  return hours
}

/** The zone that counts for a recipient with this data, and what decided; `zone` is the plan's for all without their own. */
export function zoneIn(
  { timeZone }: SendPlan,
  zone: string,
  data: JsonObject,
): { readonly zone: string; readonly by?: ZoneSource } {
  return timeZone === ZONE_OF_RECIPIENT ? zoneOfContact(data, zone) : { zone }
}

/** When a mail of the campaign may go, if not now: outside the hours of its plan, or when it missed its time in a pause. */
export function heldByPlan(
  { plan, fanOut }: Campaign,
  { dueAt, attempts, variables }: Pick<Email, 'dueAt' | 'attempts' | 'variables'>,
  now: Date,
): Held | undefined {
  if (plan === undefined) return undefined
  const hours = hoursOf(plan, zoneIn(plan, fanOut?.plan?.zone ?? 'UTC', variables).zone)
  const wanted = attempts === 1 && missed(plan, dueAt) ? afterPause(plan, hours, dueAt, now) : now
  const until = hours.next(wanted)
  return until > now ? { until, reason: WAITS_FOR_PLAN } : undefined
}

/** The share that the plan allows on this day, as far as the mail was not counted yet. */
export function shareOfPlan(
  campaign: Campaign,
  { attempts, variables }: Pick<Email, 'attempts' | 'variables'>,
  now: Date,
  lifetimeMs: number,
): MailShare | undefined {
  const { id, plan, fanOut } = campaign
  if (plan?.perDay === undefined || attempts > 1) return undefined
  const zone = fanOut?.plan?.zone ?? 'UTC'
  const { days } = hoursOf(plan, zone)
  const today = days.of(now)
  const until = days.start(dayAfter(today, 1))
  const later = () => heldUntil(campaign, { variables }, until, lifetimeMs, WAITS_FOR_SHARE)
  return { key: `plan ${id} ${today}`, most: plan.perDay, until, later }
}

/** Holds a mail back until this moment, or until its plan allows it then. */
export function heldUntil(
  campaign: { readonly plan?: SendPlan | undefined; readonly fanOut?: FanOut | undefined },
  { variables }: Pick<Email, 'variables'>,
  moment: Date,
  lifetimeMs: number,
  reason: string,
): Held {
  const { plan, fanOut } = campaign
  const until = plan
    ? dueFrom(plan, hoursOf(plan, zoneIn(plan, fanOut?.plan?.zone ?? 'UTC', variables).zone), moment)
    : moment
  return { until, expiresAt: lifetimeEnd(campaign, until, lifetimeMs, variables), reason }
}

/** A share of which a mail is counted, and when the mail is to come again once it is used up. */
export interface MailShare extends Share {
  readonly later: () => Held
}

/** The first moment from this one on at which a mail of the plan may go. */
export function dueFrom({ at }: { readonly at?: string | undefined }, hours: OpenHours, moment: Date): Date {
  return at === undefined ? hours.next(moment) : hours.nextAt(moment, at)
}

/** When a mail expires that is first due then: time outside the hours does not count. Without a plan all time counts. */
export function lifetimeEnd(
  { plan, fanOut }: { readonly plan?: SendPlan | undefined; readonly fanOut?: FanOut | undefined },
  firstDue: Date,
  lifetimeMs: number,
  variables?: JsonObject,
): Date {
  if (plan === undefined) return new Date(firstDue.getTime() + lifetimeMs)
  const zone = fanOut?.plan?.zone ?? 'UTC'
  if (variables) return hoursOf(plan, zoneIn(plan, zone, variables).zone).after(firstDue, lifetimeMs, MOST_OPENINGS)
  // the clocks of some recipients may be a day behind
  return new Date(hoursOf(plan, zone).after(firstDue, lifetimeMs, MOST_OPENINGS).getTime() + DAY_MS)
}

const DAY_MS = 86_400_000
/** After so many openings a mail expires, however short they are. */
const MOST_OPENINGS = 60

/** Whether its time came while the campaign was paused. */
function missed({ paused }: SendPlan, dueAt: Date): boolean {
  if (paused === undefined) return false
  return dueAt >= new Date(paused.from) && dueAt < new Date(paused.until)
}

function afterPause({ at, overHours, paused }: SendPlan, hours: OpenHours, dueAt: Date, now: Date): Date {
  if (at !== undefined) return hours.nextAt(now, at)
  if (overHours === undefined || paused === undefined) return now
  return new Date(dueAt.getTime() + Date.parse(paused.until) - Date.parse(paused.from))
}
