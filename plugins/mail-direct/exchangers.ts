import { randomInt } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { DnsResolver, MailExchanger } from '../../core/ports/dns-resolver.ts'
import type { Refusal } from '../../core/ports/mail-transport.ts'

/** At most so many servers of a domain are tried for one mail. */
const MOST = 5

/**
 * The servers that take the mail of a domain, in the order to try them (RFC 5321, section 5.1): those of its MX records,
 * equal ones at random, or the domain itself where it has none. A refusal says that there is no such server, or that the
 * DNS could not be asked.
 */
export async function exchangersOf(domain: string, dns: DnsResolver): Promise<readonly string[] | Refusal> {
  const name = domainToASCII(domain)
  try {
    const found = await dns.mx(name)
    if (found.some(({ exchange }) => exchange === '')) return nullMx(domain)
    if (found.length > 0) return inOrder(found)
    const addresses = [...(await dns.ipv4(name)), ...(await dns.ipv6(name))]
    return addresses.length > 0 ? [name] : noDomain(domain)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const reason = `The mail servers of ${domain} could not be looked up in the DNS: ${why}`
    return { permanent: false, stage: 'rcpt', enhancedCode: '4.4.3', reason }
  }
}

/** RFC 7505: the domain says that it takes no mail. */
function nullMx(domain: string): Refusal {
  const reason = `${domain} takes no mail: its MX record says so (RFC 7505)`
  return { permanent: true, stage: 'rcpt', code: 556, enhancedCode: '5.1.10', reason }
}

function noDomain(domain: string): Refusal {
  const reason = `The domain ${domain} does not exist, or has no mail server: the DNS has neither an MX nor an address record`
  return { permanent: true, stage: 'rcpt', code: 550, enhancedCode: '5.1.2', reason }
}

function inOrder(found: readonly MailExchanger[]): readonly string[] {
  const drawn = found.map(({ exchange, priority }) => ({ exchange, priority, lot: randomInt(1_000_000) }))
  drawn.sort((a, b) => a.priority - b.priority || a.lot - b.lot)
  return [...new Set(drawn.map(({ exchange }) => exchange))].slice(0, MOST)
}
