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

/** The address that reports on a domain are to be sent to; undefined where this server receives no mail for it. */
export function reportAddress(
  kind: 'dmarc' | 'tlsrpt',
  domain: string,
  {
    returnPathHost,
    inboundHost,
  }: { readonly returnPathHost?: string | undefined; readonly inboundHost?: string | undefined },
): string | undefined {
  if (returnPathHost !== undefined) return `${kind}@${HOST}${domain}`
  return inboundHost === undefined ? undefined : `${kind}@${domain}`
}
