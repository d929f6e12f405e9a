import { definePlugin } from '../../core/plugin/plugin.ts'
import { requireFreePort } from '../kit/smtp-server/free-port.ts'
import { InboundSmtpOptions } from './options.ts'
import { SmtpListener } from './smtp-listener.ts'

export { InboundSmtpOptions } from './options.ts'

/**
 * Receives mail by SMTP (RFC 5321), as the server an MX record names. It accepts only recipients the engine knows, and
 * answers 250 once the message is stored. `smtpServer({ hostname: 'mx.example.com' })`.
 */
export const smtpServer = definePlugin({
  name: 'inbound-smtp',
  provides: ['inbound'],
  options: InboundSmtpOptions,
  describe: ({ host, port }) => `${host}:${port}`,
  reach: requireFreePort,
  async open(options, { log, clock }) {
    const inbound = new SmtpListener(options, log, clock)
    await inbound.readCertificate()
    return { inbound }
  },
})
