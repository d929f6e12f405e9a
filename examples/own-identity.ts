import { definePlugin } from 'mailwright'
import { dkimIdentity } from 'mailwright/plugins/identity-dkim'

/** Begins as the built-in DKIM keys. Put your own code into one method after another, and run the contract each time. */
export const ownIdentity = definePlugin({
  name: 'identity-own',
  provides: ['identity'],
  async open(_options: Record<never, never>, kit) {
    const { identity } = await dkimIdentity().open(kit)
    return {
      identity: {
        make: (domain, taken) => identity.make(domain, taken),
        records: (domain, proof) => identity.records(domain, proof),
        check: (domain, proof, dns) => identity.check(domain, proof, dns),
      },
    }
  },
})
