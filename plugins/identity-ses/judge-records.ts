import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../../core/ports/sender-identity.ts'
import { advised, type Sentence } from '../../core/values/advice.ts'
import { sesAdvice } from './ses-advice.ts'

/** Checks what is published where a record should be, and says what to change. Never rejects. */
export async function judgeRecord(domain: string, record: DnsRecord, dns: DnsResolver): Promise<Finding> {
  try {
    return record.type === 'TXT' ? await judgeText(domain, record, dns) : await judgeAlias(domain, record, dns)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { state: 'unknown', ...advised(sesAdvice('ses_no_answer', { name: record.name, reason })) }
  }
}

async function judgeAlias(domain: string, { name, value }: DnsRecord, dns: DnsResolver): Promise<Finding> {
  const [alias] = await dns.cname(name)
  if (alias !== undefined) {
    if (bare(alias) === value.toLowerCase()) return { state: 'found', ...advised(sesAdvice('ses_cname_found')) }
    return wrong(sesAdvice('ses_cname_wrong', { name, found: bare(alias), value }))
  }
  if ((await dns.ipv4(name)).length > 0) {
    return wrong(sesAdvice('ses_proxy', { name }))
  }
  if ((await dns.cname(`${name}.${domain}`)).length > 0) return wrong(doubled(name, domain))
  return { state: 'missing', ...advised(sesAdvice('ses_cname_missing', { name })) }
}

/** There may be several TXT records, of several servers. */
async function judgeText(domain: string, { name, value }: DnsRecord, dns: DnsResolver): Promise<Finding> {
  const texts = (await dns.txt(name)).map((text) => text.trim())
  if (texts.includes(value)) return { state: 'found', ...advised(sesAdvice('ses_owner_found')) }
  if (texts.length > 0) {
    return wrong(sesAdvice('ses_owner_other', { name }))
  }
  if ((await dns.txt(`${name}.${domain}`)).length > 0) return wrong(doubled(name, domain))
  return { state: 'missing', ...advised(sesAdvice('ses_owner_missing', { name })) }
}

/** This happens at providers that append the domain to a full name. */
function doubled(name: string, domain: string): Sentence {
  const short = name.slice(0, -domain.length - 1)
  return sesAdvice('ses_name_doubled', { found: `${name}.${domain}`, name: short })
}

function wrong(advice: Sentence): Finding {
  return { state: 'wrong', ...advised(advice) }
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
