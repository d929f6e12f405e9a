import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import { advised, type Sentence } from '../values/advice.ts'
import { dnsAdvice } from './dns-advice.ts'

/** With more look-ups SPF fails (RFC 7208, section 4.6.4). */
const MAX_LOOKUPS = 10
const TERM =
  /^[-+~?]?(?:(?<name>all|a|mx|ptr|include(?=:)|ip4(?=:)|ip6(?=:)|exists(?=:))(?<rest>[:/].*)?|(?<modifier>[a-z][\w.-]*)=(?<value>.*))$/i

/**
 * Judges the SPF record of a domain (in ASCII). `wanted` are the mechanisms it must have; without any, one valid record
 * is enough, since it is not known here where its mail leaves from. `value` is a record for a domain without any. Rejects
 * when the DNS does not answer for the domain itself.
 */
export async function judgeSpf(
  domain: string,
  wanted: readonly string[],
  value: string,
  dns: DnsResolver,
): Promise<Finding> {
  const texts = await dns.txt(domain)
  const records = texts.filter(isSpf)
  if (records.length === 0) return absent(texts, wanted, value)
  const [record = ''] = records
  if (records.length > 1) {
    const merged = withTerms(
      records.flatMap((each) => mechanismsOf(each)),
      wanted,
    )
    return wrong(dnsAdvice('spf_several', { count: records.length, value: merged }))
  }
  const tree = new Tree(dns, wanted)
  await tree.add(record, new Set([domain]))
  if (tree.problem !== undefined) return wrong(tree.problem)
  if (tree.lookups > MAX_LOOKUPS) {
    return wrong(dnsAdvice('spf_lookups', { count: tree.lookups, limit: MAX_LOOKUPS }))
  }
  if (/(?:^|\s)\+?all(?:\s|$)/i.test(record)) {
    return wrong(dnsAdvice('spf_all'))
  }
  const lacking = wanted.filter((term) => !tree.terms.has(term.toLowerCase()))
  if (lacking.length > 0) {
    const merged = withTerms(mechanismsOf(record), lacking, lastOf(record))
    return wrong(dnsAdvice('spf_lacks', { terms: lacking.join(' '), value: merged }))
  }
  const known = wanted.length > 0 ? 'spf_allows_us' : 'spf_right'
  return { state: 'found', ...advised(dnsAdvice(known, { count: tree.lookups, limit: MAX_LOOKUPS })) }
}

function absent(texts: readonly string[], wanted: readonly string[], value: string): Finding {
  const near = texts.find((text) => /^["']?\s*(?:v\s*=\s*)?spf/i.test(text))
  if (near !== undefined) return wrong(dnsAdvice('spf_is_none', { text: near.slice(0, 60) }))
  return { state: 'missing', ...advised(dnsAdvice(wanted.length > 0 ? 'spf_missing' : 'spf_missing_relay', { value })) }
}

function wrong(advice: Sentence): Finding {
  return { state: 'wrong', ...advised(advice) }
}

/** The terms of a record and of those it includes, with the look-ups that evaluating all of it takes. */
class Tree {
  readonly terms = new Set<string>()
  lookups = 0
  problem: Sentence | undefined
  readonly #dns: DnsResolver
  readonly #wanted: readonly string[]

  constructor(dns: DnsResolver, wanted: readonly string[]) {
    this.#dns = dns
    this.#wanted = wanted
  }

  /** Counts up to twice the allowed look-ups, which is enough for the advice. */
  async add(record: string, above: ReadonlySet<string>, name = ''): Promise<void> {
    const terms = record.trim().split(/\s+/).slice(1)
    const broken = terms.find((term) => !isTerm(term))
    if (broken !== undefined) {
      const [code, given] = [
        name === '' ? 'spf_term' : 'spf_included_term',
        { name, term: broken.slice(0, 60) },
      ] as const
      this.problem ??= dnsAdvice(code, given)
    }
    for (const term of evaluated(terms)) {
      const { name: mechanism, rest = '', modifier, value = '' } = TERM.exec(term)?.groups ?? {}
      const kind = (mechanism ?? modifier ?? '').toLowerCase()
      if (kind === 'all' && name !== '' && !/^[-~?]/.test(term))
        this.problem ??= dnsAdvice('spf_included_all', { name })
      const looksUp = mechanism === undefined ? kind === 'redirect' : LOOKS_UP.has(kind)
      this.terms.add(term.replace(/^\+/, '').toLowerCase())
      if (!looksUp) continue
      this.lookups++
      if ((kind === 'include' || kind === 'redirect') && this.lookups <= 2 * MAX_LOOKUPS)
        await this.#follow(mechanism === undefined ? value : rest.slice(1), above)
    }
  }

  async #follow(target: string, above: ReadonlySet<string>): Promise<void> {
    const name = target.toLowerCase()
    // a name that depends on the sender, or could not be asked, counts for nothing
    if (name.includes('%')) return
    if (above.has(name)) {
      this.problem ??= dnsAdvice('spf_circle', { name })
      return
    }
    const texts = await this.#dns.txt(name).catch(() => undefined)
    if (texts === undefined) return
    const [record, ...more] = texts.filter(isSpf)
    if (record !== undefined && more.length === 0) return this.add(record, new Set([...above, name]), name)
    const what = record === undefined ? 'spf_included_none' : 'spf_included_several'
    const isOurs = this.#wanted.includes(`include:${name}`)
    this.problem ??= dnsAdvice(isOurs ? `${what}_of_ours` : what, { name, count: more.length + 1 })
  }
}

/** Whether a TXT record is an SPF record. */
export function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/** The terms that receivers evaluate: none after `all`, and a redirect only without `all` (RFC 7208, section 5.1). */
function evaluated(terms: readonly string[]): readonly string[] {
  const all = terms.findIndex((term) => /^[-+~?]?all$/i.test(term))
  return all < 0 ? terms : terms.slice(0, all + 1).filter((term) => !/^redirect=/i.test(term))
}

function isTerm(term: string): boolean {
  const { name = '', rest = '' } = TERM.exec(term)?.groups ?? {}
  if (!TERM.test(term)) return false
  const [, address = '', , length = '0'] = /^:([^/]*)(\/(\d{1,3}))?$/.exec(rest) ?? []
  switch (name.toLowerCase()) {
    case 'ip4':
      return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(address) && Number(length) <= 32
    case 'ip6':
      return address.includes(':') && URL.canParse(`http://[${address}]`) && Number(length) <= 128
    case 'include':
    case 'exists':
      return rest.length > 1
    default:
      return true
  }
}

const LOOKS_UP: ReadonlySet<string> = new Set(['include', 'a', 'mx', 'ptr', 'exists'])

function mechanismsOf(record: string): readonly string[] {
  const terms = record.trim().split(/\s+/).slice(1)
  return terms.filter((term) => !/^[-+~?]?all$/i.test(term))
}

function lastOf(record: string): string {
  return /(?:^|\s)([-~?]all)(?:\s|$)/i.exec(record)?.[1] ?? ''
}

/** Builds one record of these; a redirect stands at the end and replaces `all`. */
function withTerms(terms: readonly string[], more: readonly string[], last = '~all'): string {
  const redirects = terms.filter((term) => /^redirect=/i.test(term))
  const rest = terms.filter((term) => !redirects.includes(term))
  const all = redirects.length > 0 ? redirects.slice(0, 1) : [last || '~all']
  return ['v=spf1', ...new Set([...rest, ...more]), ...all].join(' ')
}
