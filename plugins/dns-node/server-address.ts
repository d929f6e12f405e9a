import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Whether `text` names a server as `Resolver.setServers` wants it: `ip`, `ip:port` or `[ipv6]:port`. */
export function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const { ipv4, ipv6, port } =
    /^(?:(?<ipv4>[\d.]+)|\[(?<ipv6>[^\]]+)\])(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {}
  const address = (ipv4 !== undefined && isIPv4(ipv4)) || (ipv6 !== undefined && isIPv6(ipv6))
  return address && (port === undefined || (Number(port) > 0 && Number(port) < 65_536))
}
