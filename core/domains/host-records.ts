import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import { advised } from '../values/advice.ts'
import { dnsAdvice } from './dns-advice.ts'
import { isSpf } from './spf.ts'

/** Judges the alias (CNAME) of a name; undefined when it has none. Rejects when the DNS does not answer. */
export async function aliasOf(name: string, host: string, dns: DnsResolver): Promise<Finding | undefined> {
  const [alias] = await dns.cname(name)
  if (alias === undefined) return undefined
  if (bare(alias) === host) return { state: 'found', ...advised(dnsAdvice('cname_found')) }
  return { state: 'wrong', ...advised(dnsAdvice('cname_wrong', { name, found: bare(alias), host })) }
}

/**
 * Checks whether a name is an alias of a host that can be a return path: the host needs an SPF record for that. Rejects
 * when the DNS does not answer.
 */
export async function judgeAlias(name: string, host: string, dns: DnsResolver): Promise<Finding> {
  const alias = await aliasOf(name, host, dns)
  if (alias?.state === 'found' && !(await dns.txt(name)).some(isSpf)) return withoutSpf(host)
  if (alias !== undefined) return alias
  const others = [...(await dns.mx(name)).map(({ exchange }) => exchange), ...(await dns.txt(name))]
  if (others.length > 0) {
    return { state: 'wrong', ...advised(dnsAdvice('cname_beside_others', { name, host })) }
  }
  return { state: 'missing', ...advised(dnsAdvice('return_path_missing', { name })) }
}

/** Checks whether mail for a domain goes to a host. Rejects when the DNS does not answer. */
export async function judgeExchange(domain: string, host: string, dns: DnsResolver): Promise<Finding> {
  const exchangers = (await dns.mx(domain)).map(({ exchange }) => bare(exchange))
  if (exchangers.includes(host)) {
    const [first = host] = exchangers
    const advice = first === host ? dnsAdvice('mx_found') : dnsAdvice('mx_not_first', { first })
    return { state: 'found', ...advised(advice) }
  }
  if (exchangers.length === 0) {
    return { state: 'missing', ...advised(dnsAdvice('mx_missing', { domain })) }
  }
  return { state: 'missing', ...advised(dnsAdvice('mx_elsewhere', { domain, hosts: exchangers.join(', ') })) }
}

/**
 * Checks whether TLS reports are asked for. Rejects when the DNS does not answer.
 * `addresses`: the address that is wanted, and further ones that lead here.
 */
export async function judgeTlsReports(name: string, addresses: readonly string[], dns: DnsResolver): Promise<Finding> {
  const [rua = '', ...others] = addresses.map((address) => `mailto:${address}`)
  const records = (await dns.txt(name)).filter((text) => /^v=TLSRPTv1\s*;/.test(text))
  if (records.length > 1)
    return { state: 'wrong', ...advised(dnsAdvice('tls_reports_several', { count: records.length, name })) }
  const [record] = records
  if (record === undefined) {
    const value = `v=TLSRPTv1; rua=${rua}`
    return { state: 'missing', ...advised(dnsAdvice('tls_reports_missing', { value })) }
  }
  const isHere = [rua, ...others].some((each) => record.toLowerCase().includes(each))
  return { state: 'found', ...advised(dnsAdvice(isHere ? 'tls_reports_found' : 'tls_reports_elsewhere', { rua })) }
}

/** Checks whether a host agrees to get the DMARC reports on a domain. Rejects when the DNS does not answer. */
export async function judgeAgreement(about: Agreement, dns: DnsResolver): Promise<Finding> {
  const isThere = (await dns.txt(about.name)).some((text) => /^v=DMARC1\s*(?:;|$)/.test(text))
  const { domain, host } = about
  return isThere
    ? { state: 'found', ...advised(dnsAdvice('dmarc_agreement_found', { domain, host })) }
    : { state: 'missing', ...advised(dnsAdvice('dmarc_agreement_missing', { ...about })) }
}

/** The name of the record, the domain that the reports are on, and the host of the address that they go to. */
interface Agreement {
  readonly name: string
  readonly domain: string
  readonly host: string
}

function withoutSpf(host: string): Finding {
  return { state: 'wrong', ...advised(dnsAdvice('return_path_without_spf', { host })) }
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
