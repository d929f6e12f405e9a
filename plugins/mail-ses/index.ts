import * as v from 'valibot'
import { definePlugin } from '../../core/plugin.ts'
import { loadSdk, sesClient } from '../kit/ses/client.ts'
import { sesEntries } from '../kit/ses/options.ts'
import { SesTransport } from './ses-transport.ts'

/** Whose account is used, and how. All times are in seconds. */
export const SesOptions = v.strictObject({
  ...sesEntries,
  /** The configuration set mail is sent with: it says where Amazon tells of bounces, complaints and deliveries. */
  configurationSet: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -, at most 64')),
  ),
  /** Has Amazon mail bounces and complaints to the return path, whose domain must be verified there. */
  feedbackForwarding: v.optional(v.boolean(), false),
  /** Mails on their way at the same time; fewer when the account's rate has no use for so many. */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)), 50),
})
export type SesOptions = v.InferOutput<typeof SesOptions>

/**
 * Hands mail to Amazon SES (API v2) as whole messages, as fast as the account's quota has it. Needs the package
 * `@aws-sdk/client-sesv2`; throws EngineError `CONFIG_INVALID` when it is opened without. `ses({ region: 'eu-central-1' })`.
 */
export const ses = definePlugin({
  name: 'mail-ses',
  provides: ['transport'],
  options: SesOptions,
  describe: ({ region, endpoint }) => endpoint ?? region,
  async open(options, { log }) {
    const sdk = await loadSdk('mail-ses')
    const transport = new SesTransport(options, sdk, sesClient(sdk, options, options.maxConnections), log)
    await transport.prepare()
    return { transport }
  },
})
