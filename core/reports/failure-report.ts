import { domainToASCII } from 'node:url'
import { type HeaderFields, readFields, readMime } from '../bounces/parse/mime.ts'
import { canonicalDomain, domainOf, isDomain } from '../values/email-address.ts'

/** A report on one message that failed DMARC (RFC 6591): only that it came is of interest, as it holds the mail of others. */
export interface FailureReport {
  /** The domain it is about, in ASCII and lower case; undefined when it does not say. */
  readonly domain: string | undefined
}

/** The failure report in a message; undefined when it is another message. Any input takes bounded time. */
export function failureReportIn(raw: Uint8Array): FailureReport | undefined {
  const part = readMime(raw).parts.find(({ type }) => type === 'message/feedback-report')
  if (part === undefined) return undefined
  const fields = readFields(part.text())
  if (!isFailure(fields)) return undefined
  const from = fields.get('original-mail-from')?.replace(/[<>\s]/g, '') ?? ''
  return { domain: domainIn(fields.get('reported-domain')) ?? domainIn(domainOf(from)) }
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
