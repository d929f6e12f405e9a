/**
 * Asks the DNS. Every look-up answers `[]` when the name or the record type does not or cannot exist (NXDOMAIN, NODATA),
 * and throws when it could not ask (timeout, SERVFAIL, refused): "no" and "don't know" are different answers.
 */
export interface DnsResolver {
  /** Mail exchangers, lowest preference first. A null MX (RFC 7505) is `[{ exchange: '', priority: 0 }]`. */
  mx(name: string): Promise<readonly MailExchanger[]>
  /** TXT records, the strings of each joined. */
  txt(name: string): Promise<readonly string[]>
  /** Name servers of a zone. */
  ns(name: string): Promise<readonly string[]>
  cname(name: string): Promise<readonly string[]>
  /** IPv4 addresses (A). */
  ipv4(name: string): Promise<readonly string[]>
  /** IPv6 addresses (AAAA). */
  ipv6(name: string): Promise<readonly string[]>
}
export const DnsResolver = Symbol('DnsResolver')

export interface MailExchanger {
  readonly exchange: string
  readonly priority: number
}
