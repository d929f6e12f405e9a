import { getServers } from 'node:dns'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { AnswerCache } from './answer-cache.ts'
import { NameServers } from './name-servers.ts'
import { NodeDnsResolver } from './node-dns-resolver.ts'
import type { DnsRecord } from './records.ts'
import { readServer } from './server-address.ts'

/** The options of `nodeDns`. */
export const NodeDnsOptions = v.strictObject({
  /** Name servers in the order they are asked, each `ip`, `ip:port` or `[ipv6]:port`. Default: the system's. */
  servers: v.optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.check((text) => readServer(text) !== undefined, 'must be an IP address, with or without a port'),
        ),
      ),
      v.minLength(1, 'needs at least one'),
    ),
  ),
  /** Milliseconds to wait for a server's first answer. Default 3000. */
  timeoutMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(60_000)), 3000),
  /** How many times each server is asked. Default 2. */
  tries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)), 2),
  /** How many answers are kept; 0 keeps none. Default 10,000. */
  cacheEntries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000)), 10_000),
})

/**
 * Asks the system's name servers, or those given, directly, without `/etc/hosts`. Answers are kept as long as the DNS
 * allows, between a second and an hour, "nothing there" for five minutes at most, and failures not at all. A server
 * that does not answer is asked after the others for 30 seconds. Each is asked `tries` times with a growing wait, so a
 * look-up that cannot succeed takes about `timeoutMs × (2^tries − 1)` milliseconds per server: 9 seconds by default.
 */
export const nodeDns = definePlugin({
  name: 'dns-node',
  provides: ['dns'],
  options: NodeDnsOptions,
  open({ servers = getServers(), timeoutMs, tries, cacheEntries }, { clock }) {
    const addresses = servers.flatMap((text) => readServer(text) ?? [])
    const nameServers = new NameServers({ servers: addresses, timeoutMs, tries })
    const cache = new AnswerCache<readonly DnsRecord[]>(cacheEntries, () => clock.now().getTime())
    return { dns: new NodeDnsResolver(nameServers, cache), close: async () => nameServers.close() }
  },
})
