import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { HttpMailTransport } from './http-mail-transport.ts'
import { HttpMailOptions } from './options.ts'

/**
 * Hands mail to a provider's HTTP API, whose request is described by a template: `httpMail({ url, headers, body: {
 * from: '{{ from.text }}', to: '{{ to.texts }}', subject: '{{ subject }}', html: '{{ html }}', text: '{{ text }}' } })`.
 * Requests go through the engine's sender of webhooks, so they reach public addresses and `egress.allow` alone.
 */
export const httpMail = definePlugin({
  name: 'mail-http',
  provides: ['transport'],
  options: HttpMailOptions,
  describe: ({ url }) => new URL(url).host,
  open(options, { webhooks, clock, log }) {
    if (webhooks === undefined) throw new EngineError('PLUGIN_INVALID', 'mail-http: needs the webhooks of the kit')
    return { transport: new HttpMailTransport(options, webhooks, clock, log) }
  },
})
