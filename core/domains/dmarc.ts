import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import { advised, type Sentence } from '../values/advice.ts'
import { dnsAdvice } from './dns-advice.ts'

/** How many names a walk up the tree asks at most (RFC 9989, section 4.10). */
const MAX_QUERIES = 8
/** Tags of earlier versions of DMARC that RFC 9989 has removed. */
const REMOVED_TAGS = ['pct', 'rf', 'ri'] as const
const POLICIES: ReadonlySet<string> = new Set(['none', 'quarantine', 'reject'])
/** Tags whose values are case-insensitive words (RFC 9989, section 4.7). */
const WORDS: ReadonlySet<string> = new Set(['p', 'sp', 'np', 't', 'psd'])

interface Policy {
  /** The name it was found at, without `_dmarc.`. */
  readonly domain: string
  readonly tags: ReadonlyMap<string, string>
}

/**
 * Judges the DMARC policy that counts for mail from a domain (in ASCII): its own, or that of its organisation, which is
 * found by walking up the tree of names. `value` is a record for a domain without any; `others` are further
 * addresses by which reports come here. Rejects when the DNS does not answer.
 */
export async function judgeDmarc(
  domain: string,
  value: string,
  dns: DnsResolver,
  others: readonly string[] = [],
): Promise<Finding> {
  const texts = await dns.txt(`_dmarc.${domain}`)
  const records = texts.filter(isDmarc)
  if (records.length > 1) {
    return wrong(dnsAdvice('dmarc_several', { count: records.length, name: `_dmarc.${domain}` }))
  }
  const near = records.length === 0 ? texts.find((text) => /dmarc/i.test(text)) : undefined
  if (near !== undefined) return wrong(dnsAdvice('dmarc_is_none', { text: near.slice(0, 60) }))
  const [own] = records
  if (own !== undefined) {
    const rua = ruaOf(value)
    const isHere = others.some((address) => isNamed(`mailto:${address}`, tagsOf(own)))
    return judgePolicy({ domain, tags: tagsOf(own) }, domain, isHere ? undefined : rua)
  }
  const above = await policyAbove(domain, dns)
  if (above) return judgePolicy(above, domain)
  return { state: 'missing', ...advised(dnsAdvice('dmarc_missing', { value })) }
}

/** The policy that counts for mail from a domain (in ASCII), with the tags of its record; undefined when none counts. */
export async function dmarcPolicy(domain: string, dns: DnsResolver): Promise<CountingPolicy | undefined> {
  const records = (await dns.txt(`_dmarc.${domain}`)).filter(isDmarc)
  if (records.length > 1) return undefined
  const [own] = records
  const found = own === undefined ? await policyAbove(domain, dns) : { domain, tags: tagsOf(own) }
  return found && { policy: policyFor(found, domain) ?? 'none', tags: found.tags }
}

/** A policy, and the record that it stands in. */
interface CountingPolicy extends Pick<Policy, 'tags'> {
  readonly policy: string
}

/** The policy of a record for a domain that has it, or that is below the one that has it. */
function policyFor({ domain: owner, tags }: Policy, domain: string): string | undefined {
  return owner !== domain && tags.has('p') ? (tags.get('sp') ?? tags.get('p')) : tags.get('p')
}

/** The organisation's policy (RFC 9989, section 4.10): the highest one found, but not above one with `psd=n`. */
async function policyAbove(domain: string, dns: DnsResolver): Promise<Policy | undefined> {
  let found: Policy | undefined
  for (const name of namesAbove(domain)) {
    const records = (await dns.txt(`_dmarc.${name}`)).filter(isDmarc)
    const [record] = records
    if (record === undefined || records.length > 1) continue
    const policy = { domain: name, tags: tagsOf(record) }
    // the organisation is one label below a public suffix, whose policy counts for those without their own
    if (policy.tags.get('psd') === 'y') return found && isRightBelow(found.domain, name) ? found : policy
    found = policy
    if (policy.tags.get('psd') === 'n') break
  }
  return found
}

function isRightBelow(name: string, suffix: string): boolean {
  return name.slice(name.indexOf('.') + 1) === suffix
}

/** The names above a domain, longest first; of a very long name only the last seven labels. */
function namesAbove(domain: string): readonly string[] {
  const labels = domain.split('.').slice(1)
  const near = labels.slice(-(MAX_QUERIES - 1))
  return near.map((_, i) => near.slice(i).join('.'))
}

/** `rua` is the address that reports should come to. */
function judgePolicy({ domain: owner, tags }: Policy, domain: string, rua?: string): Finding {
  const inherited = owner !== domain
  const policy = policyFor({ domain: owner, tags }, domain)
  const name = `_dmarc.${owner}`
  const wrongTag = ['p', 'sp', 'np'].find((tag) => !POLICIES.has(tags.get(tag) ?? 'none'))
  if (wrongTag !== undefined) {
    return wrong(dnsAdvice('dmarc_policy_unknown', { name, tag: `${wrongTag}=${tags.get(wrongTag)}` }))
  }
  if (policy === undefined && !tags.has('rua')) {
    return wrong(dnsAdvice('dmarc_policy_missing', { name }))
  }
  const gone = REMOVED_TAGS.filter((tag) => tags.has(tag))
  const given = { domain: owner, policy: policy ?? 'none' }
  const sentences = [
    dnsAdvice(inherited ? 'dmarc_found_above' : 'dmarc_found', given),
    ...(gone.length > 0 ? [dnsAdvice('dmarc_removed_tags', { tags: gone.map((tag) => `${tag}=`).join(', ') })] : []),
    ...(tags.get('t') === 'y' ? [dnsAdvice('dmarc_testing')] : []),
    ...(rua !== undefined && !isNamed(rua, tags) ? [dnsAdvice('dmarc_reports_elsewhere', { rua })] : []),
  ]
  return { state: 'found', ...advised(...sentences) }
}

function ruaOf(value: string): string | undefined {
  return tagsOf(value).get('rua')
}

function isNamed(rua: string, tags: ReadonlyMap<string, string>): boolean {
  const named = (tags.get('rua') ?? '').toLowerCase().split(',')
  return named.some((each) => each.trim().replace(/!\d+[kmgt]?$/, '') === rua.toLowerCase())
}

function isDmarc(text: string): boolean {
  return /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text)
}

function tagsOf(record: string): ReadonlyMap<string, string> {
  const tags = record.split(';').flatMap((tag): [string, string][] => {
    const equals = tag.indexOf('=')
    if (equals < 0) return []
    const [name, value] = [tag.slice(0, equals).trim().toLowerCase(), tag.slice(equals + 1).trim()]
    return [[name, WORDS.has(name) ? value.toLowerCase() : value]]
  })
  return new Map(tags)
}

function wrong(advice: Sentence): Finding {
  return { state: 'wrong', ...advised(advice) }
}
