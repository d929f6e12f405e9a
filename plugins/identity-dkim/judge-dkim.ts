import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { DnsRecord, Finding } from '../../core/ports/sender-identity.ts'

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
    const advice = `The DNS did not answer for ${name} (${reason}), which says nothing about the record.`
    return { state: 'unknown', advice }
  }
}

async function absent(domain: string, name: string, dns: DnsResolver): Promise<Finding> {
  const [alias] = await dns.cname(name)
  if (alias !== undefined) {
    const advice = `There is a CNAME to ${alias} at ${name}, which leads to no TXT record: remove it and publish the TXT record.`
    return { state: 'wrong', advice }
  }
  // this happens at providers that append the domain to a full name
  const doubled = await dns.txt(`${name}.${domain}`)
  if (doubled.length > 0) {
    const short = name.slice(0, -domain.length - 1)
    const advice = `The record is at ${name}.${domain}: your DNS provider adds the domain by itself, so enter only ${short} as its name.`
    return { state: 'wrong', advice }
  }
  const advice = `There is no TXT record at ${name}: publish it. It may take an hour until it is seen.`
  return { state: 'missing', advice }
}

/** Verifiers may take any of several records, or none (RFC 6376, section 3.6.2.2). */
function several(texts: readonly string[], name: string, key: string): Finding {
  const holdsKey = (text: string) => bare(tagsOf(text).get('p') ?? '') === key
  const isSplit = !texts.some(holdsKey) && (holdsKey(texts.join('')) || holdsKey(texts.toReversed().join('')))
  const advice = isSplit
    ? `The key is split over ${texts.length} TXT records at ${name}: make it one record of two strings, "…" "…".`
    : `There are ${texts.length} TXT records at ${name}: leave only the one with this key.`
  return { state: 'wrong', advice }
}

function judgeText(text: string, key: string, value: string): Finding {
  const tags = tagsOf(text)
  const published = tags.get('p')
  const wrong = (advice: string): Finding => ({ state: 'wrong', advice })
  if (published === undefined) return wrong(`The TXT record says "${start(text)}", which is no DKIM key: replace it.`)
  if (/["\\]/.test(text)) {
    return wrong('The record has quotation marks or backslashes in its text: enter the value without them.')
  }
  const found = bare(published)
  if (found === '') return wrong('The record has an empty p=, which revokes the key: enter the whole value.')
  if (found !== key) return wrong(otherKey(found, key, value))
  const version = tags.get('v')
  if (version !== undefined && version !== 'DKIM1') return wrong(`The record has v=${version}: it must be v=DKIM1.`)
  if ((tags.get('k') ?? 'rsa') !== 'rsa') return wrong(`The record has k=${tags.get('k')}: it must be k=rsa.`)
  if (!allows(tags.get('h'), ['sha256'])) return wrong('The record allows other hashes only: take h= out of it.')
  if (!allows(tags.get('s'), ['*', 'email'])) return wrong('The record is not for e-mail: take s= out of it.')
  const isTest = (tags.get('t') ?? '').split(':').some((flag) => flag.trim() === 'y')
  const hint = isTest ? ' It has t=y (test): take that out, or some receivers ignore the signature.' : ''
  return { state: 'found', advice: `The key is in place.${hint}` }
}

function otherKey(found: string, key: string, value: string): string {
  if (key.startsWith(found)) {
    return `The key ends after ${found.length} of ${key.length} characters: a string of a TXT record has at most 255, so enter the value as two strings of one record: "${value.slice(0, 255)}" "${value.slice(255)}".`
  }
  // keys of the same kind begin and end alike
  const at = [...found].findIndex((character, place) => character !== key[place])
  const part = (text: string) => text.slice(at, at + 8) || 'no more'
  return `The record holds another key (from character ${at + 1} on it has ${part(found)}, ours ${part(key)}): replace it by this value.`
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
