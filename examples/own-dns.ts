import { definePlugin } from 'mailwright'
import { nodeDns } from 'mailwright/plugins/dns-node'
import * as v from 'valibot'

/** Begins as the built-in resolver. Put your own code into one method after another, and run the contract each time. */
export const ownDns = definePlugin({
  name: 'dns-own',
  provides: ['dns'],
  options: v.strictObject({ server: v.string() }),
  async open({ server }, kit) {
    const { dns, close } = await nodeDns({ servers: [server], timeoutMs: 500, cacheEntries: 0 }).open(kit)
    return {
      dns: {
        mx: (name, options) => dns.mx(name, options),
        txt: (name, options) => dns.txt(name, options),
        ns: (name, options) => dns.ns(name, options),
        cname: (name, options) => dns.cname(name, options),
        ipv4: (name, options) => dns.ipv4(name, options),
        ipv6: (name, options) => dns.ipv6(name, options),
        ptr: (name, options) => dns.ptr(name, options),
      },
      close: async () => close?.(),
    }
  },
})
