import { readMime } from '../bounces/parse/mime.ts'

/** How deep a mail may lie in others: passed on, and passed on once more. */
export const DEEPEST_MAIL = 3

/** The author of a received mail, its text and its files. */
export interface ArrivedParts {
  readonly from: string
  readonly text: string
  readonly attachments: readonly ArrivedFile[]
}

export interface ArrivedFile {
  readonly filename: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/**
 * The files of a mail that are reports by what they are called: by reporter, domain and time (RFC 9990, section 3.5.2; RFC
 * 8460, section 5.1), or by their type. With `isForReports`, at an address for reports alone, also those that are called
 * otherwise or not at all, stand in the text, or come in a mail that was passed on.
 */
export function reportFiles({ attachments, text }: ArrivedParts, isForReports: boolean): readonly ArrivedFile[] {
  const files = attachments.filter(
    ({ filename, contentType, bytes }) =>
      /^[^!]{1,255}![^!]{1,255}!\d{1,15}!\d{1,15}/.test(filename) ||
      TYPES.test(contentType) ||
      (isForReports && (contentType === 'message/rfc822' || looksLikeReport(bytes))),
  )
  const inText = isForReports && files.length === 0 ? reportInText(text) : undefined
  return inText === undefined
    ? files
    : [{ filename: 'text', contentType: 'text/plain', bytes: new TextEncoder().encode(inText) }]
}

const TYPES = /^application\/tlsrpt\+(?:gzip|json)/

/** The reports in a whole mail: as files, as its text, or in a mail inside. */
export function reportsInMail(raw: Uint8Array, depth = 1): readonly Uint8Array[] {
  return readMime(raw).parts.flatMap((part) => {
    const bytes = part.bytes()
    if (part.type === 'message/rfc822') return depth < DEEPEST_MAIL ? reportsInMail(bytes, depth + 1) : []
    return looksLikeReport(bytes) ? [bytes] : []
  })
}

/** Whether it is packed, or begins as a report of either kind does. */
function looksLikeReport(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  return /^(?:\x1f\x8b|PK\x03\x04)/.test(start) || reportInText(start.replaceAll('\0', '')) !== undefined
}

/** The report in a text, without a greeting before it; undefined without one. */
function reportInText(text: string): string | undefined {
  const start = text.search(/<(?:[\w.-]{1,40}:)?feedback[\s>]/)
  if (start >= 0) return text.slice(start)
  return /^\s*\{/.test(text.slice(0, 1000)) && /"(?:policies|organization-name)"\s*:/.test(text.slice(0, 4096))
    ? text
    : undefined
}
