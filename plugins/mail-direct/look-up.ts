import { isIP, type LookupFunction } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** Finds addresses by the engine's resolver, those of IPv6 only where they are wanted. */
export function lookUpBy(dns: DnsResolver, ipv6: boolean): LookupFunction {
  return (host, _options, done) => {
    addressesOf(host, dns, ipv6).then(
      (addresses) => {
        if (addresses.length > 0)
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
        else done(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), [])
      },
      () => done(Object.assign(new Error(`${host} could not be looked up`), { code: 'EAI_AGAIN' }), []),
    )
  }
}

async function addressesOf(host: string, dns: DnsResolver, ipv6: boolean): Promise<readonly string[]> {
  const v4 = await dns.ipv4(host)
  if (!ipv6) return v4
  // without an answer about the one kind, the other will do
  const v6 = await dns.ipv6(host).catch((error: unknown) => {
    if (v4.length === 0) throw error
    return []
  })
  return [...v4, ...v6]
}
