import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../../core/ports/sender-identity.ts'
import { advised, type Sentence } from '../../core/values/advice.ts'
import { dkimAdvice } from './dkim-advice.ts'

/** Checks what is published where the key record should be, and says what to change. Never rejects. */
export async function judgeDkim(
  domain: string,
  { name, value }: DnsRecord,
  key: string,
  dns: DnsResolver,
): Promise<Finding> {
  try {
    const texts = await dns.txt(name)
    if (texts.length > 1) return several(texts, name, key)
    const [text] = texts
    return text === undefined ? await absent(domain, name, dns) : judgeText(text, key, value)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { state: 'unknown', ...advised(dkimAdvice('dkim_no_answer', { name, reason })) }
  }
}

async function absent(domain: string, name: string, dns: DnsResolver): Promise<Finding> {
  const [alias] = await dns.cname(name)
  if (alias !== undefined) {
    return wrong(dkimAdvice('dkim_alias', { alias, name }))
  }
  // this happens at providers that append the domain to a full name
  const doubled = await dns.txt(`${name}.${domain}`)
  if (doubled.length > 0) {
    const short = name.slice(0, -domain.length - 1)
    return wrong(dkimAdvice('dkim_name_doubled', { found: `${name}.${domain}`, name: short }))
  }
  return { state: 'missing', ...advised(dkimAdvice('dkim_missing', { name })) }
}

/** Verifiers may take any of several records, or none (RFC 6376, section 3.6.2.2). */
function several(texts: readonly string[], name: string, key: string): Finding {
  const holdsKey = (text: string) => bare(tagsOf(text).get('p') ?? '') === key
  const isSplit = !texts.some(holdsKey) && (holdsKey(texts.join('')) || holdsKey(texts.toReversed().join('')))
  return wrong(dkimAdvice(isSplit ? 'dkim_split' : 'dkim_several', { count: texts.length, name }))
}

function judgeText(text: string, key: string, value: string): Finding {
  const tags = tagsOf(text)
  const published = tags.get('p')
  if (published === undefined) return wrong(dkimAdvice('dkim_is_none', { text: start(text) }))
  if (/["\\]/.test(text)) {
    return wrong(dkimAdvice('dkim_quotes'))
  }
  const found = bare(published)
  if (found === '') return wrong(dkimAdvice('dkim_revoked'))
  if (found !== key) return wrong(otherKey(found, key, value))
  const version = tags.get('v')
  if (version !== undefined && version !== 'DKIM1') return wrong(dkimAdvice('dkim_version', { found: version }))
  const type = tags.get('k') ?? 'rsa'
  if (type !== 'rsa') return wrong(dkimAdvice('dkim_key_type', { found: type }))
  if (!allows(tags.get('h'), ['sha256'])) return wrong(dkimAdvice('dkim_hashes'))
  if (!allows(tags.get('s'), ['*', 'email'])) return wrong(dkimAdvice('dkim_service'))
  const isTest = (tags.get('t') ?? '').split(':').some((flag) => flag.trim() === 'y')
  return { state: 'found', ...advised(dkimAdvice('dkim_found'), ...(isTest ? [dkimAdvice('dkim_testing')] : [])) }
}

function wrong(advice: Sentence): Finding {
  return { state: 'wrong', ...advised(advice) }
}

function otherKey(found: string, key: string, value: string): Sentence {
  if (key.startsWith(found)) {
    const halves = `"${value.slice(0, 255)}" "${value.slice(255)}"`
    return dkimAdvice('dkim_cut', { found: found.length, length: key.length, value: halves })
  }
  // keys of the same kind begin and end alike
  const at = [...found].findIndex((character, place) => character !== key[place])
  const part = (text: string) => text.slice(at, at + 8) || 'no more'
  return dkimAdvice('dkim_other_key', { place: at + 1, found: part(found), wanted: part(key) })
}

function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = text.split(';').flatMap((tag): [string, string][] => {
    const equals = tag.indexOf('=')
    return equals < 0 ? [] : [[tag.slice(0, equals).replace(/["\s]/g, '').toLowerCase(), tag.slice(equals + 1).trim()]]
  })
  return new Map(tags)
}

function allows(value: string | undefined, wanted: readonly string[]): boolean {
  return value === undefined || value.split(':').some((each) => wanted.includes(each.trim().toLowerCase()))
}

/** Whitespace in a key means nothing (RFC 6376, section 3.2). */
function bare(text: string): string {
  return text.replace(/\s+/g, '')
}

function start(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
