import { definePlugin } from '../../core/plugin/plugin.ts'
import { loadSesSdk, sesClient } from '../kit/ses/client.ts'
import { SesOptions } from './options.ts'
import { SesTransport } from './ses-transport.ts'

export { SesOptions } from './options.ts'

/**
 * Hands mail to Amazon SES (API v2) as whole messages, at the rate of the account's quota. Needs the
 * package `@aws-sdk/client-sesv2`; throws EngineError `CONFIG_INVALID` on opening without it. `ses({
 * region: 'eu-central-1' })`.
 */
export const ses = definePlugin({
  name: 'mail-ses',
  provides: ['transport'],
  options: SesOptions,
  describe: ({ region, endpoint }) => endpoint ?? region,
  async open(options, { log }) {
    const sdk = await loadSesSdk('mail-ses')
    const transport = new SesTransport(options, sdk, sesClient(sdk, options, options.maxConnections), log)
    await transport.prepare()
    return { transport }
  },
})
