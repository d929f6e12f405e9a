import * as v from 'valibot'
import { isJsonObject } from '../values/json.ts'
import { AccountSettings } from './account-settings.ts'
import { DkimKeys } from './dkim-settings.ts'
import { DomainSettings } from './domain-settings.ts'
import { ProjectSettings } from './project-settings.ts'
import { ReputationSettings } from './reputation-settings.ts'
import { RetentionSettings } from './retention-settings.ts'
import { MayName, RouteRules } from './route-settings.ts'
import { ThrottleSettings } from './throttle-settings.ts'

/** A DNS name, in ASCII form. */
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

const most = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000_000))

const MEGABYTE = 1024 * 1024

/** How large uploaded images may be. */
const UploadSettings = v.object({
  /** The bytes of one image. */
  maxBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20 * MEGABYTE)), 5 * MEGABYTE),
  /** The bytes of all images of a project. */
  totalBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1024 * MEGABYTE),
})

/** An object had its figures once, and is taken as true. */
const Brake = v.pipe(
  v.custom<boolean>((given) => typeof given === 'boolean' || isJsonObject(given), 'must be true or false'),
  v.transform((given) => given !== false),
)

/** A network such as `10.0.0.0/8` or `fd00::/8`; a single address is allowed, too. */
const Cidr = v.pipe(v.string(), v.check(isCidr, 'must be a network such as 10.0.0.0/8, or an address'))

const IPv4 = v.pipe(v.string(), v.ipv4())
const IPv6 = v.pipe(v.string(), v.ipv6())

function isCidr(text: string): boolean {
  const [address, prefix, ...more] = text.split('/')
  const bits = v.is(IPv4, address) ? 32 : v.is(IPv6, address) ? 128 : undefined
  if (bits === undefined || more.length > 0 || text.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
}

/** The plain values of the settings, with their defaults; all times are in seconds. */
export const EngineValues = v.object({
  /** Projects to create or update at start. */
  projects: v.optional(
    v.pipe(
      v.array(ProjectSettings),
      v.check((projects) => areDifferent(projects), 'custom: names a project twice (by id or name)'),
    ),
    [],
  ),
  /** The public address of the HTTP server, for links in mails. Without it mails have none and are not tracked. */
  publicUrl: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL'),
      v.transform((text) => text.replace(/(?<!\/)\/+$/, '')),
    ),
  ),
  /** Signs the links in mails, and encrypts the keys of domains. Without it one is generated and stored. */
  secret: v.optional(v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters'))),
  /** Keys that sign mail (DKIM, RFC 6376). */
  dkim: v.optional(DkimKeys, []),
  /** How mail is handed over, and tried again. */
  delivery: v.optional(
    v.object({
      /** Pauses before the second, third … try of a mail that was put off; after the last one it fails. */
      retryDelays: v.optional(v.array(seconds), [60, 120, 240, 480, 960, 1920, 3840, 7680]),
      /** A mail that is not delivered this long after it was first due fails, whatever it waits for. */
      expireAfter: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(365 * 86_400)), 259_200),
      /** How long one try may take; RFC 5321, section 4.5.3.2.6, wants ten minutes for the reply to a message. */
      sendTimeout: v.optional(v.pipe(seconds, v.minValue(1)), 660),
      /**
       * How many threads make mails and hand them over; 0: none, the event loop does it. Default: one fewer than there
       * are cores, and none with one or two. They start with the engine.
       */
      threads: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(64))),
      /**
       * Whether projects may have mail servers of their own: `on`, `off`, or `only`, where mail of those without any waits
       * rather than go through the installation's.
       */
      projectServers: v.optional(v.picklist(['on', 'off', 'only']), 'on'),
      /** Which mail goes through which transports; mail that no rule fits goes through all, in their order. */
      routes: v.optional(RouteRules, []),
      /** Which projects may name a transport for a mail, by the transport: `true` for all, or their ids. */
      mayName: v.optional(MayName, {}),
      /**
       * The host of the simulator beside `simulator.localhost`; null: none. Without it, the host of the public address
       * with `simulator.` before.
       */
      simulatorHost: v.nullish(
        v.pipe(HostName, v.startsWith('simulator.', 'must begin with "simulator.", as simulator.example.com does')),
      ),
      /** The most mail that goes out; without it there is no limit. */
      throttle: v.optional(ThrottleSettings, {}),
    }),
    {},
  ),
  /** When a campaign is stopped by itself. */
  campaigns: v.optional(
    v.object({
      /** Whether a campaign is paused when many of its first answers are the same refusal. */
      brake: v.optional(Brake, true),
    }),
    {},
  ),
  /** The recording of openings and clicks. */
  tracking: v.optional(
    v.object({
      /** Whether repeated openings and clicks of a mail are events, too. */
      emitRepeats: v.optional(v.boolean(), false),
    }),
    {},
  ),
  /** Where bounces of mail come back to. */
  feedback: v.optional(
    v.object({
      /**
       * The host for our bounces: the domain of the return path. Without it, it is looked for; `null`: bounces go to
       * the sender's address.
       */
      returnPathHost: v.nullish(HostName),
    }),
    {},
  ),
  /** How requests of webhooks are tried again. */
  webhooks: v.optional(
    v.object({
      /** Pauses before the second, third … try of a failed request; after the last one it has failed permanently. */
      retryDelays: v.optional(v.pipe(v.array(seconds), v.maxLength(50)), [5, 30, 300, 1800, 7200]),
    }),
    {},
  ),
  /** How many mails strangers can cause by typing addresses. */
  strangers: v.optional(
    v.object({
      /** Confirmation mails of a project within an hour, and as many that let people leave. */
      mailsPerHour: v.optional(most, 1_000),
      /** The same within a day. */
      mailsPerDay: v.optional(most, 5_000),
    }),
    {},
  ),
  /** How sending domains are proven and checked. */
  domains: v.optional(DomainSettings, {}),
  /** The bounce and complaint rates at which marketing mail is stopped. */
  reputation: v.optional(ReputationSettings, {}),
  /** Who may have an account, and how people log in. */
  accounts: v.optional(AccountSettings, {}),
  /** How large uploaded images may be. */
  uploads: v.optional(UploadSettings, {}),
  /** After how many days data is deleted. */
  retention: v.optional(RetentionSettings, {}),
  /** Where requests to addresses of customers may go. */
  egress: v.optional(
    v.object({
      /** Networks that requests to customers' addresses may reach besides public ones: `10.1.0.0/16`. */
      allow: v.optional(v.array(Cidr), []),
    }),
    {},
  ),
})

export type EngineValues = v.InferOutput<typeof EngineValues>

/** Two entries for one project would undo each other. */
function areDifferent(projects: readonly { readonly id?: string | undefined; readonly name: string }[]): boolean {
  const names = projects.map(({ name }) => name)
  const ids = projects.flatMap(({ id }) => id ?? [])
  return new Set(names).size === names.length && new Set(ids).size === ids.length
}
