import * as v from 'valibot'
import { Cidr } from '../values/cidr.ts'
import { DkimKeys } from './dkim-settings.ts'
import { DomainSettings } from './domain-settings.ts'
import { ProjectSettings } from './project-settings.ts'
import { ReputationSettings } from './reputation-settings.ts'
import { RetentionSettings } from './retention-settings.ts'
import { ThrottleSettings } from './throttle-settings.ts'

/** A name of the DNS, in the form it has on the wire. */
const HostName = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(200),
  v.regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
    'must be a host name such as bounces.example.com',
  ),
)

const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(30 * 86_400))

/** The plain values of the settings, each with its default; all times are in seconds. */
export const EngineValues = v.object({
  /** Projects to make or bring up to date at start. */
  projects: v.optional(
    v.pipe(
      v.array(ProjectSettings),
      v.check((projects) => areDifferent(projects), 'custom: names a project twice (by id or name)'),
    ),
    [],
  ),
  /** How the world reaches the HTTP server: where the links in mails lead. Without it mails have none and are not tracked. */
  publicUrl: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL'),
      v.transform((text) => text.replace(/\/+$/, '')),
    ),
  ),
  /** Signs the links in mails, and encrypts the keys of domains. Without it one is made and kept in the store. */
  secret: v.optional(v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters'))),
  /** Keys that sign mail (DKIM, RFC 6376). */
  dkim: v.optional(DkimKeys, []),
  delivery: v.optional(
    v.object({
      /** Pauses before the second, third … try of a mail that was put off; after the last of them it has failed. */
      retryDelays: v.optional(v.array(seconds), [60, 120, 240, 480, 960, 1920, 3840, 7680]),
      /** A mail that was not delivered so long after it was due first has failed, whatever it waits for. */
      expireAfter: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(365 * 86_400)), 259_200),
      /** How long one try may take; RFC 5321, section 4.5.3.2.6, wants ten minutes for the reply to a message. */
      sendTimeout: v.optional(v.pipe(seconds, v.minValue(1)), 660),
      /** How long a claimed mail is held by its worker; at least 10 seconds more than `sendTimeout`. */
      lease: v.optional(v.pipe(seconds, v.minValue(2)), 900),
      /** How much mail goes out at most; nothing is limited without it. */
      throttle: v.optional(ThrottleSettings, {}),
    }),
    {},
  ),
  campaigns: v.optional(
    v.object({
      /** A scheduled campaign that could not be started for so many minutes is paused, not sent in a rush. */
      maxOverdueMinutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(525_600)), 60),
    }),
    {},
  ),
  tracking: v.optional(
    v.object({
      /** Whether openings and clicks after the first of a mail have an event too. */
      emitRepeats: v.optional(v.boolean(), false),
    }),
    {},
  ),
  feedback: v.optional(
    v.object({
      /** The host that takes our bounces: the domain of the return path. Without it it is looked for; `null`: bounces go to the sender's address. */
      returnPathHost: v.nullish(HostName),
      /** An address is suppressed when so many mails to it in a row, within so many days, could not be delivered for the moment. */
      softBounces: v.optional(
        v.object({
          count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 5),
          days: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(365)), 14),
        }),
        {},
      ),
    }),
    {},
  ),
  segments: v.optional(
    v.object({
      /** How often the members of tracked dynamic segments are computed, and those of the others counted. */
      computeEverySeconds: v.optional(v.pipe(seconds, v.minValue(1)), 300),
    }),
    {},
  ),
  webhooks: v.optional(
    v.object({
      /** Pauses before the second, third … try of a request that failed; after the last of them it has failed for good. */
      retryDelays: v.optional(v.pipe(v.array(seconds), v.maxLength(50)), [5, 30, 300, 1800, 7200]),
      /** An endpoint all of whose deliveries have failed for so many days is paused. */
      pauseAfterDays: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(365)), 5),
    }),
    {},
  ),
  /** How sending domains are proven and checked. */
  domains: v.optional(DomainSettings, {}),
  verification: v.optional(
    v.object({
      /** How long the check of an address waits for the DNS; what is not known then cannot be told. */
      timeout: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(30)), 4.5),
      /** How many addresses of one project are looked up at the same time; more wait for their turn. */
      lookUpsPerProject: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)), 20),
    }),
    {},
  ),
  /** From which bounce and complaint rates on operators are warned and marketing mail is stopped. */
  reputation: v.optional(ReputationSettings, {}),
  /** After how many days what is removed for good. */
  retention: v.optional(RetentionSettings, {}),
  egress: v.optional(
    v.object({
      /** Networks that requests to addresses of customers may reach besides public addresses: `10.1.0.0/16`. */
      allow: v.optional(v.array(Cidr), []),
    }),
    {},
  ),
})

export type EngineValues = v.InferOutput<typeof EngineValues>

/** The token under which rooms are given the values. */
export const Values = Symbol('Values')

/** Two entries for one project would each undo what the other says. */
function areDifferent(projects: readonly { readonly id?: string | undefined; readonly name: string }[]): boolean {
  const names = projects.map(({ name }) => name)
  const ids = projects.flatMap(({ id }) => id ?? [])
  return new Set(names).size === names.length && new Set(ids).size === ids.length
}
