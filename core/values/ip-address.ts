const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const V4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)
/** Addresses that are unreachable from outside: this machine and private networks. */
const OWN = /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./

/** Whether it is an IPv4 address in the usual form. */
export function isIPv4(text: string): boolean {
  return V4.test(text)
}

/** Whether it is an IPv6 address of groups only, without a zone or an IPv4 part. */
export function isIPv6(text: string): boolean {
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (halves.length > 2 || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  return halves.length === 2 ? groups.length < 8 : groups.length === 8
}

/** A host without the brackets that an IPv6 address has in a URL: `::1` of `[::1]`. */
export function withoutBrackets(host: string): string {
  return /^\[[0-9a-f:.]+(?:%\w+)?\]$/i.test(host) ? host.slice(1, -1) : host
}

/** Whether an address belongs to this machine or a private network. */
export function isOwnNetwork(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv4(plain) ? OWN.test(plain) : /^(?:::1$|f[cd]|fe[89ab])/i.test(plain)
}
