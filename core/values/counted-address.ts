/** A client's address for counting: of IPv6 its /64 network, since one client has that to itself. */
export function countedAddress(address: string): string {
  return mappedIn(address) ?? (address.includes(':') ? groupsOf(address, 4) : address)
}

/** The network of an address, which one owner may have as a whole: /24 of IPv4, /48 of IPv6. */
export function networkOf(address: string): string {
  const plain = mappedIn(address) ?? address
  return plain.includes(':') ? groupsOf(plain, 3) : plain.split('.').slice(0, 3).join('.')
}

/** The IPv4 address within one of IPv6 (RFC 4291, section 2.5.5.2), however it is spelled. */
function mappedIn(address: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(plainly(address)) ?? []
  if (high === undefined || low === undefined) return undefined
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
}

/** An address of IPv6 in its one short form (RFC 5952), as URLs have it; any other text as it is. */
function plainly(address: string): string {
  if (!address.includes(':')) return address
  return URL.parse(`http://[${address.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) ?? address
}

function groupsOf(address: string, count: number): string {
  const [head = '', tail] = plainly(address).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after].slice(0, count).join(':')
}
