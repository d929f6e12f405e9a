import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'

/** More look-ups make SPF fail (RFC 7208, section 4.6.4). */
const MOST_LOOKUPS = 10
const TERM =
  /^[-+~?]?(?:(?<name>all|a|mx|ptr|include(?=:)|ip4(?=:)|ip6(?=:)|exists(?=:))(?<rest>[:/].*)?|(?<modifier>[a-z][\w.-]*)=(?<value>.*))$/i

/**
 * Looks at the SPF record of a domain (in ASCII). `wanted` are the mechanisms it must have; without any, having one right
 * record is enough: where its mail leaves from nobody here knows. `value` is the record of a domain that has none. Rejects
 * when the DNS does not answer for the domain itself.
 */
export async function judgeSpf(
  domain: string,
  wanted: readonly string[],
  value: string,
  dns: DnsResolver,
): Promise<Finding> {
  const texts = await dns.txt(domain)
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text))
  if (records.length === 0) return absent(texts, wanted, value)
  const [record = ''] = records
  if (records.length > 1) {
    const merged = withTerms(
      records.flatMap((each) => mechanismsOf(each)),
      wanted,
    )
    return wrong(`There are ${records.length} SPF records, which counts as an error: merge them into one, "${merged}".`)
  }
  const tree = new Tree(dns, wanted)
  await tree.add(record, new Set([domain]))
  if (tree.problem !== undefined) return wrong(tree.problem)
  if (tree.lookups > MOST_LOOKUPS) {
    return wrong(
      `The SPF record takes ${tree.lookups} look-ups, and more than ${MOST_LOOKUPS} count as an error: take out what no longer sends.`,
    )
  }
  if (/(?:^|\s)\+?all(?:\s|$)/i.test(record)) {
    return wrong('The SPF record ends with +all, which lets everybody send: write ~all in its place.')
  }
  const lacking = wanted.filter((term) => !tree.terms.has(term.toLowerCase()))
  if (lacking.length > 0) {
    const merged = withTerms(mechanismsOf(record), lacking, lastOf(record))
    return wrong(`The SPF record lacks ${lacking.join(' ')}: change it to "${merged}".`)
  }
  const known =
    wanted.length > 0
      ? 'allows our servers'
      : 'is right by itself; see that it names the server your mail leaves through'
  return { state: 'found', advice: `The SPF record ${known} (${tree.lookups} of ${MOST_LOOKUPS} look-ups).` }
}

function absent(texts: readonly string[], wanted: readonly string[], value: string): Finding {
  const near = texts.find((text) => /^["']?\s*(?:v\s*=\s*)?spf/i.test(text))
  if (near !== undefined)
    return wrong(`The TXT record "${near.slice(0, 60)}" is no SPF record: it must begin with "v=spf1 ".`)
  const relay =
    wanted.length > 0
      ? ''
      : ' If mail leaves through the relay of a provider, publish what that provider says in its place.'
  return { state: 'missing', advice: `There is no SPF record: publish "${value}".${relay}` }
}

function wrong(advice: string): Finding {
  return { state: 'wrong', advice }
}

/** Every term of a record and of those it includes, with the look-ups that evaluating all of it takes. */
class Tree {
  readonly terms = new Set<string>()
  lookups = 0
  problem: string | undefined
  readonly #dns: DnsResolver
  readonly #wanted: readonly string[]

  constructor(dns: DnsResolver, wanted: readonly string[]) {
    this.#dns = dns
    this.#wanted = wanted
  }

  /** Twice as far as receivers go is far enough to say how many there are. */
  async add(record: string, above: ReadonlySet<string>): Promise<void> {
    for (const term of record.trim().split(/\s+/).slice(1)) {
      const { name, rest = '', modifier, value = '' } = TERM.exec(term)?.groups ?? {}
      const kind = (name ?? modifier ?? '').toLowerCase()
      const looksUp = name === undefined ? kind === 'redirect' : LOOKS_UP.has(kind)
      if (kind === '')
        this.problem ??= `The SPF record has "${term.slice(0, 60)}", which nobody understands and counts as an error: mend it.`
      this.terms.add(term.replace(/^\+/, '').toLowerCase())
      if (!looksUp) continue
      this.lookups++
      if ((kind === 'include' || kind === 'redirect') && this.lookups <= 2 * MOST_LOOKUPS)
        await this.#follow(name === undefined ? value : rest.slice(1), above)
    }
  }

  async #follow(target: string, above: ReadonlySet<string>): Promise<void> {
    const name = target.toLowerCase()
    // what depends on the sender, or could not be asked, says nothing
    if (name.includes('%')) return
    if (above.has(name)) {
      this.problem ??= `The SPF record includes ${name}, which includes it again: take it out.`
      return
    }
    const texts = await this.#dns.txt(name).catch(() => undefined)
    if (texts === undefined) return
    const record = texts.find((text) => /^v=spf1(?: |$)/i.test(text))
    if (record !== undefined) return this.add(record, new Set([...above, name]))
    const isOurs = this.#wanted.includes(`include:${name}`)
    const mend = isOurs ? 'Ask the operator of this server to publish it.' : 'Take it out.'
    this.problem ??= `The SPF record includes ${name}, which has none: that counts as an error. ${mend}`
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

/** One record of these; a redirect stands at the end and takes the place of `all`. */
function withTerms(terms: readonly string[], more: readonly string[], last = '~all'): string {
  const redirects = terms.filter((term) => /^redirect=/i.test(term))
  const rest = terms.filter((term) => !redirects.includes(term))
  const all = redirects.length > 0 ? redirects.slice(0, 1) : [last || '~all']
  return ['v=spf1', ...new Set([...rest, ...more]), ...all].join(' ')
}
