import { domainOf } from '../values/email-address.ts'

/** The names before the `@` that reports are sent to. */
const NAMES: ReadonlySet<string> = new Set(['dmarc', 'tlsrpt'])
/** The host of a domain whose mail always comes to this server, wherever its own mail goes. */
const HOST = 'bounces.'

/**
 * The domain that reports at this address are about; undefined for any other address. It is below that domain, so that no
 * receiver asks whether it wants them (RFC 9990, section 4).
 */
export function reportedDomain(address: string): string | undefined {
  const host = domainOf(address)
  const name = address.slice(0, address.lastIndexOf('@'))
  return NAMES.has(name) && host.startsWith(HOST) ? host.slice(HOST.length) : undefined
}

/** Whether mail to this address is for reports alone: as the records of a domain name it, or by the older name below it. */
export function isForReports(address: string, { returnPathHost, inboundHost }: ReportHosts): boolean {
  if (reportedDomain(address) !== undefined) return true
  const isAtDomain = returnPathHost === undefined && inboundHost !== undefined
  return isAtDomain && NAMES.has(address.slice(0, address.lastIndexOf('@')))
}

/** The hosts that lead mail for a domain to this server. */
interface ReportHosts {
  readonly returnPathHost?: string | undefined
  readonly inboundHost?: string | undefined
}

/** The address that reports on a domain are to be sent to; undefined where this server receives no mail for it. */
export function reportAddress(
  kind: 'dmarc' | 'tlsrpt',
  domain: string,
  { returnPathHost, inboundHost }: ReportHosts,
): string | undefined {
  if (returnPathHost !== undefined) return `${kind}@${HOST}${domain}`
  return inboundHost === undefined ? undefined : `${kind}@${domain}`
}
