import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Where a name server listens. */
export interface ServerAddress {
  readonly address: string
  readonly port: number
}

const PORT = 53

/**
 * Reads `ip`, `ip:port` or `[ipv6]:port`, also with a link's zone (`fe80::1%eth0`). Undefined
 * when `text` is none of these.
 */
export function readServer(text: string): ServerAddress | undefined {
  if (isIP(text) !== 0) return { address: text, port: PORT }
  const { ipv4, ipv6, port } =
    /^(?:(?<ipv4>[\d.]+)|\[(?<ipv6>[^\]]+)\])(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {}
  const address = ipv4 ?? ipv6
  const isRight = (ipv4 !== undefined && isIPv4(ipv4)) || (ipv6 !== undefined && isIPv6(ipv6))
  const number = port === undefined ? PORT : Number(port)
  return address !== undefined && isRight && number > 0 && number < 65_536 ? { address, port: number } : undefined
}
