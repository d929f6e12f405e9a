import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { Finding } from '../ports/sender-identity.ts'
import { isSpf } from './spf.ts'

/** Judges the alias (CNAME) of a name; undefined when it has none. Rejects when the DNS does not answer. */
export async function aliasOf(name: string, host: string, dns: DnsResolver): Promise<Finding | undefined> {
  const [alias] = await dns.cname(name)
  if (alias === undefined) return undefined
  if (bare(alias) === host) return { state: 'found', advice: 'The CNAME is in place.' }
  return { state: 'wrong', advice: `The CNAME at ${name} leads to ${bare(alias)}: change it to ${host}.` }
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
    const advice = `There are other records at ${name}: remove them, because a CNAME stands alone, and publish the CNAME to ${host}.`
    return { state: 'wrong', advice }
  }
  return { state: 'missing', advice: `There is no CNAME at ${name}: publish it, so that bounces come back to us.` }
}

/** Checks whether mail for a domain goes to a host. Rejects when the DNS does not answer. */
export async function judgeExchange(domain: string, host: string, dns: DnsResolver): Promise<Finding> {
  const exchangers = (await dns.mx(domain)).map(({ exchange }) => bare(exchange))
  if (exchangers.includes(host)) {
    if (exchangers[0] === host) return { state: 'found', advice: 'The MX record is in place.' }
    const advice = `The MX record is in place, but mail goes to ${exchangers[0]} first.`
    return { state: 'found', advice }
  }
  if (exchangers.length === 0) {
    return { state: 'missing', advice: `There is no MX record: publish it to receive mail for ${domain} here.` }
  }
  const advice = `Mail for ${domain} goes to ${exchangers.join(', ')}. Publish our MX record only if nobody has a mailbox there; else receive mail on a subdomain.`
  return { state: 'missing', advice }
}

function withoutSpf(host: string): Finding {
  const advice = `The CNAME is in place, but ${host} has no SPF record. Until the operator of this server publishes one, mail does not have its return path there.`
  return { state: 'wrong', advice }
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
