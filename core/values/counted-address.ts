/** A client's address for counting: of IPv6 its /64 network, since one client has that to itself. */
export function countedAddress(address: string): string {
  return mappedIn(address) ?? (address.includes(':') ? groupsOf(address, 4) : address)
}

/** The network of an address, which one owner may have as a whole: /24 of IPv4, /48 of IPv6. */
export function networkOf(address: string): string {
  const plain = mappedIn(address) ?? address
  return plain.includes(':') ? groupsOf(plain, 3) : plain.split('.').slice(0, 3).join('.')
}

/** The IPv4 address within one of IPv6. */
function mappedIn(address: string): string | undefined {
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1]
}

function groupsOf(address: string, count: number): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after]
  return groups
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
