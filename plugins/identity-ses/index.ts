import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { loadSesSdk, sesClient } from '../kit/ses/client.ts'
import { sesEntries } from '../kit/ses/options.ts'
import { SesIdentity } from './ses-identity.ts'

/** The Amazon account that the domains are added to. */
export const SesIdentityOptions = v.strictObject(sesEntries)
export type SesIdentityOptions = v.InferOutput<typeof SesIdentityOptions>

/** Requests at the same time. Amazon answers about one a second. */
const CONNECTIONS = 2

/**
 * Proves sending domains through Amazon SES (Easy DKIM): each becomes an identity of the account, and Amazon signs its
 * mail and rotates the keys by itself. Needs the package `@aws-sdk/client-sesv2`; throws EngineError `CONFIG_INVALID`
 * on opening without it. `sesIdentity({ region: 'eu-central-1' })`.
 */
export const sesIdentity = definePlugin({
  name: 'identity-ses',
  provides: ['identity'],
  options: SesIdentityOptions,
  describe: ({ region, endpoint }) => endpoint ?? region,
  async open(options, { log }) {
    const sdk = await loadSesSdk('identity-ses')
    const client = sesClient(sdk, options, CONNECTIONS)
    return { identity: new SesIdentity(sdk, client, log), close: async () => client.destroy() }
  },
})
