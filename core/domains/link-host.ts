import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import type { DomainLink } from '../ports/store/domains.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { advised } from '../values/advice.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { say } from '../values/parse.ts'
import { dnsAdvice } from './dns-advice.ts'
import { aliasOf } from './host-records.ts'
import { countsAsMissed } from './missed.ts'

/** A host is no longer used when its record was missing in this many checks in a row. */
const MAX_FAILURES = 3

/** The host of links; `null` removes it. */
export const LinkHost = v.nullish(
  v.pipe(
    v.string(),
    v.trim(),
    v.toLowerCase(),
    v.maxLength(1000),
    v.transform(canonicalDomain),
    v.check(isDomain, say('invalid_string', 'must be a host name such as links.example.com: no address, no URL')),
  ),
)

/** The host of the public URL, when it is a name that others can point to. */
export function publicHost({ publicUrl }: Pick<EngineValues, 'publicUrl'>): string | undefined {
  const host = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.hostname
  const isName = host !== undefined && /\.[a-z][a-z0-9-]*$/i.test(host) && !/(?:^|\.)localhost$/.test(host)
  return isName ? host : undefined
}

/** The problems of this link host for a domain. */
export function linkHostProblems(
  domain: string | undefined,
  host: string | null | undefined,
  values: EngineValues,
): FieldProblem[] {
  if (domain === undefined || host == null) return []
  const message = reasonAgainst(domain, host, values)
  return message === undefined ? [] : [{ field: 'linkHost', code: 'custom', message }]
}

function reasonAgainst(domain: string, host: string, values: EngineValues): string | undefined {
  const target = publicHost(values)
  if (host === domain) return `must be a name below ${domain}, as links.${domain}: no CNAME can stand beside its MX`
  if (!host.endsWith(`.${domain}`)) return `must be a name below ${domain}, as links.${domain}`
  if (target === undefined) return 'needs a public URL with a host name: set server.publicUrl (PUBLIC_URL)'
  if (domainToASCII(host) === target) return 'is the host of the public URL: links lead to it already'
  const { returnPathHost } = values.domains
  return returnPathHost !== undefined && host === `bounces.${domain}`
    ? 'is where bounces go: choose another name'
    : undefined
}

/**
 * Checks whether requests to a link host come here: by an alias, or, where there can be none, by the same addresses.
 * Rejects when the DNS does not answer.
 */
export async function judgeLinkHost(name: string, host: string, dns: DnsResolver): Promise<Finding> {
  const alias = await aliasOf(name, host, dns)
  if (alias !== undefined) return alias
  const [theirs, ours] = await Promise.all([name, host].map((each) => addressesOf(each, dns)))
  if (theirs?.length && theirs.every((address) => ours?.includes(address))) {
    return { state: 'found', ...advised(dnsAdvice('link_host_same_addresses', { name, host })) }
  }
  if (theirs?.length) {
    const code = ours?.length ? 'link_host_elsewhere' : 'link_host_elsewhere_without_address'
    const given = { name, found: theirs.join(', '), host, addresses: ours?.join(', ') ?? '' }
    return { state: 'wrong', ...advised(dnsAdvice(code, given)) }
  }
  return { state: 'missing', ...advised(dnsAdvice('link_host_missing', { name })) }
}

/** The addresses of a name. Rejects when the DNS does not answer. */
export async function addressesOf(name: string, dns: DnsResolver): Promise<readonly string[]> {
  return (await Promise.all([dns.ipv4(name), dns.ipv6(name)])).flat()
}

/** The check of a link host; undefined when the DNS gave no answer. */
export interface LinkSeen {
  readonly host: string
  readonly isThere: boolean | undefined
}

/** The link host after a check, if it is still the one that was checked. */
export function linkAfter(
  before: DomainLink | undefined,
  seen: LinkSeen | undefined,
  now: Date,
): DomainLink | undefined {
  if (before === undefined || seen?.host !== before.host || seen.isThere === undefined) return before
  if (seen.isThere) return { ...before, inUse: true, failures: 0 }
  if (!countsAsMissed(before.failures, before.missedAt, now)) return before
  const failures = before.failures + 1
  return { ...before, failures, missedAt: now.toISOString(), inUse: before.inUse && failures < MAX_FAILURES }
}
