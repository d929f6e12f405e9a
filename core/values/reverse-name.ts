import { isIPv4, isIPv6 } from './ip-address.ts'

/**
 * The DNS name for the names of an address (RFC 1035, section 3.5; RFC 3596, section 2.5); undefined for an invalid
 * address.
 */
export function reverseName(address: string): string | undefined {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(plain)) return `${plain.split('.').reverse().join('.')}.in-addr.arpa`
  if (!isIPv6(plain)) return undefined
  const groups = wholeGroups(plain)
  return `${[...groups.join('')].reverse().join('.')}.ip6.arpa`
}

/** The eight groups of an IPv6 address, four digits each. */
function wholeGroups(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [first, last] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  return [...first, ...Array<string>(zeros).fill('0'), ...last].map((group) => group.padStart(4, '0'))
}

/** Whether two texts are the same address. */
export function isSameAddress(one: string, other: string): boolean {
  const name = reverseName(one)
  return name !== undefined && name === reverseName(other)
}
