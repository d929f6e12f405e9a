import { definePlugin } from 'mailwright'
import { webhooksHttp } from 'mailwright/plugins/webhooks-http'

/** Begins as the built-in sender. Put your own code into one method after another, and run the contract each time. */
export const ownWebhooks = definePlugin({
  name: 'webhooks-own',
  provides: ['webhooks'],
  async open(_options: Record<never, never>, kit) {
    const { webhooks } = await webhooksHttp().open(kit)
    return {
      webhooks: {
        send: (request, signal) => webhooks.send(request, signal),
        refusal: (url) => webhooks.refusal?.(url),
      },
    }
  },
})
