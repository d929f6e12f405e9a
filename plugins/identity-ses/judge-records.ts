import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../../core/ports/sender-identity.ts'

/** Checks what is published where a record should be, and says what to change. Never rejects. */
export async function judgeRecord(domain: string, record: DnsRecord, dns: DnsResolver): Promise<Finding> {
  try {
    return record.type === 'TXT' ? await judgeText(domain, record, dns) : await judgeAlias(domain, record, dns)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const advice = `The DNS did not answer for ${record.name} (${reason}), which says nothing about the record.`
    return { state: 'unknown', advice }
  }
}

async function judgeAlias(domain: string, { name, value }: DnsRecord, dns: DnsResolver): Promise<Finding> {
  const [alias] = await dns.cname(name)
  if (alias !== undefined) {
    if (bare(alias) === value.toLowerCase()) return { state: 'found', advice: 'The CNAME is in place.' }
    return { state: 'wrong', advice: `The CNAME at ${name} leads to ${bare(alias)}: change it to ${value}.` }
  }
  if ((await dns.ipv4(name)).length > 0) {
    const advice = `There are addresses at ${name} in place of a CNAME: if your DNS provider has a proxy for it, switch that off ("DNS only").`
    return { state: 'wrong', advice }
  }
  if ((await dns.cname(`${name}.${domain}`)).length > 0) return { state: 'wrong', advice: doubled(name, domain) }
  return { state: 'missing', advice: `There is no CNAME at ${name}: publish it. It may take an hour until it is seen.` }
}

/** There may be several TXT records, of several servers. */
async function judgeText(domain: string, { name, value }: DnsRecord, dns: DnsResolver): Promise<Finding> {
  const texts = (await dns.txt(name)).map((text) => text.trim())
  if (texts.includes(value)) return { state: 'found', advice: 'The record that shows whose domain it is is in place.' }
  if (texts.length > 0) {
    return { state: 'wrong', advice: `There is a TXT record at ${name}, but none with this value: add one with it.` }
  }
  if ((await dns.txt(`${name}.${domain}`)).length > 0) return { state: 'wrong', advice: doubled(name, domain) }
  return {
    state: 'missing',
    advice: `There is no TXT record at ${name}: publish it, to show that the domain is yours.`,
  }
}

/** This happens at providers that append the domain to a full name. */
function doubled(name: string, domain: string): string {
  const short = name.slice(0, -domain.length - 1)
  return `The record is at ${name}.${domain}: your DNS provider adds the domain by itself, so enter only ${short} as its name.`
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
