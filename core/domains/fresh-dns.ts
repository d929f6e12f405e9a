import type { DnsResolver } from '../ports/dns-resolver.ts'

/**
 * A resolver that bypasses the cache for names of the domain, since its owner may just have changed them, and uses it
 * for all others, such as the SPF records of large providers.
 */
export function freshDns(dns: DnsResolver, domain: string): DnsResolver {
  const options = (name: string) => ({ fresh: name === domain || name.endsWith(`.${domain}`) })
  return {
    mx: (name) => dns.mx(name, options(name)),
    txt: (name) => dns.txt(name, options(name)),
    ns: (name) => dns.ns(name, options(name)),
    cname: (name) => dns.cname(name, options(name)),
    ipv4: (name) => dns.ipv4(name, options(name)),
    ipv6: (name) => dns.ipv6(name, options(name)),
    ptr: (name) => dns.ptr(name, options(name)),
  }
}
