import { isIP, type LookupFunction } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** Which addresses are connected to. */
export interface Families {
  readonly v4: boolean
  readonly v6: boolean
}

/** Finds addresses of these families by the engine's resolver. */
export function lookUpBy(dns: DnsResolver, families: Families): LookupFunction {
  return (host, _options, done) => {
    addressesOf(host, dns, families).then(
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

async function addressesOf(host: string, dns: DnsResolver, { v4, v6 }: Families): Promise<readonly string[]> {
  const asked = [...(v4 ? [dns.ipv4(host)] : []), ...(v6 ? [dns.ipv6(host)] : [])]
  const answers = await Promise.allSettled(asked)
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const [failed] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  // without an answer about the one kind, the other will do
  if (found.length === 0 && failed !== undefined) throw failed
  return found
}
