import { domainToASCII } from 'node:url'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../ports/sender-identity.ts'
import type { SenderDomain, StsPolicy } from '../ports/store/domains.ts'
import { reportAddress } from '../reports/report-address.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { asciiAddress } from '../values/email-address.ts'
import { judgeDmarc } from './dmarc.ts'
import { judgeAlias, judgeExchange, judgeTlsReports } from './host-records.ts'
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
  const { spf: terms, dmarcReports } = values.domains
  const host = publicHost(values)
  return [
    spf(domain, terms, host),
    ...hosts(domain, values.domains, sts !== undefined),
    dmarc(domain, dmarcReports ?? reportAddress('dmarc', domain, values.domains)),
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

function hosts(
  domain: string,
  { returnPathHost, inboundHost }: EngineValues['domains'],
  hasSts: boolean,
): readonly WantedRecord[] {
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
  const reports = reportAddress('tlsrpt', domain, { returnPathHost, inboundHost })
  if (reports !== undefined && (hasSts || inboundHost !== undefined)) records.push(tlsReports(domain, reports))
  return records
}

/** Reports on the encryption of mail to the domain (RFC 8460, section 3). */
function tlsReports(domain: string, address: string): WantedRecord {
  const name = `_smtp._tls.${domain}`
  const value = `v=TLSRPTv1; rua=mailto:${address}`
  return { type: 'TXT', name, value, purpose: 'tls-reports', judge: (dns) => judgeTlsReports(name, value, dns) }
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

function dmarc(domain: string, reports: string | undefined): WantedRecord {
  const value = `v=DMARC1; p=none${reports === undefined ? '' : `; rua=mailto:${asciiAddress(reports)}`}`
  return {
    type: 'TXT',
    name: `_dmarc.${domain}`,
    value,
    purpose: 'dmarc',
    judge: (dns) => judgeDmarc(domain, value, dns),
  }
}
