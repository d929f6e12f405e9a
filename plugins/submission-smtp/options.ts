import * as v from 'valibot'
import { isLoopback } from '../kit/net/loopback.ts'
import { listenerEntries } from '../kit/smtp-server/options.ts'

const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const Entries = v.strictObject({
  ...listenerEntries({ port: 587 }),
  /** Recipients per message. */
  maxRecipients: v.optional(whole(1, 100), 100),
  /** TLS from the first octet, as on port 465 (RFC 8314). Default STARTTLS. */
  secure: v.optional(v.boolean(), false),
  /** Accepts unencrypted passwords from other machines, too: only on a network you trust. */
  allowInsecureAuth: v.optional(v.boolean(), false),
  /** How many wrong logins an address may make per minute; after each further one, it is disconnected. */
  loginFailuresPerMinute: v.optional(whole(1, 100_000), 10),
})

const NO_TLS =
  'is required: keys must not go in the clear. Without it listen on 127.0.0.1, or say allowInsecureAuth on a line you trust'

/** How programs submit mail. Times are in seconds. */
export const SubmissionSmtpOptions = v.pipe(
  Entries,
  v.forward(
    v.check(({ tls, host, allowInsecureAuth, secure }) => {
      return tls !== undefined || (!secure && (allowInsecureAuth || isLoopback(host)))
    }, NO_TLS),
    ['tls'],
  ),
)

export type SubmissionSmtpOptions = v.InferOutput<typeof SubmissionSmtpOptions>
