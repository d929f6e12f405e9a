import * as v from 'valibot'
import { isLoopback } from '../kit/net/loopback.ts'
import { listenerEntries } from '../kit/smtp-server/options.ts'

const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const Entries = v.strictObject({
  ...listenerEntries({ port: 587 }),
  /** Recipients of one message. */
  maxRecipients: v.optional(whole(1, 100), 100),
  /** TLS from the first octet, as on port 465 (RFC 8314). Without it STARTTLS. */
  secure: v.optional(v.boolean(), false),
  /** Passwords may come in the clear from other machines, too: only on a line you trust. */
  allowInsecureAuth: v.optional(v.boolean(), false),
  /** Wrong logins of one address within a minute; with each further one it is sent away. */
  loginFailuresPerMinute: v.optional(whole(1, 100_000), 10),
})

const NO_TLS =
  'is required: keys must not go in the clear. Without it listen on 127.0.0.1, or say allowInsecureAuth on a line you trust'

/** How programs hand in mail. All times are in seconds. */
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
