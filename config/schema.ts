import * as v from 'valibot'
import { isPlugin } from '../core/plugin/shape.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { DkimKey } from '../core/settings/dkim-settings.ts'
import { EngineValues } from '../core/settings/engine-values.ts'
import { ProjectSettings } from '../core/settings/project-settings.ts'
import type { HookSettings, TransportSettings } from '../core/start/given-plugins.ts'
import { say } from '../core/values/parse.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const LOG_FORMATS = ['pretty', 'json'] as const

const ServerValues = v.object({
  /** The address to listen on. */
  host: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1)), '127.0.0.1'),
  /** The TCP port to listen on; 0 takes a free one. */
  port: v.optional(whole(0, 65_535), 3000),
  /** How the world reaches this server: stands in links. Without it, the address it listens on. */
  publicUrl: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.check(isWebUrl, say('custom', 'must be an http or https URL such as https://mail.example.com')),
      v.transform((url) => url.replace(/\/+$/, '')),
    ),
  ),
  /** Whether the client's address is taken from `X-Forwarded-For`; only right behind a proxy that sets it. */
  trustProxy: v.optional(v.boolean(), false),
  /** How long a client may take for the header fields of a request, in seconds. */
  headersTimeout: v.optional(seconds(0.1, 3600), 15),
  /** How long a client may take for a whole request, in seconds. */
  requestTimeout: v.optional(seconds(0.1, 86_400), 300),
  /** Connections at the same time; without it as many as the system lets this process have, at most 10,000. */
  maxConnections: v.optional(whole(1, 1_000_000)),
  /**
   * Connections of one client address at the same time; without it 500, and never more than half of all. Not with
   * `trustProxy`, where all have the proxy's.
   */
  maxConnectionsPerAddress: v.optional(whole(1, 1_000_000)),
  /** Web origins that may call the whole API from a browser. */
  corsOrigins: v.optional(
    v.array(v.pipe(v.string(), v.check(isOrigin, say('custom', 'must be an origin such as https://app.example.com')))),
    [],
  ),
})

const LimitValues = v.object({
  /** Requests a minute of one project, over all endpoints. */
  requestsPerMinute: v.optional(whole(1, 10_000_000), 1000),
  /** Requests a minute of one client address that uses a public key. */
  trackPerMinutePerIp: v.optional(whole(1, 10_000_000), 60),
  /** Visits a minute of one client address to the pages for people. */
  pagesPerMinutePerIp: v.optional(whole(1, 10_000_000), 3000),
  /** Wrong keys and unknown paths a minute of one client address. */
  failuresPerMinutePerIp: v.optional(whole(1, 10_000_000), 300),
  /** Requests a minute of one client address to hooks that do not prove who makes them. */
  hookFailuresPerMinutePerIp: v.optional(whole(1, 10_000_000), 60),
})

const LogValues = v.object({
  /** The least serious lines to write; `silent` writes none. */
  level: v.optional(v.picklist(LOG_LEVELS), 'info'),
  /** For people or for machines. */
  format: v.optional(v.picklist(LOG_FORMATS), 'pretty'),
})

/** The project of a server that has only one; those of several stand under `projects`. */
const { name, trustedDomains, from, secretKey, publicKey } = ProjectSettings.entries
const FirstProject = v.object({ name: v.optional(name), trustedDomains, from, secretKey, publicKey })

/** `publicUrl` and `secret` stand under `server` and `auth`. */
const { publicUrl: _publicUrl, secret: _secret, ...engineEntries } = EngineValues.entries

/** The plain values of a config: those of the engine and those of the server, each with its default. */
export const ConfigValues = v.object({
  ...engineEntries,
  server: v.optional(ServerValues, {}),
  limits: v.optional(LimitValues, {}),
  log: v.optional(LogValues, {}),
  firstProject: v.optional(FirstProject, {}),
  auth: v.optional(
    v.object({
      /** Signs the links in mails, and encrypts the keys of domains. Without it one is made and kept in the store. */
      secret: v.optional(v.pipe(v.string(), v.minLength(16, say('too_small', 'must have at least 16 characters')))),
    }),
    {},
  ),
})
export type ConfigValues = v.InferOutput<typeof ConfigValues>

const use = v.pipe(v.string(), v.trim(), v.minLength(1))
const options = v.optional(v.record(v.string(), v.unknown()))

/** A socket written out: which plugin, and its options. */
const SocketForm = v.object({ use, options })

/** The resolver's socket: `servers` may stand without `use` and `options`. */
const DnsForm = v.object({ use: v.optional(use, 'node'), options, servers: v.optional(v.array(v.string())) })

/** One transport: a plugin by name or by value, and the name it has in logs and records. */
export const TransportForm = v.object({
  name: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))),
  use: v.optional(use),
  options,
  plugin: v.optional(v.custom<Plugin<'transport'>>(isPlugin, 'must be a plugin')),
})

/** One hook: a plugin by name or by value, and the name it has in its path. */
const HookForm = v.object({
  name: v.optional(v.string()),
  use: v.optional(use),
  options,
  plugin: v.optional(v.custom<Plugin<'hook'>>(isPlugin, 'must be a plugin')),
})

/** Every key of a config and how they nest: what the search for unknown keys and the documentation go by. */
export const ConfigKeys = v.object({
  ...ConfigValues.entries,
  dkim: v.optional(v.array(v.object({ ...DkimKey.entries, privateKeyFile: v.optional(v.string()) }))),
  store: v.optional(SocketForm),
  queue: v.optional(SocketForm),
  scheduler: v.optional(SocketForm),
  blobs: v.optional(SocketForm),
  dns: v.optional(DnsForm),
  webhookSender: v.optional(SocketForm),
  identity: v.optional(SocketForm),
  inbound: v.optional(v.array(SocketForm)),
  submission: v.optional(v.array(SocketForm)),
  transports: v.optional(v.array(TransportForm)),
  hooks: v.optional(v.array(HookForm)),
})

/** A plugin by its name, by its name with options, or the value itself. */
export type Socket<
  Port extends 'store' | 'queue' | 'scheduler' | 'blobs' | 'webhooks' | 'identity' | 'inbound' | 'submission',
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

/** A DKIM key whose text stands in the config, or in a file of its own (the path starts at the config file). */
type DkimEntry = Pick<DkimKey, 'domain' | 'selector'> &
  ({ readonly privateKey: string } | { readonly privateKeyFile: string })

/** A config as it is written. Everything has a default. */
export interface Config extends Omit<v.InferInput<typeof ConfigValues>, 'dkim'> {
  /** Keys that sign mail (DKIM, RFC 6376). */
  readonly dkim?: readonly DkimEntry[]
  readonly store?: Socket<'store'>
  readonly queue?: Socket<'queue'>
  readonly scheduler?: Socket<'scheduler'>
  readonly blobs?: Socket<'blobs'>
  readonly dns?: DnsSocket
  /** What sends webhooks; what they may reach stands under `egress`. */
  readonly webhookSender?: Socket<'webhooks'>
  /** What proves sending domains; how they are checked stands under `domains`. */
  readonly identity?: Socket<'identity'>
  /** What receives mail: each listens by itself. */
  readonly inbound?: readonly Socket<'inbound'>[]
  /** Where programs of customers hand in mail by SMTP. */
  readonly submission?: readonly Socket<'submission'>[]
  /** In the order they are tried. */
  readonly transports?: readonly TransportSocket[]
  /** What reads what other providers tell by HTTP, each at `/hooks/<name>`. */
  readonly hooks?: readonly HookSocket[]
}

function whole(min: number, max: number) {
  return v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(min), v.maxValue(max))
}

function seconds(min: number, max: number) {
  return v.pipe(v.number(), v.minValue(min), v.maxValue(max))
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === ''
}

function isOrigin(text: string): boolean {
  return isWebUrl(text) && URL.parse(text)?.origin === text
}
