import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { Egress } from './egress.ts'

/** How webhooks are sent. */
export const WebhooksHttpOptions = v.strictObject({
  /** Authorities in PEM to trust besides the well-known ones. */
  ca: v.optional(v.union([v.string(), v.array(v.string())])),
})

/**
 * Sends webhooks by HTTP/1.1, over TLS for https, to public addresses and those of the engine's `egress.allow`. Names
 * are resolved by the engine's resolver; the environment's proxies are not used.
 */
export const webhooksHttp = definePlugin({
  name: 'webhooks-http',
  provides: ['webhooks'],
  options: WebhooksHttpOptions,
  open({ ca }, { egress }) {
    return { webhooks: new Egress({ ...egress, ...(ca === undefined ? {} : { ca: [ca].flat() }) }) }
  },
})
