import * as v from 'valibot'
import { definePlugin } from '../../core/plugin.ts'
import { SmtpListener } from './smtp-listener.ts'

const MEGABYTE = 1024 * 1024
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(86_400)), fallback)
const line = v.pipe(v.string(), v.nonEmpty('must not be empty'), v.regex(/^[\x21-\x7e]*$/, 'must not contain spaces'))
const file = v.pipe(v.string(), v.nonEmpty('must not be empty'))

/** How mail is received. All times are in seconds. */
export const InboundSmtpOptions = v.strictObject({
  /** The address to listen on; every one without it. */
  host: v.optional(line, '0.0.0.0'),
  /** The TCP port to listen on; 0 takes a free one. Mail servers deliver to 25. */
  port: v.optional(whole(0, 65_535), 25),
  /** What it calls itself: the name of the MX record. Without it the machine's own host name. */
  hostname: v.optional(line),
  /** The largest message, in bytes. */
  maxSize: v.optional(whole(1024, 1024 * MEGABYTE), 25 * MEGABYTE),
  /** Messages that are being received may have so many bytes together; beyond that senders are asked to come again. */
  maxBuffered: v.optional(whole(MEGABYTE, 1024 * 1024 * MEGABYTE), 256 * MEGABYTE),
  /** Connections at the same time. */
  maxConnections: v.optional(whole(1, 100_000), 200),
  /** Of them, those of one address. */
  maxConnectionsPerAddress: v.optional(whole(1, 100_000), 20),
  /** Recipients of one message. */
  maxRecipients: v.optional(whole(1, 10_000), 100),
  /** A certificate and its key, as files in PEM: with them STARTTLS is offered. */
  tls: v.optional(v.strictObject({ keyFile: file, certFile: file })),
  timeouts: v.optional(
    v.strictObject({
      /** The next command, and any standstill while a message comes. */
      command: seconds(300),
      /** A whole message. */
      data: seconds(600),
    }),
    {},
  ),
})
export type InboundSmtpOptions = v.InferOutput<typeof InboundSmtpOptions>

/**
 * Receives mail by SMTP (RFC 5321), as the server an MX record names. It takes only what the engine has recipients for,
 * and answers 250 when the message is stored. `smtpServer({ hostname: 'mx.example.com' })`.
 */
export const smtpServer = definePlugin({
  name: 'inbound-smtp',
  provides: ['inbound'],
  options: InboundSmtpOptions,
  describe: ({ host, port }) => `${host}:${port}`,
  async open(options, { log, clock }) {
    const inbound = new SmtpListener(options, log, clock)
    await inbound.readCertificate()
    return { inbound }
  },
})
