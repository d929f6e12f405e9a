import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import type { DnsResolver, MailExchanger } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import { type SenderDomain, STS_MODES, type StsPolicy } from '../ports/store/domains.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { advised } from '../values/advice.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { isCovered, stsIdsIn } from '../values/mta-sts.ts'
import { say } from '../values/parse.ts'
import { dnsAdvice } from './dns-advice.ts'
import { aliasOf } from './host-records.ts'
import { addressesOf, publicHost } from './link-host.ts'

/** RFC 8461, section 3.2: at most a year. A day is the least that is of use: senders ask for the record once a day. */
const AGE = { least: 86_400, most: 31_557_600, usual: 604_800 }
const MAX_PATTERNS = 20
/** The host of the policy, below the domain (RFC 8461, section 3.3). */
const HOST = 'mta-sts.'

const Pattern = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(255),
  v.transform((text) => (text.startsWith('*.') ? `*.${asciiDomain(text.slice(2))}` : asciiDomain(text))),
  v.check(
    (text) => isDomain(text.replace(/^\*\./, '')),
    say(
      'invalid_string',
      'must be the name of a mail exchanger, such as mx.example.com, or *.example.com for all directly below it',
    ),
  ),
)

/** The MTA-STS policy that a domain is to have. */
const GivenPolicy = v.object({
  /** `testing`: failures are only reported. `enforce`: mail waits where they happen. `none`: taken back. */
  mode: v.picklist(STS_MODES),
  /** The names of the mail exchangers, `*.` for any label; left out, those that the MX records have now. */
  mx: v.optional(v.pipe(v.array(Pattern), v.minLength(1), v.maxLength(MAX_PATTERNS))),
  /** For how long senders keep it, in seconds: a day to a year, by default a week. */
  maxAge: v.optional(v.pipe(v.number(), v.integer(), v.minValue(AGE.least), v.maxValue(AGE.most)), AGE.usual),
})

/** The policy of a domain; `null` removes it. */
export const MtaSts = v.nullish(GivenPolicy)

/** The domain whose policy is served at this host; undefined for other hosts. */
export function stsDomainOf(host: string): string | undefined {
  const name = canonicalDomain(host.trim().toLowerCase().replace(/\.$/, ''))
  return name.startsWith(HOST) && isDomain(name) ? name.slice(HOST.length) : undefined
}

/** The host of the policy of a domain. */
export function stsHostOf(domain: string): string {
  return `${HOST}${domain}`
}

/** Whether the record of the host was found: the policy of a host that leads elsewhere is none. */
export function isStsHostSeen({ domain, sts, findings }: SenderDomain): boolean {
  return sts !== undefined && findings[`CNAME ${stsHostOf(domainToASCII(domain))}`]?.state === 'found'
}

/** Why no policy can be served for this domain. */
export function stsProblems(domain: string, values: EngineValues): FieldProblem[] {
  const target = publicHost(values)
  const problem = (message: string): FieldProblem => ({ field: 'mtaSts', code: 'custom', message })
  if (target === undefined)
    return [problem('needs a public URL with a host name, where it can be read: set server.publicUrl (PUBLIC_URL)')]
  const host = stsHostOf(domainToASCII(domain))
  return host === target
    ? [problem(`would be at ${host}, the host of the public URL: choose another one for that`)]
    : []
}

/** The policy as senders read it (RFC 8461, section 3.2). */
export function stsText({ mode, mx, maxAge }: StsPolicy): string {
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((pattern) => `mx: ${pattern}`), `max_age: ${maxAge}`]
  return lines.map((line) => `${line}\r\n`).join('')
}

/** Whether senders would read the same; a database may give the fields of a policy in another order. */
export function isSamePolicy(a: StsPolicy | null | undefined, b: StsPolicy | null | undefined): boolean {
  return (a ? stsText(a) : '') === (b ? stsText(b) : '')
}

/** The record by which senders see that the policy is another: its id is made of the policy. */
export function stsRecord(policy: StsPolicy): string {
  return `v=STSv1; id=${idOf(policy)};`
}

function idOf(policy: StsPolicy): string {
  return createHash('sha256').update(stsText(policy)).digest('hex').slice(0, 20)
}

/** The names of mail exchangers as patterns. */
export function patternsOf(exchangers: readonly MailExchanger[]): readonly string[] {
  const names = exchangers.map(({ exchange }) => asciiDomain(exchange.toLowerCase().replace(/\.$/, '')))
  return [...new Set(names.filter(isDomain))].slice(0, MAX_PATTERNS)
}

/** Checks whether requests for the policy come here. Rejects when the DNS does not answer. */
export async function judgeStsHost(name: string, host: string, dns: DnsResolver): Promise<Finding> {
  const alias = await aliasOf(name, host, dns)
  if (alias !== undefined) return alias
  const [theirs = [], ours = []] = await Promise.all([name, host].map((each) => addressesOf(each, dns)))
  if (theirs.length === 0) return { state: 'missing', ...advised(dnsAdvice('sts_host_missing', { name })) }
  if (theirs.every((address) => ours.includes(address)))
    return { state: 'found', ...advised(dnsAdvice('sts_host_same_addresses', { name, host })) }
  return { state: 'wrong', ...advised(dnsAdvice('sts_host_elsewhere', { name, found: theirs.join(', '), host })) }
}

/**
 * Checks the record of a policy, and whether the policy covers the mail exchangers of the domain: mail to others is
 * refused by those who enforce it. Rejects when the DNS does not answer.
 */
export async function judgeSts(domain: string, policy: StsPolicy, dns: DnsResolver): Promise<Finding> {
  const [name, value] = [`_mta-sts.${domain}`, stsRecord(policy)]
  const ids = stsIdsIn(await dns.txt(name))
  const left =
    policy.mode === 'none' ? [] : patternsOf(await dns.mx(domain)).filter((host) => !isCovered(host, policy.mx))
  const others = left.length === 0 ? [] : [dnsAdvice('sts_mx_left_out', { hosts: left.join(', ') })]
  if (ids.length > 1)
    return { state: 'wrong', ...advised(dnsAdvice('sts_several', { count: ids.length, name }), ...others) }
  if (ids.length === 0) return { state: 'missing', ...advised(dnsAdvice('sts_missing', { value }), ...others) }
  if (ids[0] !== idOf(policy)) return { state: 'wrong', ...advised(dnsAdvice('sts_other_id', { value }), ...others) }
  if (others.length > 0) return { state: 'wrong', ...advised(...others) }
  return { state: 'found', ...advised(dnsAdvice('sts_found', { mode: policy.mode })) }
}

function asciiDomain(text: string): string {
  return domainToASCII(text) || text
}
