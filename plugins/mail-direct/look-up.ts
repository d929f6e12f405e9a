import { isIP, type LookupFunction } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** Finds addresses by the engine's resolver, those of IPv6 only where they are wanted. */
export function lookUpBy(dns: DnsResolver, ipv6: boolean): LookupFunction {
  return (host, _options, done) => {
    const found = isIP(host) === 0 ? addressesOf(host, dns, ipv6) : Promise.resolve([host])
    found.then(
      (addresses) => {
        if (addresses.length === 0) done(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), [])
        else
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
      },
      () => done(Object.assign(new Error(`${host} could not be looked up`), { code: 'EAI_AGAIN' }), []),
    )
  }
}

async function addressesOf(host: string, dns: DnsResolver, ipv6: boolean): Promise<readonly string[]> {
  const v4 = await dns.ipv4(host)
  return ipv6 ? [...v4, ...(await dns.ipv6(host))] : v4
}
