import * as v from 'valibot'
import { isPlugin } from '../core/plugin/shape.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { DkimKey } from '../core/settings/dkim-settings.ts'
import { EngineValues } from '../core/settings/engine-values.ts'
import { ProjectSettings } from '../core/settings/project-settings.ts'
import type { CompatSettings, HookSettings, TransportSettings } from '../core/start/given-plugins.ts'
import { DASHBOARD_PATH } from '../core/values/dashboard-path.ts'
import { withoutBrackets } from '../core/values/ip-address.ts'
import { say } from '../core/values/parse.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const LOG_FORMATS = ['pretty', 'json'] as const

const ServerValues = v.object({
  /** The address to listen on. */
  host: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.transform(withoutBrackets)), '127.0.0.1'),
  /** The TCP port to listen on; 0 takes a free one. */
  port: v.optional(whole(0, 65_535), 3000),
  /** This server's public address, for links. Default the address it listens on. */
  publicUrl: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.check(isWebUrl, say('custom', 'must be an http or https URL such as https://mail.example.com')),
      v.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    ),
  ),
  /** Whether the client's address is taken from `X-Forwarded-For`. Safe only behind a proxy that sets it. */
  trustProxy: v.optional(v.boolean(), false),
  /** Connections at the same time. Default as many as the system allows this process, at most 10,000. */
  maxConnections: v.optional(whole(1, 1_000_000)),
  /**
   * Connections at the same time from one client address. Default 500, and never more than half of all. Not with
   * `trustProxy`, where all come from the proxy.
   */
  maxConnectionsPerAddress: v.optional(whole(1, 1_000_000)),
  /** The path of the dashboard; false: there is none. */
  dashboard: v.optional(
    v.union(
      [v.literal(false), v.pipe(v.string(), v.trim(), v.regex(DASHBOARD_PATH))],
      say('custom', 'must be a path such as /app, or false'),
    ),
    '/app',
  ),
  /** Web origins that may call the whole API from a browser. */
  corsOrigins: v.optional(
    v.array(v.pipe(v.string(), v.check(isOrigin, say('custom', 'must be an origin such as https://app.example.com')))),
    [],
  ),
})

const LimitValues = v.object({
  /** Requests per minute from one project, over all endpoints. */
  requestsPerMinute: v.optional(whole(1, 10_000_000), 1000),
  /**
   * Requests per minute with the public keys of one project from one client address. An office, a school or a server that
   * passes on what its visitors do is one address.
   */
  trackPerMinutePerIp: v.optional(whole(1, 10_000_000), 60),
})

const LogValues = v.object({
  /** The lowest level that is logged; `silent` logs nothing. */
  level: v.optional(v.picklist(LOG_LEVELS), 'info'),
  /** For people or for machines. Default `pretty` on a terminal, else `json`. */
  format: v.optional(v.picklist(LOG_FORMATS)),
  /** Whether addresses of people are logged; otherwise only their domains. */
  addresses: v.optional(v.boolean(), true),
})

const ownKey = v.optional(
  v.pipe(
    v.string(),
    v.minLength(16, say('too_small', 'must have at least 16 characters')),
    v.regex(/^[!-~]+$/, 'must be letters, digits and signs of ASCII, without spaces'),
  ),
)

const OperatorValues = v.object({
  /** Opens `GET /operator`, which without it does not exist. */
  key: ownKey,
})

const MetricsValues = v.object({
  /** Opens `GET /metrics`, which without it does not exist; nothing is counted then. */
  key: ownKey,
})

/** The project that the environment describes; a file has `projects`. */
const { name, trustedDomains, from, secretKey, publicKey } = ProjectSettings.entries
const FirstProject = v.object({ name: v.optional(name), trustedDomains, from, secretKey, publicKey })

/** `publicUrl` is under `server`. */
const { publicUrl: _publicUrl, ...engineEntries } = EngineValues.entries

/** The plain values of a config, the engine's and the server's, each with its default. */
export const ConfigValues = v.object({
  ...engineEntries,
  server: v.optional(ServerValues, {}),
  limits: v.optional(LimitValues, {}),
  log: v.optional(LogValues, {}),
  operator: v.optional(OperatorValues, {}),
  metrics: v.optional(MetricsValues, {}),
  firstProject: v.optional(FirstProject, {}),
})
export type ConfigValues = v.InferOutput<typeof ConfigValues>

const use = v.pipe(v.string(), v.trim(), v.minLength(1))
const options = v.optional(v.record(v.string(), v.unknown()))

/** A socket in its long form: which plugin, and its options. */
const SocketForm = v.object({ use, options })

/** The resolver's socket, in which `servers` may be given without `use` and `options`. */
const DnsForm = v.object({ use: v.optional(use, 'node'), options, servers: v.optional(v.array(v.string())) })

/** A transport: a plugin by name or by value, and its name in logs and records. */
export const TransportForm = v.object({
  name: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))),
  use: v.optional(use),
  options,
  plugin: v.optional(v.custom<Plugin<'transport'>>(isPlugin, 'must be a plugin')),
})

/** A hook: a plugin by name or by value, and its name in the path. */
const HookForm = v.object({
  name: v.optional(v.string()),
  use: v.optional(use),
  options,
  plugin: v.optional(v.custom<Plugin<'hook'>>(isPlugin, 'must be a plugin')),
})

/** Another service's API: a plugin by name or by value, and its name in the path. */
const CompatForm = v.object({
  name: v.optional(v.string()),
  use: v.optional(use),
  options,
  plugin: v.optional(v.custom<Plugin<'compat'>>(isPlugin, 'must be a plugin')),
})

const { firstProject: _firstProject, ...fileEntries } = ConfigValues.entries

/** Every key of a config and how they nest, for the search for unknown keys and for the documentation. */
export const ConfigKeys = v.object({
  ...fileEntries,
  dkim: v.optional(v.array(v.object({ ...DkimKey.entries, privateKeyFile: v.optional(v.string()) }))),
  store: v.optional(SocketForm),
  queue: v.optional(SocketForm),
  scheduler: v.optional(SocketForm),
  blobs: v.optional(SocketForm),
  dns: v.optional(DnsForm),
  webhookSender: v.optional(SocketForm),
  identity: v.optional(SocketForm),
  assistant: v.optional(SocketForm),
  inbound: v.optional(v.array(SocketForm)),
  submission: v.optional(v.array(SocketForm)),
  transports: v.optional(v.array(TransportForm)),
  hooks: v.optional(v.array(HookForm)),
  compat: v.optional(v.array(CompatForm)),
})

/** A plugin by its name, by its name with options, or as a value. */
export type Socket<
  Port extends
    | 'store'
    | 'queue'
    | 'scheduler'
    | 'blobs'
    | 'webhooks'
    | 'identity'
    | 'inbound'
    | 'submission'
    | 'assistant',
> = string | v.InferInput<typeof SocketForm> | Plugin<Port>
export type DnsSocket = string | v.InferInput<typeof DnsForm> | Plugin<'dns'>
export type TransportSocket =
  | string
  | (v.InferInput<typeof SocketForm> & { readonly name?: string })
  | Plugin<'transport'>
  | TransportSettings

export type HookSocket =
  | string
  | (v.InferInput<typeof SocketForm> & { readonly name?: string })
  | Plugin<'hook'>
  | HookSettings

export type CompatSocket =
  | string
  | (v.InferInput<typeof SocketForm> & { readonly name?: string })
  | Plugin<'compat'>
  | CompatSettings

/** A DKIM key whose text is in the config, or in a file (the path starts at the config file). */
type DkimEntry = Pick<DkimKey, 'domain' | 'selector'> &
  ({ readonly privateKey: string } | { readonly privateKeyFile: string })

/** A config as people write it. Everything has a default. */
export interface Config extends Omit<v.InferInput<typeof ConfigValues>, 'dkim' | 'firstProject'> {
  /** Keys that sign mail (DKIM, RFC 6376). */
  readonly dkim?: readonly DkimEntry[]
  readonly store?: Socket<'store'>
  readonly queue?: Socket<'queue'>
  readonly scheduler?: Socket<'scheduler'>
  readonly blobs?: Socket<'blobs'>
  readonly dns?: DnsSocket
  /** Sends webhooks. What they may reach is under `egress`. */
  readonly webhookSender?: Socket<'webhooks'>
  /** Proves sending domains. How they are checked is under `domains`. */
  readonly identity?: Socket<'identity'>
  /** Writes drafts and texts by a language model. Without it the assistant is off. */
  readonly assistant?: Socket<'assistant'>
  /** Receivers of mail, each listening on its own. */
  readonly inbound?: readonly Socket<'inbound'>[]
  /** Where customers' programs submit mail by SMTP. */
  readonly submission?: readonly Socket<'submission'>[]
  /** In the order they are tried. */
  readonly transports?: readonly TransportSocket[]
  /** Read what mail providers report by HTTP, each at `/hooks/<name>`. */
  readonly hooks?: readonly HookSocket[]
  /** Other services' APIs, whose clients may send here, each at `/compat/<name>`. Default: all that come with it. */
  readonly compat?: readonly CompatSocket[]
}

function whole(min: number, max: number) {
  return v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(min), v.maxValue(max))
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === ''
}

function isOrigin(text: string): boolean {
  // no star: a logged-in user would act for pages of every subdomain
  return isWebUrl(text) && URL.parse(text)?.origin === text && !text.includes('*')
}
