import { isIP } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { forbiddenRange, type Network } from './forbidden-range.ts'
import { NoAnswer } from './no-answer.ts'

/** More addresses of one name are not looked at: nobody waits for the ninth connection. */
const ADDRESSES = 8

/**
 * The addresses of a host, all of which may be reached, IPv4 first. Asked anew each time: what is answered here is what
 * is connected to. Throws NoAnswer `forbidden` when even one of them may not be reached, `failed` when there is none.
 * The address is not told: what a name leads to inside of our network is nobody's business.
 */
export async function addressesOf(
  host: string,
  { dns, allow }: { readonly dns: DnsResolver; readonly allow: readonly Network[] },
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolve(host, dns) : [host]
  for (const address of addresses) {
    const range = forbiddenRange(address, allow)
    if (range !== undefined) {
      const reason = `${host} is at an address that may not be reached (${range}); egress.allow in the configuration decides`
      throw new NoAnswer('forbidden', reason)
    }
  }
  return addresses.slice(0, ADDRESSES)
}

/** True for the names of this very machine (RFC 6761, section 6.3). */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Where those lead, without a question. */
export const LOOPBACK = '127.0.0.1'

/** One kind of address may be missing its answer. */
async function resolve(host: string, dns: DnsResolver): Promise<readonly string[]> {
  if (isLocalhost(host)) return [LOOPBACK]
  const asked = await Promise.allSettled([dns.ipv4(host), dns.ipv6(host)])
  const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found
  const isUnknown = asked.some(({ status }) => status === 'rejected')
  throw new NoAnswer('failed', isUnknown ? `could not resolve ${host}` : `there is no address of ${host}`)
}
