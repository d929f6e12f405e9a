import { domainToASCII } from 'node:url'
import { type HeaderFields, type MimeMessage, readFields } from '../bounces/parse/mime.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'

/** A report on one message that failed DMARC (RFC 6591): only that it came is of interest, as it holds the mail of others. */
export interface FailureReport {
  /** The domain it is about, in ASCII and lower case; undefined when it does not say. */
  readonly domain: string | undefined
}

/** The failure report in a message; undefined when it is another message. Any input takes bounded time. */
export function failureReportIn({ parts, fields: header, type }: MimeMessage): FailureReport | undefined {
  const part = parts.find(({ type }) => type === 'message/feedback-report')
  if (part === undefined) return type === 'multipart/report' ? inWords(header) : undefined
  const fields = readFields(part.text())
  if (!isFailure(fields)) return undefined
  const from = fields.get('original-mail-from')?.replace(/[<>\s]/g, '') ?? ''
  return { domain: domainIn(fields.get('reported-domain')) ?? domainIn(domainOf(from)) }
}

/** Exim's, as its manual proposes it, has no part for machines: its subject says what it is, and on which domain. */
function inWords(header: HeaderFields): FailureReport | undefined {
  const subject = header.get('subject')?.slice(0, 500) ?? ''
  if (!/\bdmarc (?:forensic|failure) report\b/i.test(subject)) return undefined
  return { domain: domainIn(/ for ([^\s]{1,255})/.exec(subject)?.[1]) }
}

/** The type and the field that RFC 6591 asks for, in section 3.1: some leave one of them out. */
function isFailure(fields: HeaderFields): boolean {
  const type = fields.get('feedback-type')?.trim().toLowerCase() ?? ''
  return /^auth-failure\b/.test(type) || fields.get('auth-failure') !== undefined
}

function domainIn(text = ''): string | undefined {
  const domain = canonicalDomain(text.trim().slice(0, 255).toLowerCase().replace(/\.$/, ''))
  return isDomain(domain) ? domainToASCII(domain) : undefined
}
