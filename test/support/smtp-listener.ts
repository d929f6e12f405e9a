import * as v from 'valibot'
import type { Plugin } from '../../config/library.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { InboundSmtpOptions } from '../../plugins/inbound-smtp/options.ts'
import { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'

/** A real listener of received mail on a free port, which calls itself `hostname`. `took` gets each that is opened. */
export function smtpListener(
  took: (listener: SmtpListener) => void = () => {},
  hostname = 'mx.example.com',
): Plugin<'inbound'> {
  return definePlugin({
    name: 'listener',
    provides: ['inbound'],
    open: (_options: object, { log, clock }) => {
      const options = v.parse(InboundSmtpOptions, { host: '127.0.0.1', port: 0, hostname })
      const listener = new SmtpListener(options, log, clock)
      took(listener)
      return { inbound: listener }
    },
  })()
}
