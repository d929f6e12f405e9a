import { isIP } from 'node:net'
import type { DnsResolver, LookUpOptions } from '../../core/ports/dns-resolver.ts'
import type { HopWarning } from '../../core/ports/mail-transport.ts'
import { reverseName } from '../../core/values/reverse-name.ts'
import { within } from '../../core/values/within.ts'
import { ConnectProblem } from '../kit/smtp-client/connect-problem.ts'
import { exchangersOf } from './exchangers.ts'
import { isSilence } from './reach.ts'
import type { Servers } from './servers.ts'

/**
 * Domains whose mail servers hardly ever fail, at three companies. The first two answer EHLO with the address that they were
 * reached from.
 */
const KNOWN = ['gmail.com', 'outlook.com', 'yahoo.com']
/** How long the others may take once one has answered, in milliseconds. */
const OTHERS_MS = 2_000

/** A mail server of the world that was connected to. */
interface Met {
  readonly host: string
  /** Its reply to EHLO. */
  readonly hello: string
}

/** A domain whose mail servers could not be looked up. */
class NotFound extends Error {}

/**
 * The address of this machine, as large receivers see it; undefined when they do not tell. Sends no mail. Rejects when
 * none of them can be reached, with a `trouble` as `MailTransport.check`; `blocked` are the words for a closed port.
 */
export async function seenAs(
  servers: Servers,
  dns: DnsResolver,
  name: string,
  blocked: string,
): Promise<string | undefined> {
  const meetings = KNOWN.map((domain) => meet(domain, servers, dns, name))
  try {
    await Promise.any(meetings)
  } catch (error) {
    throw troubleIn(error instanceof AggregateError ? error.errors : [error], blocked)
  }
  const met: Met[] = []
  await within(OTHERS_MS, Promise.allSettled(meetings.map(async (each) => met.push(await each))))
  return met.map(({ hello }) => addressIn(hello)).find((address) => address !== undefined)
}

async function meet(domain: string, servers: Servers, dns: DnsResolver, name: string): Promise<Met> {
  const hosts = await exchangersOf(domain, dns, name, new AbortController().signal)
  if ('permanent' in hosts) throw new NotFound(hosts.reason)
  const [host = domain] = hosts
  return { host, hello: await servers.hello(host) }
}

/** A server that speaks says more than those that are silent. */
function troubleIn(errors: readonly unknown[], blocked: string): Error {
  const problems = errors.filter((error) => error instanceof ConnectProblem)
  const spoken = problems.find(({ trouble }) => !isSilence([trouble]))
  if (spoken) return Object.assign(new Error(spoken.message), { trouble: spoken.trouble })
  if (problems.length > 0) return Object.assign(new Error(blocked), { trouble: 'no-answer' })
  const reason = `the mail servers of ${KNOWN.join(', ')} could not be looked up in the DNS`
  return Object.assign(new Error(reason, { cause: errors[0] }), { trouble: 'dns' })
}

/** The address of the client in a reply to EHLO, such as `mx.google.com at your service, [203.0.113.5]`. */
function addressIn(hello: string): string | undefined {
  const [, address = ''] = /\[(?:IPv6:)?([\da-f.:]{2,45})\]/i.exec(hello.split('\n')[0] ?? '') ?? []
  return isIP(address) === 0 ? undefined : address
}

/**
 * Why receivers may not trust this machine: its name leads to these addresses, and they see it at `seen`, if that is
 * known.
 */
export async function doubts(
  name: string,
  addresses: readonly string[],
  seen: string | undefined,
  dns: DnsResolver,
): Promise<readonly HopWarning[]> {
  const found: HopWarning[] = []
  if (seen !== undefined && !addresses.includes(seen))
    found.push({
      warning: 'leads-elsewhere',
      reason: `${name} leads to ${addresses.join(', ')}, but receivers see this machine at ${seen}`,
    })
  for (const address of seen === undefined ? addresses : [seen]) {
    const names = await reverseOf(address, dns, { fresh: true })
    if (names === undefined || isAmong(name, names)) continue
    const leads = names.length === 0 ? 'has no reverse record' : `has a reverse record that names ${names.join(', ')}`
    found.push({ warning: 'no-reverse', reason: `${address} ${leads}; it must name ${name}` })
  }
  return found
}

/** The names that the reverse record of an address has; undefined when the DNS does not answer. */
export function reverseOf(
  address: string,
  dns: DnsResolver,
  options: LookUpOptions = {},
): Promise<readonly string[] | undefined> {
  return dns.ptr(reverseName(address) ?? address, options).catch(() => undefined)
}

export function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}
