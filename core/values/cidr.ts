import * as v from 'valibot'

/** A network such as `10.0.0.0/8` or `fd00::/8`; a single address is allowed, too. */
export const Cidr = v.pipe(v.string(), v.check(isCidr, 'must be a network such as 10.0.0.0/8, or an address'))

const IPv4 = v.pipe(v.string(), v.ipv4())
const IPv6 = v.pipe(v.string(), v.ipv6())

function isCidr(text: string): boolean {
  const [address, prefix, ...more] = text.split('/')
  const bits = v.is(IPv4, address) ? 32 : v.is(IPv6, address) ? 128 : undefined
  if (bits === undefined || more.length > 0 || text.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
}
