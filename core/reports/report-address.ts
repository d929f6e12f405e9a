import { domainToASCII } from 'node:url'
import type { EngineValues } from '../settings/engine-values.ts'
import { domainOf } from '../values/email-address.ts'

/** The names before the `@` that reports are sent to. */
const NAMES: ReadonlySet<string> = new Set(['dmarc', 'tlsrpt'])
/** The host of a domain whose mail always comes to this server, wherever its own mail goes. */
const HOST = 'bounces.'

/** The settings that name the hosts which lead mail to this server. */
type Hosts = Pick<EngineValues, 'domains' | 'feedback'>

/**
 * The domain that reports at this address are about; undefined for any other address. It is below that domain, so that no
 * receiver asks whether it wants them (RFC 9990, section 4).
 */
export function reportedDomain(address: string): string | undefined {
  const host = domainOf(address)
  return isForReportsByName(address) && host.startsWith(HOST) ? host.slice(HOST.length) : undefined
}

/** Whether it is an address of this server itself, for reports on the domains of all projects. */
export function isOfHost(address: string, { domains, feedback }: Hosts): boolean {
  const hosts = [domains.returnPathHost, domains.inboundHost, feedback.returnPathHost]
  return isForReportsByName(address) && hosts.includes(domainOf(address))
}

/** Whether mail to this address is for reports alone: as the records of a domain name it, or by an older name. */
export function isForReports(address: string, hosts: Hosts): boolean {
  if (reportedDomain(address) !== undefined || isOfHost(address, hosts)) return true
  const { returnPathHost, inboundHost } = hosts.domains
  return returnPathHost === undefined && inboundHost !== undefined && isForReportsByName(address)
}

/** The address that reports on a domain are to be sent to; undefined where this server receives no mail for it. */
export function reportAddress(kind: 'dmarc' | 'tlsrpt', domain: string, hosts: Hosts): string | undefined {
  const { dmarcReports, returnPathHost, inboundHost } = hosts.domains
  if (kind === 'dmarc' && dmarcReports !== undefined) return dmarcReports
  if (dmarcReports !== undefined && isOfHost(dmarcReports, hosts))
    return `${kind}@${domainToASCII(domainOf(dmarcReports))}`
  if (returnPathHost !== undefined) return `${kind}@${HOST}${domain}`
  return inboundHost === undefined ? undefined : `${kind}@${domain}`
}

/** Further addresses that reports on a domain come here by, whichever of them its record names. */
export function otherAddresses(
  kind: 'dmarc' | 'tlsrpt',
  domain: string,
  { domains, feedback }: Hosts,
): readonly string[] {
  const hosts = [domains.returnPathHost, domains.inboundHost, feedback.returnPathHost].flatMap((host) => host ?? [])
  const below = domains.returnPathHost === undefined ? [] : [`${HOST}${domain}`]
  return [...hosts, ...below].map((host) => `${kind}@${domainToASCII(host)}`)
}

function isForReportsByName(address: string): boolean {
  return NAMES.has(address.slice(0, address.lastIndexOf('@')))
}
