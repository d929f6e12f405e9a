import * as v from 'valibot'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { objectOf } from './object-of.ts'

/** The key in `domains` for every domain without its own entry. */
export const ANY_DOMAIN = '*'

const more = v.pipe(
  v.number(),
  v.check((number) => number > 0 && number <= 1_000_000, 'must be more than 0, at most a million'),
)
const connections = v.optional(
  v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(10_000)),
)
/** Mails a second; less than 1 for fewer. */
const perSecond = v.optional(more)

/** The refusal of a limit by the minute, which settings had once. */
export const PER_SECOND = 'is perSecond now, the sixtieth part: 30 a minute are 0.5'

const domain = v.pipe(
  v.string(),
  v.transform((text) => canonicalDomain(text.trim().toLowerCase())),
  v.check((text) => text === ANY_DOMAIN || isDomain(text), 'must be a domain such as example.com, or *'),
)

const aDay = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(1_000_000_000))

/** Marketing mail a day of each sender domain, while it is warmed up. */
const RampSettings = objectOf({
  /** How many mails on the first day. */
  start: v.optional(aDay, 50),
  /** By what the number grows each day. */
  growth: v.optional(v.pipe(v.number(), v.minValue(1.01), v.maxValue(10)), 1.5),
  /** At how many mails a day it is over. */
  until: v.optional(aDay, 100_000),
})
export type RampSettings = v.InferOutput<typeof RampSettings>

/** How many recipients a transport may send to, in all processes together. */
const QuotaSettings = v.pipe(
  objectOf({
    /** In a second. */
    second: v.optional(aDay),
    /** In an hour. */
    hour: v.optional(aDay),
    /** On a day (UTC). */
    day: v.optional(aDay),
    /** In a month (UTC). */
    month: v.optional(aDay),
    /** In any 24 hours. */
    rolling: v.optional(aDay),
    /** How many percent of an hour, a day, a month and any 24 hours are for transactional mail alone. */
    keep: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100)), 10),
  }),
  v.check(
    ({ keep: _keep, ...periods }) => Object.values(periods).some((most) => most !== undefined),
    'limits nothing: give it second, hour, day, month or rolling',
  ),
)
export type QuotaSettings = v.InferOutput<typeof QuotaSettings>

/** The most mail that goes out, per process. What is absent is not limited. */
export const ThrottleSettings = v.object({
  /** For each project. */
  project: v.optional(
    v.object({
      /** Mails a second; less than 1 for fewer. */
      perSecond,
    }),
  ),
  /** By the transport's name. `connections` can only lower the transport's own limit. */
  transports: v.optional(
    v.record(
      v.string(),
      objectOf({ perSecond, connections, ramp: v.optional(RampSettings), quota: v.optional(QuotaSettings) }),
    ),
    {},
  ),
  /** By the recipient's domain; `*` for each domain without an entry. */
  domains: v.optional(
    v.record(
      domain,
      objectOf({ perSecond, perMinute: v.optional(v.custom<never>(() => false, PER_SECOND)), connections }),
    ),
    {},
  ),
})
export type ThrottleSettings = v.InferOutput<typeof ThrottleSettings>

/** The limits of one gate: mails a second, and mails at the same time. */
export interface Limits {
  readonly rate?: number
  readonly connections?: number
}

/** The limits of an entry. Undefined when nothing is limited. */
export function limitsOf(entry: ThrottleSettings['domains'][string] | undefined): Limits | undefined {
  const { perSecond, connections } = entry ?? {}
  const limits = {
    ...(perSecond === undefined ? {} : { rate: perSecond }),
    ...(connections === undefined ? {} : { connections }),
  }
  return Object.keys(limits).length === 0 ? undefined : limits
}
