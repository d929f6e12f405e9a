import * as v from 'valibot'
import { canonicalDomain, EmailAddress, isDomain } from '../values/email-address.ts'
import { reverseName } from '../values/reverse-name.ts'

const Host = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.transform(canonicalDomain),
  v.check(isDomain, 'must be a host name such as mx.example.com'),
)

/** A mechanism of SPF (RFC 7208, section 5), except `all`. */
const MECHANISM = /^(?:include|a|mx|ip4|ip6|exists):\S+$|^(?:a|mx)(?:\/\S+)?$/i

/** How sending domains are proven and checked. */
export const DomainSettings = v.object({
  /**
   * The mechanism that a domain's SPF record needs so that mail may leave through our servers:
   * `include:spf.relay.example`.
   */
  spf: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.check(
        (text) => text.split(/\s+/).every((term) => MECHANISM.test(term)),
        'must be mechanisms of SPF such as include:spf.example.com, with blanks between them, without v=spf1 and all',
      ),
    ),
  ),
  /** The host bounces go to: domains publish a CNAME to it at `bounces.<domain>`. */
  returnPathHost: v.optional(Host),
  /** The host that takes mail for domains: they publish an MX record with it. */
  inboundHost: v.optional(Host),
  /** Where receivers are asked to send their DMARC reports. */
  dmarcReports: v.optional(EmailAddress),
  /** The addresses that mail leaves from, for look-ups in block lists. */
  sendingAddresses: v.optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.trim(),
          v.toLowerCase(),
          v.check((text) => reverseName(text) !== undefined, 'must be an IPv4 or IPv6 address such as 198.51.100.7'),
        ),
      ),
      v.maxLength(16),
    ),
    [],
  ),
  /** The block lists that are asked, each by the name that addresses stand below in the DNS. */
  blocklists: v.optional(v.pipe(v.array(Host), v.minLength(1), v.maxLength(20)), [
    'zen.spamhaus.org',
    'bl.spamcop.net',
    'psbl.surriel.com',
    'dnsbl-1.uceprotect.net',
    'bl.mailspike.net',
    'dnsbl.dronebl.org',
  ]),
})
export type DomainSettings = v.InferOutput<typeof DomainSettings>
