import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import { advised, type Sentence } from '../values/advice.ts'
import { bimiAdvice } from './bimi-advice.ts'
import { svgProblem } from './bimi-svg.ts'
import { dmarcPolicy } from './dmarc.ts'
import { freshDns } from './fresh-dns.ts'

/** Larger logos are not shown (BIMI Group, guidelines for SVG). */
const MAX_LOGO_BYTES = 32 * 1024
const PATIENCE_MS = 10_000
const LONGEST_URL = 2_000

/** The logo of a domain by its BIMI record (draft-brand-indicators-for-message-identification). */
export interface DomainLogo {
  /** The name of the record that counts; null when there is none. */
  readonly name: string | null
  /** The record; null when there is none. */
  readonly record: string | null
  /** Where the logo is; null when the record names none. */
  readonly logoUrl: string | null
  /** Where its certificate is; null when the record names none. */
  readonly certificateUrl: string | null
  /** Whether nothing is in the way of the logo here; receivers decide on their own whether they show it. */
  readonly isReady: boolean
  /** The most important thing to do. */
  readonly advice: string
  /** Its sentence as a code. */
  readonly adviceCodes: ReturnType<typeof advised>['adviceCodes']
}

/** The record, before the logo is looked at. */
type Found = Omit<DomainLogo, 'isReady' | 'advice' | 'adviceCodes'>

const NONE: Found = { name: null, record: null, logoUrl: null, certificateUrl: null }

/** The means to look at a logo: the DNS, and the guarded way to addresses that others chose. */
interface Means {
  readonly dns: DnsResolver
  readonly sender: WebhookSender
}

/**
 * Says whether receivers can show the logo of a domain: looks at record, DMARC policy and picture now. A DNS that does
 * not answer is a part of the answer.
 */
export async function checkLogo(domain: string, { dns, sender }: Means): Promise<DomainLogo> {
  const ascii = domainToASCII(domain)
  try {
    return await looked(ascii, { dns: freshDns(dns, ascii), sender })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return judged(NONE, bimiAdvice('bimi_no_answer', { reason }))
  }
}

async function looked(domain: string, means: Means): Promise<DomainLogo> {
  const names = [...new Set([domain, getDomain(domain) ?? domain])].map((each) => `default._bimi.${each}`)
  for (const name of names) {
    const records = (await means.dns.txt(name)).filter((text) => /^v\s*=\s*BIMI1\s*(?:;|$)/i.test(text))
    const [record] = records
    if (record === undefined) continue
    if (records.length > 1)
      return judged({ ...NONE, name }, bimiAdvice('bimi_several', { count: records.length, name }))
    const [logoUrl, certificateUrl] = [tagOf(record, 'l'), tagOf(record, 'a')]
    const found = { name, record: record.slice(0, LONGEST_URL).toWellFormed(), logoUrl, certificateUrl }
    const problem = await problemOf(found, domain, means)
    if (problem !== undefined) return judged(found, problem)
    return judged(found, bimiAdvice(certificateUrl === null ? 'bimi_without_certificate' : 'bimi_right'), true)
  }
  const [name = ''] = names
  return judged(NONE, bimiAdvice('bimi_missing', { domain, name }))
}

/** The first thing that is in the way of the logo. */
async function problemOf(
  { logoUrl, certificateUrl }: Found,
  domain: string,
  { dns, sender }: Means,
): Promise<Sentence | undefined> {
  if (logoUrl === null) return bimiAdvice('bimi_declined')
  if (!isHttps(logoUrl)) return bimiAdvice('bimi_not_https', { url: logoUrl })
  if (certificateUrl !== null && !isHttps(certificateUrl))
    return bimiAdvice('bimi_not_https_certificate', { url: certificateUrl })
  return (await dmarcProblem(domain, dns)) ?? logoProblem(logoUrl, sender)
}

async function logoProblem(url: string, sender: WebhookSender): Promise<Sentence | undefined> {
  const whole = { redirect: 'manual', document: { maxBytes: MAX_LOGO_BYTES } } as const
  const request = { url, method: 'GET', headers: { accept: 'image/svg+xml' }, timeout: PATIENCE_MS } as const
  const answer = await sender.send({ ...request, ...whole }, AbortSignal.timeout(PATIENCE_MS + 1_000))
  if (answer.outcome === 'forbidden') return bimiAdvice('bimi_forbidden', { url })
  if (answer.outcome === 'failed') {
    const isLarge = answer.status === 200 && answer.reason.includes('larger than')
    return isLarge ? bimiAdvice('bimi_large', { url }) : bimiAdvice('bimi_unreachable', { url, reason: answer.reason })
  }
  if (answer.leadsTo !== undefined) return bimiAdvice('bimi_moved', { url, to: answer.leadsTo.slice(0, LONGEST_URL) })
  if (answer.status !== 200) return bimiAdvice('bimi_status', { url, status: answer.status })
  return svgProblem(answer.body)
}

/** The policy must hold for all mail, also that of the organisation above (BIMI draft, section 7.2). */
async function dmarcProblem(domain: string, dns: DnsResolver): Promise<Sentence | undefined> {
  const above = getDomain(domain) ?? domain
  for (const name of new Set([domain, above])) {
    const found = await dmarcPolicy(name, dns)
    if (found === undefined) return bimiAdvice('bimi_dmarc_missing')
    const { policy, tags } = found
    if (policy === 'none') return bimiAdvice('bimi_dmarc_weak', { domain: name, policy })
    const percent = tags.get('pct')
    if (percent !== undefined && percent !== '100')
      return bimiAdvice('bimi_dmarc_part', { domain: name, tag: `pct=${percent.slice(0, 20)}` })
    if (tags.get('sp') === 'none') return bimiAdvice('bimi_dmarc_part', { domain: name, tag: 'sp=none' })
    if (tags.get('t') === 'y') return bimiAdvice('bimi_dmarc_part', { domain: name, tag: 't=y' })
  }
  return undefined
}

function judged(found: Found, advice: Sentence, isReady = false): DomainLogo {
  return { ...found, isReady, ...advised(advice) }
}

/** The value of a tag; null when it is missing or empty. */
function tagOf(record: string, tag: string): string | null {
  const parts = record.split(';').map((part) => part.trim())
  const found = parts.find((part) => part.slice(0, part.indexOf('=')).trim().toLowerCase() === tag)
  const value =
    found
      ?.slice(found.indexOf('=') + 1)
      .trim()
      .slice(0, LONGEST_URL) ?? ''
  return value === '' ? null : value.toWellFormed()
}

function isHttps(url: string): boolean {
  return URL.parse(url)?.protocol === 'https:'
}
