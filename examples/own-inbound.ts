import { definePlugin } from 'mailwright'
import { smtpServer } from 'mailwright/plugins/inbound-smtp'
import * as v from 'valibot'

/** Begins as the built-in SMTP server. Put your own code into one method after another, and run the contract each time. */
export const ownInbound = definePlugin({
  name: 'inbound-own',
  provides: ['inbound'],
  options: v.strictObject({ port: v.number() }),
  async open({ port }, kit) {
    const { inbound } = await smtpServer({ host: '127.0.0.1', port }).open(kit)
    return {
      inbound: {
        start: (desk) => inbound.start(desk),
        check: () => inbound.check(),
        stop: (graceMs) => inbound.stop(graceMs),
      },
    }
  },
})
