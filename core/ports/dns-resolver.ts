/**
 * Asks the DNS. Every look-up answers `[]` when the name or the record type does not or cannot exist (NXDOMAIN, NODATA),
 * and throws when it could not ask (timeout, SERVFAIL, refused): "no" and "don't know" are different answers. An answer may
 * be kept for as long as the DNS allows, at most an hour, and "nothing there" at most five minutes; what could not be
 * asked is kept a few seconds at most.
 */
export interface DnsResolver {
  /** Mail exchangers, lowest preference first. A null MX (RFC 7505) is `[{ exchange: '', priority: 0 }]`. */
  mx(name: string, options?: LookUpOptions): Promise<readonly MailExchanger[]>
  /** TXT records, the strings of each joined. */
  txt(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** Name servers of a zone. */
  ns(name: string, options?: LookUpOptions): Promise<readonly string[]>
  cname(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** IPv4 addresses (A). */
  ipv4(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** IPv6 addresses (AAAA). */
  ipv6(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** The names of an address (PTR), asked for by its name in the reverse tree: `1.2.0.192.in-addr.arpa`. */
  ptr(name: string, options?: LookUpOptions): Promise<readonly string[]>
}
export const DnsResolver = Symbol('DnsResolver')

/** How one look-up is made. */
export interface LookUpOptions {
  /**
   * Ask the name servers now, whatever answer is kept here, and keep the new one: for a check that a person started right
   * after changing a record. The name servers asked may keep answers of their own.
   */
  readonly fresh?: boolean
}

export interface MailExchanger {
  readonly exchange: string
  readonly priority: number
}
