import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import { advised, type Sentence } from '../values/advice.ts'
import { bimiAdvice } from './bimi-advice.ts'
import { certificateProblem, MAX_CERTIFICATE_BYTES } from './bimi-certificate.ts'
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
  /** The time that certificates are judged by. */
  readonly now: Date
}

/**
 * Says whether receivers can show the logo of a domain: looks at record, DMARC policy, picture and certificate now. A DNS that does
 * not answer is a part of the answer.
 */
export async function checkLogo(domain: string, { dns, ...means }: Means): Promise<DomainLogo> {
  const ascii = domainToASCII(domain)
  try {
    return await looked(ascii, { dns: freshDns(dns, ascii), ...means })
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
  { dns, sender, now }: Means,
): Promise<Sentence | undefined> {
  if (logoUrl === null) return bimiAdvice('bimi_declined')
  if (!isHttps(logoUrl)) return bimiAdvice('bimi_not_https', { url: logoUrl })
  if (certificateUrl !== null && !isHttps(certificateUrl))
    return bimiAdvice('bimi_not_https_certificate', { url: certificateUrl })
  const problem = (await dmarcProblem(domain, dns)) ?? (await logoProblem(logoUrl, sender))
  if (problem !== undefined || certificateUrl === null) return problem
  const owners = [...new Set([domain, getDomain(domain) ?? domain])]
  const names = [...owners, ...owners.map((owner) => `default._bimi.${owner}`)]
  const file = await fetched(
    certificateUrl,
    { what: 'certificate', accept: 'application/pem-certificate-chain', most: MAX_CERTIFICATE_BYTES },
    sender,
  )
  return typeof file === 'string' ? certificateProblem(file, names, now) : file
}

async function logoProblem(url: string, sender: WebhookSender): Promise<Sentence | undefined> {
  const file = await fetched(url, { what: 'logo', accept: 'image/svg+xml', most: MAX_LOGO_BYTES }, sender)
  return typeof file === 'string' ? svgProblem(file) : file
}

/** A file that the record names. */
interface Wanted {
  readonly what: 'logo' | 'certificate'
  readonly accept: string
  readonly most: number
}

/** The sentences about a file that cannot be had. */
const LOST = {
  logo: {
    forbidden: 'bimi_forbidden',
    large: 'bimi_large',
    unreachable: 'bimi_unreachable',
    moved: 'bimi_moved',
    status: 'bimi_status',
  },
  certificate: {
    forbidden: 'bimi_certificate_forbidden',
    large: 'bimi_certificate_large',
    unreachable: 'bimi_certificate_unreachable',
    moved: 'bimi_certificate_moved',
    status: 'bimi_certificate_status',
  },
} as const

/** The text of a file, or why it cannot be had. */
async function fetched(url: string, { what, accept, most }: Wanted, sender: WebhookSender): Promise<string | Sentence> {
  const whole = { redirect: 'manual', document: { maxBytes: most } } as const
  const request = { url, method: 'GET', headers: { accept }, timeout: PATIENCE_MS } as const
  const answer = await sender.send({ ...request, ...whole }, AbortSignal.timeout(PATIENCE_MS + 1_000))
  const codes = LOST[what]
  if (answer.outcome === 'forbidden') return bimiAdvice(codes.forbidden, { url })
  if (answer.outcome === 'failed') {
    const isLarge = answer.status === 200 && answer.reason.includes('larger than')
    return isLarge ? bimiAdvice(codes.large, { url }) : bimiAdvice(codes.unreachable, { url, reason: answer.reason })
  }
  if (answer.leadsTo !== undefined) return bimiAdvice(codes.moved, { url, to: answer.leadsTo.slice(0, LONGEST_URL) })
  if (answer.status !== 200) return bimiAdvice(codes.status, { url, status: answer.status })
  return answer.body
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
