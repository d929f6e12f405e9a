import * as v from 'valibot'
import { hostName, line, TlsOptions } from '../kit/net/options.ts'

const MEGABYTE = 1024 * 1024

const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const seconds = (fallback: number, most: number) =>
  v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(most)), fallback)

/** Which mailbox is read, and what becomes of what was read. All times are in seconds. */
export const InboundImapOptions = v.strictObject({
  /** The server: a host name or an IP address. */
  host: hostName,
  /** Its port; 993 without it, or 143 when `secure` is false. */
  port: v.optional(whole(1, 65_535)),
  /** TLS from the first octet. When false the connection is upgraded by STARTTLS where offered. */
  secure: v.optional(v.boolean(), true),
  /**
   * Without TLS nobody logs in. Left out it is so unless the host is this machine: whoever sits on the line can take STARTTLS
   * out of the server's offer, and would be sent the password.
   */
  requireTls: v.optional(v.boolean()),
  /** The login. */
  auth: v.strictObject({ user: line, pass: line }),
  /** The mailbox (folder) that is read. */
  mailbox: v.optional(line, 'INBOX'),
  /**
   * Whose mail it is when no `Delivered-To`, `X-Original-To` or `Envelope-To` of a message names an address of ours; without
   * it such a message is read as a bounce or complaint and is no e-mail record.
   */
  address: v.optional(v.pipe(line, v.regex(/^[^\s@]+@[^\s@]+$/, 'must be an address such as help@example.com'))),
  /** What becomes of a message that is stored: it is marked as read, and then moved, when a folder is named, or deleted. */
  after: v.optional(v.union([v.picklist(['seen', 'delete']), v.strictObject({ move: line })]), 'seen'),
  /** How often it looks, besides when the server tells of new mail (IDLE). */
  pollSeconds: seconds(60, 1_500),
  /** The largest message, in bytes. A larger one is left where it is, unread. */
  maxSize: v.optional(whole(1024, 1024 * MEGABYTE), 25 * MEGABYTE),
  tls: v.optional(TlsOptions),
  timeouts: v.optional(
    v.strictObject({
      /** Connecting, TLS, greeting and login, each. */
      connect: seconds(30, 3_600),
      /** Any standstill while something is asked or comes. */
      command: seconds(60, 3_600),
    }),
    {},
  ),
})

export type InboundImapOptions = v.InferOutput<typeof InboundImapOptions>
