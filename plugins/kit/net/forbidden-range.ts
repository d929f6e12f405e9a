import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network in `ipaddr.js`'s form: an address, and how many of its bits count. */
export type Network = readonly [Address, number]

/** Not in the general registries: the "wire server" that gives Azure's machines their secrets. */
const PROVIDER_INTERNAL = networkOf('168.63.129.16')

/** All addresses given out for global unicast (RFC 4291, section 2.4, and the IANA registry of IPv6 addresses). */
const GLOBAL_UNICAST = networkOf('2000::/3')

/** The well-known prefix of NAT64 (RFC 6052), by which IPv6-only networks reach IPv4. */
const NAT64 = networkOf('64:ff9b::/96')

/** Reads networks in CIDR notation; a single address stands for itself. Throws for any other text. */
export function networksOf(texts: readonly string[]): readonly Network[] {
  return texts.map(networkOf)
}

/** Whether `networksOf` can read it. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
}

/**
 * Why an address may not be reached, as a word such as `loopback`; undefined for one that may. Allowed are `allow` and
 * public addresses, but not those of the special-purpose registries (RFC 6890 and its successors) or not given out yet.
 * An IPv4 address inside an IPv6 address (mapped, NAT64, ISATAP) is judged as itself; obsolete tunnels (compatible,
 * 6to4, Teredo) are always refused.
 */
export function forbiddenRange(text: string, allow: readonly Network[]): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return 'not an address'
  const address = ipaddr.parse(text)
  if (allow.some((network) => isWithin(address, network))) return undefined
  if (address instanceof ipaddr.IPv4) {
    if (isWithin(address, PROVIDER_INTERNAL)) return 'provider-internal'
    return unlessUnicast(address.range())
  }
  if (address.isIPv4MappedAddress() || isWithin(address, NAT64)) return forbiddenRange(lastFour(address), allow)
  const range = unlessUnicast(address.range())
  if (range !== undefined) return range
  if (!isWithin(address, GLOBAL_UNICAST)) return 'reserved'
  return isIsatap(address) ? forbiddenRange(lastFour(address), allow) : undefined
}

/** Whether two texts are the same address. Both must be addresses. */
export function isSameAddress(one: string, other: string): boolean {
  return ipaddr.process(one).toString() === ipaddr.process(other).toString()
}

function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128]
}

function isWithin(address: Address, [network, bits]: Network): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits)
  return network instanceof ipaddr.IPv6 && address.match(network, bits)
}

/** A range's name in words: `carrierGradeNat` is `carrier grade nat`. */
function unlessUnicast(range: string): string | undefined {
  return range === 'unicast' ? undefined : range.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
}

/** RFC 5214, section 6.1: the interface identifier is `[02]00:5EFE` and an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

function lastFour(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(12).join('.')
}
