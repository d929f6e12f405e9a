import * as v from 'valibot'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import { type AdviceCode, advised, type Sentence } from '../values/advice.ts'
import type { InputOf } from '../values/input.ts'
import { isOwnNetwork } from '../values/ip-address.ts'
import { say } from '../values/parse.ts'
import { isSameAddress, reverseName } from '../values/reverse-name.ts'
import { blocklistAdvice } from './blocklist-advice.ts'

const MAX_ADDRESSES = 16
/** How many addresses are looked up at a time: each is asked for in every list at once. */
const AT_ONCE = 4
/** How long one question may take, in milliseconds. */
const PATIENCE_MS = 5_000
const LONGEST_REASON = 300
/** The entries by which a list shows that it answers (RFC 5782, section 5). */
const TEST = { ipv4: '127.0.0.2', ipv6: '::ffff:7f00:2' }

const Address = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(50),
  v.check(
    (text) => reverseName(text) !== undefined,
    say('invalid_string', 'must be an IPv4 or IPv6 address such as 198.51.100.7, without a port or a network'),
  ),
  v.check((text) => !isOwnNetwork(text), say('custom', 'must be an address that the world sees: this one is private')),
)

export const LookUpAddresses = v.object({
  /** The addresses that mail leaves from; left out, those of `domains.sendingAddresses`. */
  addresses: v.optional(v.pipe(v.array(Address), v.minLength(1), v.maxLength(MAX_ADDRESSES))),
})

/** The addresses to look up. */
export interface LookUpAddressesInput extends InputOf<typeof LookUpAddresses> {}

/** `clear`: it is not on the list. `refused`: the list does not answer this resolver. `unknown`: it cannot be said. */
export const LISTING_STATES = ['listed', 'clear', 'refused', 'unknown'] as const

/** The answer of one list on one address. */
interface Listing {
  /** The name of the list, by which it is asked. */
  readonly zone: string
  readonly state: (typeof LISTING_STATES)[number]
  /** The addresses that it answered, such as `127.0.0.2`. */
  readonly codes: readonly string[]
  /** The list's own words on a listed address. Empty for none. */
  readonly reason: string
  readonly advice: string
  readonly adviceCodes: readonly AdviceCode[]
}

/** The answers of all lists on one address. */
export interface ListedAddress {
  readonly address: string
  readonly isListed: boolean
  readonly listings: readonly Listing[]
}

/** Asks every list for every address. A list that does not answer is a part of the answer. */
export async function listingsOf(
  addresses: readonly string[],
  zones: readonly string[],
  dns: DnsResolver,
): Promise<readonly ListedAddress[]> {
  const different = addresses.filter((each, i) => addresses.findIndex((other) => isSameAddress(each, other)) === i)
  const found: ListedAddress[] = []
  for (let start = 0; start < different.length; start += AT_ONCE) {
    const group = different.slice(start, start + AT_ONCE).map(async (address) => {
      const listings = await Promise.all(zones.map((zone) => listing(address, zone, dns)))
      return { address, isListed: listings.some(({ state }) => state === 'listed'), listings }
    })
    found.push(...(await Promise.all(group)))
  }
  return found
}

async function listing(address: string, zone: string, dns: DnsResolver): Promise<Listing> {
  try {
    const codes = await inTime(dns.ipv4(nameIn(zone, address), { fresh: true }))
    if (codes.length > 0) return await answered(address, zone, codes, dns)
    const isIPv6 = address.includes(':')
    const test = await inTime(dns.ipv4(nameIn(zone, isIPv6 ? TEST.ipv6 : TEST.ipv4)))
    const refusal = refusalIn(zone, test)
    if (refusal !== undefined) return told(zone, 'refused', refusal, test)
    if (test.some(isListing)) return told(zone, 'clear', blocklistAdvice('dnsbl_clear', { zone }))
    return told(zone, 'unknown', blocklistAdvice(isIPv6 ? 'dnsbl_no_ipv6' : 'dnsbl_silent', { zone }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return told(zone, 'unknown', blocklistAdvice('dnsbl_no_answer', { zone, reason }))
  }
}

async function answered(address: string, zone: string, codes: readonly string[], dns: DnsResolver): Promise<Listing> {
  const refusal = refusalIn(zone, codes)
  if (refusal !== undefined) return told(zone, 'refused', refusal, codes)
  const listed = codes.filter(isListing)
  // a resolver that answers every name, or a list that was given up and whose domain is for sale
  if (listed.length < codes.length)
    return told(zone, 'unknown', blocklistAdvice('dnsbl_odd', { zone, answer: codes.join(', ') }), codes)
  const words = await inTime(dns.txt(nameIn(zone, address))).catch(() => [])
  const reason = words
    .join(' ')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, LONGEST_REASON)
    .toWellFormed()
  return { ...told(zone, 'listed', meaningOf(zone, listed), listed), reason }
}

/** The meaning of what a list answers: Spamhaus tells its lists apart by the last number. */
function meaningOf(zone: string, codes: readonly string[]): Sentence {
  const last = codes.map((code) => Number(code.slice(code.lastIndexOf('.') + 1)))
  if (!/(?:^|\.)spamhaus\.(?:org|net)$/.test(zone))
    return blocklistAdvice('dnsbl_listed', { zone, codes: codes.join(', ') })
  if (last.some((code) => code === 9)) return blocklistAdvice('dnsbl_drop', { zone })
  if (last.some((code) => code === 2)) return blocklistAdvice('dnsbl_sbl', { zone })
  if (last.some((code) => code === 3)) return blocklistAdvice('dnsbl_css', { zone })
  if (last.some((code) => code >= 4 && code <= 7)) return blocklistAdvice('dnsbl_xbl', { zone })
  if (last.some((code) => code === 10 || code === 11)) return blocklistAdvice('dnsbl_pbl', { zone })
  return blocklistAdvice('dnsbl_listed', { zone, codes: codes.join(', ') })
}

/** A list that does not answer this resolver says so in 127.255.255.0/24; that is no listing. */
function refusalIn(zone: string, codes: readonly string[]): Sentence | undefined {
  const code = codes.find((each) => each.startsWith('127.255.255.'))
  if (code === undefined) return undefined
  if (code.endsWith('.252')) return blocklistAdvice('dnsbl_refused_name', { zone })
  return blocklistAdvice(code.endsWith('.255') ? 'dnsbl_refused_often' : 'dnsbl_refused_resolver', { zone })
}

function isListing(code: string): boolean {
  return code.startsWith('127.') && !code.startsWith('127.255.255.') && code !== '127.0.0.1'
}

function told(zone: string, state: Listing['state'], advice: Sentence, codes: readonly string[] = []): Listing {
  return { zone, state, codes, reason: '', ...advised(advice) }
}

/** The name of an address in a list (RFC 5782, sections 2.1 and 2.4). */
function nameIn(zone: string, address: string): string {
  return `${(reverseName(address) ?? '').replace(/\.(?:in-addr|ip6)\.arpa$/, '')}.${zone}`
}

async function inTime<T>(question: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too slow')), PATIENCE_MS)
  })
  return Promise.race([question, late]).finally(() => clearTimeout(timer))
}
