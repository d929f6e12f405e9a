import { type DnsRecords, type NameServer, type NameServerOptions, startNameServer } from '../contracts/name-server.ts'
import { noteKey } from './every-mail.ts'

export type { DnsRecords, NameServer as DnsServer, NameServerOptions as DnsServerOptions }

/** A name server; mail that a sink receives and that is signed with a key published here must verify. */
export function startDnsServer(
  zone: Readonly<Record<string, DnsRecords>> = {},
  options: NameServerOptions = {},
): Promise<NameServer> {
  return startNameServer(zone, { ...options, published: noteIfKey })
}

function noteIfKey(name: string, text: string): void {
  if (name.includes('._domainkey.') && /\bp=[A-Za-z0-9+/]{40,}/.test(text)) noteKey(name, text)
}
