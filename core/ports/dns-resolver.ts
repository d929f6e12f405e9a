/**
 * Asks the DNS. Every look-up answers `[]` when the name or the record type does not or cannot exist (NXDOMAIN,
 * NODATA), and throws when the DNS could not be asked (timeout, SERVFAIL, refused): "no" and "don't know" are different
 * answers. Answers may be cached for as long as the DNS allows, but at most for an hour; an empty answer for at most
 * five minutes, and a failure for at most a few seconds.
 */
export interface DnsResolver {
  /** Mail exchangers, lowest preference first. A null MX (RFC 7505) is `[{ exchange: '', priority: 0 }]`. */
  mx(name: string, options?: LookUpOptions): Promise<readonly MailExchanger[]>
  /** TXT records, the strings of each joined. */
  txt(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** Name servers of a zone. */
  ns(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** The name that a name stands for (CNAME): at most one. */
  cname(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** IPv4 addresses (A). */
  ipv4(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** IPv6 addresses (AAAA). */
  ipv6(name: string, options?: LookUpOptions): Promise<readonly string[]>
  /** The names of an address (PTR), given its name in the reverse tree: `1.2.0.192.in-addr.arpa`. */
  ptr(name: string, options?: LookUpOptions): Promise<readonly string[]>
}
export const DnsResolver = Symbol('DnsResolver')

/** Options of one look-up. */
export interface LookUpOptions {
  /**
   * Bypasses the cache and stores the new answer, for a check that is started right after a record was changed. The
   * name servers may still answer from their own caches.
   */
  readonly fresh?: boolean
}

/** A server that takes the mail of a domain. */
export interface MailExchanger {
  /** Its name, without a dot at the end; empty when the domain takes no mail. */
  readonly exchange: string
  /** The lowest is tried first. */
  readonly priority: number
}
