import * as v from 'valibot'
import { hostName, line, TlsOptions } from '../kit/net/options.ts'

const MEGABYTE = 1024 * 1024

const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const seconds = (fallback: number, most: number) =>
  v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(most)), fallback)

/** Which mailbox is read, and what is done with messages that are stored. Times are in seconds. */
export const InboundImapOptions = v.strictObject({
  /** The server: a host name or an IP address, without a port. */
  host: hostName,
  /** Its port. Default 993, or 143 when `secure` is false. */
  port: v.optional(whole(1, 65_535)),
  /** TLS from the first octet, the default. When false, the connection is upgraded by STARTTLS if the server offers it. */
  secure: v.optional(v.boolean(), true),
  /**
   * Never logs in without TLS. Default true unless the host is this machine: an attacker on the network can strip
   * STARTTLS from the server's offer and would be sent the password.
   */
  requireTls: v.optional(v.boolean()),
  /** The login. */
  auth: v.strictObject({
    /** The user name, as the server knows it. */
    user: line,
    /** The password, or a key that takes its place. */
    pass: line,
  }),
  /** The mailbox (folder) to read. Default `INBOX`. */
  mailbox: v.optional(line, 'INBOX'),
  /**
   * The recipient of messages whose `Delivered-To`, `X-Original-To` or `Envelope-To` names no address of ours. Without
   * it, such a message is read only as a bounce or complaint, and makes no e-mail record.
   */
  address: v.optional(v.pipe(line, v.regex(/^[^\s@]+@[^\s@]+$/, 'must be an address such as help@example.com'))),
  /** The way a stored message goes: it is marked as read, and then moved, when a folder is named, or deleted. */
  after: v.optional(v.union([v.picklist(['seen', 'delete']), v.strictObject({ move: line })]), 'seen'),
  /** How often it looks, besides when the server reports new mail (IDLE). */
  pollSeconds: seconds(60, 1_500),
  /** The largest message, in bytes. A larger one stays in the mailbox, unread. */
  maxSize: v.optional(whole(1024, 1024 * MEGABYTE), 25 * MEGABYTE),
  /** How the connection is encrypted. */
  tls: v.optional(TlsOptions),
  /** How long the server may take. */
  timeouts: v.optional(
    v.strictObject({
      /** For connecting, TLS, the greeting and the login, each. */
      connect: seconds(30, 3_600),
      /** For any standstill while a command is running. */
      command: seconds(60, 3_600),
    }),
    {},
  ),
})

export type InboundImapOptions = v.InferOutput<typeof InboundImapOptions>
