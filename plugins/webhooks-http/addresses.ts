import { isIP } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { forbiddenRange, type Network } from '../kit/net/forbidden-range.ts'
import { NoAnswer } from './no-answer.ts'

/** How many addresses of one name are tried: a request does not wait for a ninth connection. */
const MAX_ADDRESSES = 8

/**
 * The addresses of a host, IPv4 first, all of which may be reached. Looked up anew each time, and exactly these are
 * connected to. Throws NoAnswer `forbidden` when even one may not be reached, `failed` when there is none. The reason
 * does not name the address, since it would reveal our internal network.
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
  return addresses.slice(0, MAX_ADDRESSES)
}

/** True for the names of this machine itself (RFC 6761, section 6.3). */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Where those lead, without a look-up. */
export const LOOPBACK = '127.0.0.1'

/** The look-up of one kind of address may fail. */
async function resolve(host: string, dns: DnsResolver): Promise<readonly string[]> {
  if (isLocalhost(host)) return [LOOPBACK]
  const asked = await Promise.allSettled([dns.ipv4(host), dns.ipv6(host)])
  const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return found
  const isUnknown = asked.some(({ status }) => status === 'rejected')
  throw new NoAnswer('failed', isUnknown ? `could not resolve ${host}` : `there is no address of ${host}`)
}
