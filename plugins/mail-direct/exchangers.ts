import { randomInt } from 'node:crypto'
import type { DnsResolver, LookUpOptions } from '../../core/ports/dns-resolver.ts'
import type { Refusal } from '../../core/ports/mail-transport.ts'
import { unlessAborted } from '../../core/values/unless-aborted.ts'

/**
 * The servers that take the mail of a domain, which is given in ASCII, in the order to try them (RFC 5321, section 5.1):
 * those of its MX records, equal ones at random, or the domain itself where it has none. A refusal says that there is no
 * such server, or that the DNS could not be asked; at stage `connect` the DNS does not know this machine either, and nothing
 * can be told of any domain. No server has said it, so it has no code, and its words do not name the domain, since words
 * such as "spam" in a name would be taken for those of a server.
 */
export async function exchangersOf(
  domain: string,
  dns: DnsResolver,
  ownName: string,
  signal: AbortSignal,
): Promise<readonly string[] | Refusal> {
  try {
    return await unlessAborted(signal, look(domain, dns, ownName))
  } catch (error) {
    const reason = `The mail servers of the domain could not be looked up in the DNS: ${textOf(error)}`
    const isAlone = signal.aborted || (await unlessAborted(signal, isKnown(ownName, dns)).catch(() => signal.aborted))
    return { permanent: false, stage: isAlone ? 'rcpt' : 'connect', enhancedCode: '4.4.3', reason }
  }
}

async function look(name: string, dns: DnsResolver, ownName: string): Promise<readonly string[] | Refusal> {
  let found = await serversOf(name, dns)
  if (found === 'none') found = await serversOf(name, dns, { fresh: true })
  if (found === 'takes no mail') return NULL_MX
  if (found !== 'none') return found
  // a resolver that finds nothing at all must not bounce a whole list
  return (await isKnown(ownName, dns)) ? NO_DOMAIN : UNSURE
}

/** Whether the DNS knows this machine just now. Rejects when it cannot be asked. */
function isKnown(ownName: string, dns: DnsResolver): Promise<boolean> {
  return hasAddress(ownName, dns, { fresh: true })
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** RFC 7505: the domain says that it takes no mail. */
const NULL_MX: Refusal = {
  permanent: true,
  stage: 'rcpt',
  enhancedCode: '5.1.10',
  reason: 'The domain takes no mail: its MX record says so (RFC 7505)',
}

const NO_DOMAIN: Refusal = {
  permanent: true,
  stage: 'rcpt',
  enhancedCode: '5.1.2',
  reason: 'The domain does not exist, or has no mail server: the DNS has neither an MX nor an address record',
}

const UNSURE: Refusal = {
  permanent: false,
  stage: 'connect',
  enhancedCode: '4.4.3',
  reason: 'The DNS finds no mail server of the domain, but does not find this machine either, so it may be wrong',
}

async function serversOf(
  name: string,
  dns: DnsResolver,
  options: LookUpOptions = {},
): Promise<readonly string[] | 'takes no mail' | 'none'> {
  const all = await dns.mx(name, options)
  // one beside others is a mistake (RFC 7505, section 3)
  const found = all.filter(({ exchange }) => exchange !== '')
  if (all.length > 0 && found.length === 0) return 'takes no mail'
  if (found.length === 0) return (await hasAddress(name, dns, options)) ? [name] : 'none'
  const drawn = found.map(({ exchange, priority }) => ({ exchange, priority, lot: randomInt(1_000_000) }))
  drawn.sort((a, b) => a.priority - b.priority || a.lot - b.lot)
  return [...new Set(drawn.map(({ exchange }) => exchange.toLowerCase()))]
}

async function hasAddress(name: string, dns: DnsResolver, options: LookUpOptions = {}): Promise<boolean> {
  return (await dns.ipv4(name, options)).length > 0 || (await dns.ipv6(name, options)).length > 0
}
