import { type HeaderFields, readMime } from '../bounces/parse/mime.ts'
import { decodeWords } from '../values/decoded-words.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { failureReportIn } from './failure-report.ts'
import { DEEPEST_MAIL } from './files-in-mail.ts'

/**
 * The domains that a message names as those it reports on, surest first: in a field (RFC 8460, section 5.3), in the names of
 * its files and in its subject (RFC 9990, section 3.5; RFC 8460, section 5.1), or as a failure report (RFC 6591). Empty for
 * what is no report. A report that was passed on as a whole mail is looked at, too. Any input takes bounded time.
 */
export function domainsInReport(raw: Uint8Array, depth = 1): readonly string[] {
  const message = readMime(raw)
  const { fields, parts } = message
  const passedOn = depth < DEEPEST_MAIL ? parts.filter(({ type }) => type === 'message/rfc822') : []
  const named = [
    ...fields.all('tls-report-domain'),
    ...[{ fields }, ...parts].flatMap((part) => fileName(part.fields) ?? []),
  ]
  const subject = decodeWords((fields.get('subject') ?? '').slice(0, 2000))
  const [, inSubject] = /(?:^|[\s\]:])report domain:\s{0,3}([^\s;]{1,255})/i.exec(subject) ?? []
  const found = [...named, inSubject ?? '', failureReportIn(message)?.domain ?? '']
  const domains = found.map((name) => canonicalDomain(name.trim().slice(0, 255).toLowerCase().replace(/\.$/, '')))
  const inside = passedOn.flatMap((part) => domainsInReport(part.bytes(), depth + 1))
  return [...new Set([...domains.filter(isDomain), ...inside])]
}

/**
 * The second part of a name such as `receiver.example!acme.example!1776643200!1776729599.xml.gz`, which may be written in
 * pieces, or encoded (RFC 2231, RFC 2047).
 */
function fileName(fields: HeaderFields): string | undefined {
  return ['content-disposition', 'content-type']
    .map((name) => decodeWords((fields.get(name) ?? '').slice(0, 2000)))
    .flatMap((said) => NAME.exec(unescaped(said.replace(NEXT_PIECE, '')))?.[1] ?? [])[0]
}

const NAME = /name(?:\*0)?\*?="?[^"!;\s]{1,255}!([^"!;\s]{1,255})!\d{1,15}!\d{1,15}/i
const NEXT_PIECE = /"?\s{0,10};\s{0,10}(?:file)?name\*[1-9]\d?\*?="?/gi

function unescaped(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
