import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import { hostName, line, TlsOptions } from '../kit/net/options.ts'
import type { Keeping } from './connection.ts'
import type { Hop } from './hop.ts'
import { SmtpPool } from './pool.ts'

const wholeNumber = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(86_400)), fallback)

/** How to reach the next hop, and how to use it. Times are in seconds. */
export const SmtpOptions = v.strictObject({
  /** The server: a host name or an IP address. */
  host: hostName,
  /** Its port. Default 587, or 465 when `secure`. */
  port: v.optional(wholeNumber(1, 65_535)),
  /**
   * TLS from the first octet, as on port 465. Otherwise the connection is upgraded by STARTTLS if the server offers it.
   */
  secure: v.optional(v.boolean(), false),
  /**
   * Sends nothing unencrypted: without TLS, every mail is refused for now. Default true with `auth`, unless the host is
   * this machine: an attacker on the network can strip STARTTLS from the server's offer and would be sent the password.
   */
  requireTls: v.optional(v.boolean()),
  /** Login by AUTH PLAIN, LOGIN or CRAM-MD5, whichever the server offers. */
  auth: v.optional(v.strictObject({ user: line, pass: line })),
  /** The most connections, each carrying one mail at a time. */
  maxConnections: v.optional(wholeNumber(1, 1_000), 20),
  /** Our name in EHLO. Default the machine's host name. */
  name: v.optional(hostName),
  tls: v.optional(TlsOptions),
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
  headers: v.optional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^X-[A-Za-z0-9-]{1,100}$/i, 'must begin with X- and have letters, digits and "-"')),
        v.pipe(v.string(), v.minLength(1), v.regex(/^[\x20-\x7e]{0,700}$/, 'must be at most 700 characters of ASCII')),
      ),
      v.check((fields) => Object.keys(fields).length <= 20, 'must be at most 20'),
    ),
    {},
  ),
  /** Set this when the relay reports each delivery by a hook, so that its acceptance does not count as delivery. */
  reportsDelivery: v.optional(v.boolean(), false),
})
export type SmtpOptions = v.InferOutput<typeof SmtpOptions>

/**
 * Hands mail to an SMTP server (RFC 5321): a relay, a provider's submission port or your own MTA. Connections are
 * opened when there is mail, kept and reused. `smtp({ host: 'smtp.example.com', auth: { user, pass } })`.
 */
export const smtp = definePlugin({
  name: 'mail-smtp',
  provides: ['transport'],
  options: SmtpOptions,
  inThread: { module: import.meta.url, export: 'smtp' },
  describe: (options) => {
    const { host, port } = hopOf(options)
    return `${host}:${port}`
  },
  open(options, { log }) {
    const pool = new SmtpPool(hopOf(options), keepingOf(options), options.maxConnections, log)
    const transport: MailTransport = {
      concurrency: options.maxConnections,
      reach: isLoopback(options.host) ? 'machine' : 'anybody',
      async send(mail, signal) {
        const result = await pool.send(mail.envelope, withFields(options.headers, mail.id, await mail.raw()), signal)
        return options.reportsDelivery && result.outcome === 'accepted' ? { ...result, deliveryPending: true } : result
      },
      check: () => pool.check(),
      close: () => pool.close(),
    }
    return { transport }
  },
})

/** Adds the fields in front, where they do not break the mail's signatures. */
function withFields(fields: SmtpOptions['headers'], id: string, raw: Uint8Array): Uint8Array {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value.replaceAll('{id}', id)}\r\n`)
  return lines.length === 0 ? raw : Buffer.concat([Buffer.from(lines.join('')), raw])
}

function hopOf({ host, port, secure, requireTls, name, auth, tls, timeouts }: SmtpOptions): Hop {
  return {
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    requireTls: requireTls ?? (auth !== undefined && !isLoopback(host)),
    ...(name === undefined ? {} : { name }),
    ...(auth === undefined ? {} : { auth }),
    ...(tls === undefined ? {} : { tls: given(tls) }),
    connectTimeout: timeouts.connect * 1000,
  }
}

function keepingOf({ pipelining, timeouts, idleSeconds, maxMessagesPerConnection }: SmtpOptions): Keeping {
  return {
    pipelining,
    commandTimeout: timeouts.command * 1000,
    dataTimeout: timeouts.data * 1000,
    idleTimeout: idleSeconds * 1000,
    ...(maxMessagesPerConnection === undefined ? {} : { maxMessages: maxMessagesPerConnection }),
  }
}

/** Only the options that were given, since an undefined one would override a default of `tls.connect`. */
function given(tls: NonNullable<SmtpOptions['tls']>): NonNullable<Hop['tls']> {
  const { rejectUnauthorized, servername, ca, minVersion } = tls
  return {
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
    ...(ca === undefined ? {} : { ca }),
    ...(minVersion === undefined ? {} : { minVersion }),
  }
}
