import * as v from 'valibot'
import { sesEntries } from '../kit/ses/options.ts'

/** Which account is used, and how. Times are in seconds. */
export const SesOptions = v.strictObject({
  ...sesEntries,
  /** The configuration set mail is sent with. It says where Amazon reports bounces, complaints and deliveries. */
  configurationSet: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -, at most 64')),
  ),
  /** Makes Amazon mail bounces and complaints to the return path, whose domain must be verified there. */
  feedbackForwarding: v.optional(v.boolean(), false),
  /** The most mails under way at the same time; fewer when the account's rate cannot use as many. */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)), 50),
})

export type SesOptions = v.InferOutput<typeof SesOptions>
