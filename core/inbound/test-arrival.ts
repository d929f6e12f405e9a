import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Arrival } from '../ports/store/domain-tests.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import { isSameAddress, reverseName } from '../values/reverse-name.ts'

/** How many names of an address are looked at, at most. */
const MAX_NAMES = 5
const HEAD = 64 * 1024
const MAX_FIELD_LENGTH = 1000

/** How a test arrived: its authentication, its route, and its header. */
export async function arrivalOf(message: WaitingMessage, dns: DnsResolver): Promise<Arrival> {
  const { raw, sender, remoteAddress, tls, receivedAt } = message
  const { authenticateInDetail } = await import('./authenticate.ts')
  const [authentication, reverse] = await Promise.all([authenticateInDetail(message, dns), namesOf(remoteAddress, dns)])
  const head = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, HEAD)).toString('latin1')
  const field = (name: string) =>
    new RegExp(`^${name}:((?:[^\\r\\n]|\\r\\n[ \\t])*)`, 'im')
      .exec(head.split('\r\n\r\n', 1)[0] ?? '')?.[1]
      ?.replaceAll('\r\n', '')
      .trim()
      .slice(0, MAX_FIELD_LENGTH)
      .replaceAll('\0', '') ?? ''
  return {
    at: receivedAt.toISOString(),
    ...authentication,
    sender,
    remoteAddress,
    tls,
    ...reverse,
    size: raw.length,
    listUnsubscribe: field('list-unsubscribe'),
    listUnsubscribePost: field('list-unsubscribe-post'),
  }
}

/** The names of an address, and whether one of them resolves back to it. */
async function namesOf(address: string, dns: DnsResolver): Promise<Pick<Arrival, 'names' | 'leadsBack'>> {
  const reverse = reverseName(address)
  if (reverse === undefined) return {}
  try {
    const names = (await dns.ptr(reverse)).slice(0, MAX_NAMES)
    const back = names.map(async (name) => (await Promise.all([dns.ipv4(name), dns.ipv6(name)])).flat())
    const leadsBack = (await Promise.all(back)).flat().some((each) => isSameAddress(each, address))
    return { names: names.map((name) => name.slice(0, 253)), leadsBack }
  } catch {
    return {}
  }
}
