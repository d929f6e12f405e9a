import { domainToASCII } from 'node:url'
import { listingsOf } from '../../core/domains/blocklists.ts'
import { judgeDmarc } from '../../core/domains/dmarc.ts'
import { lookUp } from '../../core/domains/look-up.ts'
import { isSpf } from '../../core/domains/spf.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { SenderIdentity } from '../../core/ports/sender-identity.ts'
import type { SenderDomain } from '../../core/ports/store/domains.ts'
import type { EngineValues } from '../../core/settings/engine-values.ts'
import { isOwnNetwork } from '../../core/values/ip-address.ts'
import type { Found } from './finding.ts'

/** The parts that looking a domain up needs. */
export interface Resolvers {
  readonly dns: DnsResolver
  readonly identity: SenderIdentity
  readonly values: EngineValues
}

/** Looks at every record of a domain that was added, its DKIM keys included, as the server does each hour. */
export async function atAddedDomain(domain: SenderDomain, resolvers: Resolvers): Promise<Found> {
  const { findings } = await lookUp(domain, resolvers, new AbortController().signal)
  const wrong = Object.entries(findings).filter(([, { state }]) => state !== 'found')
  if (wrong.length === 0) {
    return { state: 'ok', says: `${Object.keys(findings).join(', ')}: all published` }
  }
  const says = wrong.map(([record, { advice }]) => `${record}: ${advice}`).join(' ')
  return { state: domain.status === 'VERIFIED' ? 'warning' : 'problem', says }
}

/** Looks at the SPF and DMARC records of a domain that the configuration trusts, and that has no key here. */
export async function atTrustedDomain(domain: string, dns: DnsResolver): Promise<Found> {
  const asked = Promise.all([dns.txt(domain), judgeDmarc(domain, 'v=DMARC1; p=none', dns)])
  const answers = await asked.catch(() => undefined)
  if (answers === undefined) return { state: 'unknown', says: 'the name servers do not answer' }
  const [texts, dmarc] = answers
  const spf = texts.filter(isSpf)
  const wrong: string[] = []
  if (spf.length === 0) wrong.push('There is no SPF record: publish the one that GET /domains names.')
  if (spf.length > 1) wrong.push(`There are ${spf.length} SPF records, so none counts: leave only one.`)
  if (dmarc.state !== 'found') wrong.push(dmarc.advice)
  if (wrong.length > 0) return { state: 'warning', says: wrong.join(' ') }
  return {
    state: 'ok',
    says: 'SPF and DMARC are published; its mail is not signed here unless it is added: POST /domains',
  }
}

/** Looks an address that mail leaves from up in block lists. A list that refuses or is silent says nothing. */
export async function atSendingAddress(address: string, zones: readonly string[], dns: DnsResolver): Promise<Found> {
  if (isOwnNetwork(address)) return { state: 'unknown', says: 'it is in a private network, which no list has' }
  const [found] = await listingsOf([address], zones, dns)
  const listings = found?.listings ?? []
  const listed = listings.filter(({ state }) => state === 'listed')
  if (listed.length > 0) return { state: 'warning', says: listed.map(({ advice }) => advice).join(' ') }
  const clear = listings.filter(({ state }) => state === 'clear').map(({ zone }) => zone)
  const silent = listings.filter(({ state }) => state !== 'clear').map(({ zone }) => zone)
  const others = silent.length === 0 ? '' : `; not answered by ${silent.join(', ')}`
  if (clear.length === 0) return { state: 'unknown', says: `no list answers this resolver${others}` }
  return { state: 'ok', says: `not listed by ${clear.join(', ')}${others}` }
}

/** Looks whether mail to a host of the settings, such as that of bounces, finds its way. */
export async function atReceivingHost(host: string, dns: DnsResolver): Promise<Found> {
  const name = domainToASCII(host)
  const asked = Promise.all([dns.mx(name), dns.ipv4(name), dns.ipv6(name)])
  const answers = await asked.catch(() => undefined)
  if (answers === undefined) return { state: 'unknown', says: 'the name servers do not answer' }
  const [exchangers, ...addresses] = answers
  if (exchangers.some(({ exchange }) => exchange !== '')) {
    return { state: 'ok', says: `mail to it goes to ${exchangers.map(({ exchange }) => exchange).join(', ')}` }
  }
  if (exchangers.length === 0 && addresses.flat().length > 0) {
    return { state: 'ok', says: `mail to it goes to ${addresses.flat().join(', ')}` }
  }
  return {
    state: 'problem',
    says: 'no mail can reach it: publish an A record with the address of this server, or an MX',
  }
}
