import { Resolver } from 'node:dns/promises'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin.ts'
import { NodeDnsResolver } from './node-dns-resolver.ts'
import { isServer } from './server-address.ts'

/**
 * Asks the system's name servers, or those it is given, directly: neither `/etc/hosts` nor a cache is in between.
 * A server that does not answer is asked `tries` times with a growing pause, so a look-up that cannot succeed takes
 * about `timeoutMs × (2^tries − 1)` milliseconds per server: 9 seconds by default.
 */
export const nodeDns = definePlugin({
  name: 'dns-node',
  provides: ['dns'],
  options: v.strictObject({
    /** Name servers in the order they are asked, each `ip`, `ip:port` or `[ipv6]:port`. Default: the system's. */
    servers: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.check(isServer, 'must be an IP address, with or without a port'))),
        v.minLength(1, 'needs at least one'),
      ),
    ),
    /** Milliseconds to wait for the first answer of a server. Default 3000. */
    timeoutMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(60_000)), 3000),
    /** How many times each server is asked. Default 2. */
    tries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)), 2),
  }),
  open({ servers, timeoutMs, tries }) {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers !== undefined) resolver.setServers(servers)
    return { dns: new NodeDnsResolver(resolver), close: async () => resolver.cancel() }
  },
})
