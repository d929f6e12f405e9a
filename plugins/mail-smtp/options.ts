import * as v from 'valibot'
import { isJsonObject } from '../../core/values/json.ts'
import { nearest } from '../../core/values/nearest.ts'
import { say } from '../../core/values/parse.ts'
import { isNetwork } from '../kit/net/forbidden-range.ts'
import { hostName, line, TlsOptions } from '../kit/net/options.ts'
import { PRESETS, type Preset, type PresetName, presetOf } from './presets.ts'

const wholeNumber = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(86_400)), fallback)

const SmtpHeaders = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^X-[A-Za-z0-9-]{1,100}$/i, 'must begin with X- and have letters, digits and "-"')),
    v.pipe(v.string(), v.minLength(1), v.regex(/^[\x20-\x7e]{0,700}$/, 'must be at most 700 characters of ASCII')),
  ),
  v.check((fields) => Object.keys(fields).length <= 20, 'must be at most 20'),
)

/** The options with those of the preset filled in: how to reach the next hop, and how to use it. Times are in seconds. */
export const SmtpOptions = v.strictObject({
  /** A well-known relay by name, such as `brevo`. It gives what is left out here; see docs/smtp-presets.md. */
  preset: v.optional(v.string()),
  /** The server: a host name or an IP address, without a port. */
  host: hostName,
  /** Its port. Default 587, or 465 when `secure`. */
  port: v.optional(wholeNumber(1, 65_535)),
  /**
   * TLS from the first octet, as on port 465. Default false: the connection is upgraded by STARTTLS if the server offers it.
   */
  secure: v.optional(v.boolean(), false),
  /**
   * Sends nothing unencrypted: without TLS, every mail is refused for now. Default true with `auth`, unless the host is
   * this machine: an attacker on the network can strip STARTTLS from the server's offer and would be sent the password.
   */
  requireTls: v.optional(v.boolean()),
  /**
   * Connects to public addresses alone, and to these networks besides, such as `10.1.0.0/16`: for a server that others
   * than the operator have chosen. Default: any address.
   */
  publicOr: v.optional(v.array(v.pipe(v.string(), v.check(isNetwork, 'must be a network such as 10.0.0.0/8')))),
  /** Login by AUTH PLAIN, LOGIN or CRAM-MD5, whichever the server offers. */
  auth: v.optional(
    v.strictObject({
      /** The user name, as the server knows it. */
      user: line,
      /** The password, or a key that takes its place. */
      pass: line,
    }),
  ),
  /** The most connections, each carrying one mail at a time. Default 20. */
  maxConnections: v.optional(wholeNumber(1, 1_000), 20),
  /** Our name in EHLO. Default the machine's host name. */
  name: v.optional(hostName),
  /** How the connection is encrypted. */
  tls: v.optional(TlsOptions),
  /** How long the server may take. */
  timeouts: v.optional(
    v.strictObject({
      /** For connecting, TLS, the greeting and the login together. */
      connect: seconds(30),
      /** For the reply to a command. */
      command: seconds(60),
      /** For the reply to a whole message, and any standstill while writing it. */
      data: seconds(600),
    }),
    {},
  ),
  /** How long an unused connection is kept. */
  idleSeconds: seconds(30),
  /**
   * Closes a connection after this many mails, for servers that want it. Default never: where the server has a limit, it
   * is learnt.
   */
  maxMessagesPerConnection: v.optional(wholeNumber(1, 1_000_000_000)),
  /** Sends the commands of a mail in one go where the server offers PIPELINING (RFC 2920). */
  pipelining: v.optional(v.boolean(), true),
  /**
   * Header fields to put before every mail, for relays that need them. Their names begin with `X-`, and `{id}` in a
   * value is the id of the mail's record.
   */
  headers: v.optional(SmtpHeaders, {}),
  /** Set this when the relay reports each delivery by a hook, so that its acceptance does not count as delivery. */
  reportsDelivery: v.optional(v.boolean(), false),
})
export type SmtpOptions = v.InferOutput<typeof SmtpOptions>

type Input = v.InferInput<typeof SmtpOptions>

/** The options as they are given: with a preset the rest may be left out, as may the user where the relay has one for everybody. */
export type SmtpInput =
  | Input
  | (Partial<Omit<Input, 'preset' | 'auth'>> & {
      readonly preset: PresetName
      readonly auth?: { readonly user?: string; readonly pass: string }
    })

/** Reads the options as they are given. */
export const GivenSmtpOptions = v.pipe(
  v.custom<SmtpInput>(isJsonObject, 'must be an object'),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const given: Readonly<Record<string, unknown>> = dataset.value
    const refuse = (key: string, message: string) => {
      addIssue({
        message: say('custom', message),
        path: [{ type: 'object', origin: 'value', input: given, key, value: given[key] }],
      })
      return NEVER
    }
    const { preset: name } = given
    if (typeof name !== 'string') return given
    const preset = presetOf(name.trim())
    if (preset === undefined) return refuse('preset', unknown(name.trim()))
    if (given.auth === undefined && given.host === undefined && preset.needsLogin !== false) {
      const login = preset.user === undefined ? '{ user, pass }' : '{ pass }'
      return refuse('auth', `is required by ${preset.provider}: ${login}`)
    }
    return withPreset(preset, given)
  }),
  SmtpOptions,
)

/** The preset's options under those that are given. */
function withPreset(preset: Preset, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { host, port, secure, maxConnections, maxMessagesPerConnection, headers } = preset
  const limits = { maxConnections, maxMessagesPerConnection }
  const merged = { host, requireTls: true, ...limits, ...wayIn({ port, secure }, given), ...stated(given) }
  return {
    ...merged,
    ...(given.auth === undefined ? {} : { auth: withUser(preset.user, given.auth) }),
    ...(headers === undefined ? {} : { headers: withHeaders(headers, given.headers) }),
  }
}

/** A port and `secure` belong together, so of a preset's pair one is not kept beside another one that is given. */
function wayIn(preset: { readonly port: number; readonly secure: boolean }, given: Readonly<Record<string, unknown>>) {
  if (given.port !== undefined) return { secure: TLS_PORTS.has(given.port) }
  return given.secure === undefined || given.secure === preset.secure ? preset : {}
}

/** The port of submission over TLS (RFC 8314), and those that providers have beside it where it is blocked. */
const TLS_PORTS: ReadonlySet<unknown> = new Set([465, 2465, 8465])

function stated(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function withUser(user: string | undefined, auth: unknown): unknown {
  if (user === undefined || !isJsonObject(auth) || auth.user !== undefined) return auth
  return { ...auth, user: user === 'password' ? auth.pass : user }
}

function withHeaders(preset: Readonly<Record<string, string>>, given: unknown): unknown {
  if (given !== undefined && !isJsonObject(given)) return given
  const names = new Set(Object.keys(given ?? {}).map((name) => name.toLowerCase()))
  const kept = Object.entries(preset).filter(([name]) => !names.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...given }
}

function unknown(name: string): string {
  if (/^ses\b/.test(name)) return 'needs the region of Amazon SES, such as ses-eu-central-1'
  const near = nearest(name, Object.keys(PRESETS))
  return `is not a known preset${near === undefined ? '; docs/smtp-presets.md lists them' : ` (did you mean ${near}?)`}`
}
