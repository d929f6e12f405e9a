import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** True for names and addresses that cannot lead to another machine. */
export function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}
