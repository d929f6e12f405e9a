import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../ports/sender-identity.ts'
import type { SenderDomain, StsPolicy } from '../ports/store/domains.ts'
import { otherAddresses, reportAddress } from '../reports/report-address.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import { judgeDmarc } from './dmarc.ts'
import { judgeAgreement, judgeAlias, judgeExchange, judgeTlsReports } from './host-records.ts'
import { judgeLinkHost, publicHost } from './link-host.ts'
import { judgeSts, judgeStsHost, stsHostOf, stsRecord } from './mta-sts.ts'
import { judgeSpf } from './spf.ts'

/** The purposes of the records of a domain. */
export const RECORD_PURPOSES = [
  'dkim',
  'spf',
  'return-path',
  'dmarc',
  'ownership',
  'inbound',
  'dmarc-reports',
  'tls-reports',
  'mta-sts',
  'link',
] as const
export type RecordPurpose = (typeof RECORD_PURPOSES)[number]

/** A recommended record, and how to check whether it is there. */
export interface WantedRecord extends DnsRecord {
  readonly purpose: RecordPurpose
  /** Rejects when the DNS does not answer. */
  judge(dns: DnsResolver): Promise<Finding>
}

/** The records a domain (in ASCII) should publish besides its key; it may send without them. */
export function wantedRecords(
  domain: string,
  values: EngineValues,
  { link, sts }: Pick<SenderDomain, 'link' | 'sts'>,
): readonly WantedRecord[] {
  const { spf: terms } = values.domains
  const host = publicHost(values)
  return [
    spf(domain, terms, host),
    ...hosts(domain, values, sts !== undefined),
    ...dmarc(domain, values),
    ...(sts && host !== undefined ? policy(domain, sts, host) : []),
    ...(link && host !== undefined ? [linkTo(domainToASCII(link.host), host)] : []),
  ]
}

function linkTo(name: string, host: string): WantedRecord {
  const judge = (dns: DnsResolver) => judgeLinkHost(name, host, dns)
  return { type: 'CNAME', name, value: host, purpose: 'link', judge }
}

function spf(domain: string, terms: string | undefined, host: string | undefined): WantedRecord {
  const wanted = terms?.split(/\s+/) ?? []
  const guess = host === undefined ? ['mx'] : [`a:${host}`]
  const value = `v=spf1 ${(wanted.length > 0 ? wanted : guess).join(' ')} ~all`
  const judge = (dns: DnsResolver) => judgeSpf(domain, wanted, value, dns)
  return { type: 'TXT', name: domain, value, purpose: 'spf', judge }
}

function hosts(domain: string, values: EngineValues, hasSts: boolean): readonly WantedRecord[] {
  const { returnPathHost, inboundHost } = values.domains
  const records: WantedRecord[] = []
  if (returnPathHost !== undefined) {
    const [name, host] = [`bounces.${domain}`, domainToASCII(returnPathHost)]
    const judge = (dns: DnsResolver) => judgeAlias(name, host, dns)
    records.push({ type: 'CNAME', name, value: host, purpose: 'return-path', judge })
  }
  if (inboundHost !== undefined) {
    const host = domainToASCII(inboundHost)
    const judge = (dns: DnsResolver) => judgeExchange(domain, host, dns)
    records.push({ type: 'MX', name: domain, value: `10 ${host}`, purpose: 'inbound', judge })
  }
  const reports = reportAddress('tlsrpt', domain, values)
  if (reports !== undefined && (hasSts || inboundHost !== undefined)) records.push(tlsReports(domain, reports, values))
  return records
}

/** Reports on the encryption of mail to the domain (RFC 8460, section 3). */
function tlsReports(domain: string, address: string, values: EngineValues): WantedRecord {
  const name = `_smtp._tls.${domain}`
  const value = `v=TLSRPTv1; rua=mailto:${address}`
  const addresses = [address, ...otherAddresses('tlsrpt', domain, values)]
  return { type: 'TXT', name, value, purpose: 'tls-reports', judge: (dns) => judgeTlsReports(name, addresses, dns) }
}

/** The host of an MTA-STS policy, and the record that says which one it is (RFC 8461, section 3.1). */
function policy(domain: string, sts: StsPolicy, host: string): readonly WantedRecord[] {
  const name = stsHostOf(domain)
  const judgeHost = (dns: DnsResolver) => judgeStsHost(name, host, dns)
  const judge = (dns: DnsResolver) => judgeSts(domain, sts, dns)
  return [
    { type: 'CNAME', name, value: host, purpose: 'mta-sts', judge: judgeHost },
    { type: 'TXT', name: `_mta-sts.${domain}`, value: stsRecord(sts), purpose: 'mta-sts', judge },
  ]
}

/** The policy, and the record by which an address elsewhere agrees to take its reports (RFC 9990, section 4). */
function dmarc(domain: string, values: EngineValues): readonly WantedRecord[] {
  const reports = reportAddress('dmarc', domain, values)
  const value = `v=DMARC1; p=none${reports === undefined ? '' : `; rua=mailto:${asciiAddress(reports)}`}`
  const others = otherAddresses('dmarc', domain, values)
  const judge = (dns: DnsResolver) => judgeDmarc(domain, value, dns, others)
  const policy: WantedRecord = { type: 'TXT', name: `_dmarc.${domain}`, value, purpose: 'dmarc', judge }
  const host = domainToASCII(domainOf(reports ?? ''))
  if (host === '' || isOneOrganisation(host, domain)) return [policy]
  const name = `${domain}._report._dmarc.${host}`
  const agrees = (dns: DnsResolver) => judgeAgreement({ name, domain, host }, dns)
  return [policy, { type: 'TXT', name, value: 'v=DMARC1', purpose: 'dmarc-reports', judge: agrees }]
}

function isOneOrganisation(one: string, other: string): boolean {
  return one === other || (getDomain(one) !== null && getDomain(one) === getDomain(other))
}
