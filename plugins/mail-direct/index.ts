import { definePlugin } from '../../core/plugin/plugin.ts'
import { DirectTransport } from './direct-transport.ts'
import { DirectOptions } from './options.ts'

export { DirectOptions } from './options.ts'

/**
 * Hands mail to the mail servers of its recipients (MX, RFC 5321), without a provider between: `direct({ name:
 * 'mail.acme.example' })`. Needs an address with a good name and an open port 25.
 */
export const direct = definePlugin({
  name: 'mail-direct',
  provides: ['transport'],
  options: DirectOptions,
  describe: ({ name }) => `mail servers of the recipients, as ${name}`,
  open(options, { log, dns, webhooks }) {
    if (dns === undefined) throw new Error('it needs the resolver that the engine gives its transports')
    return { transport: new DirectTransport(options, dns, log, webhooks) }
  },
})
