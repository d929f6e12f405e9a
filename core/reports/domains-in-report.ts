import { readMime } from '../bounces/parse/mime.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { failureReportIn } from './failure-report.ts'

/**
 * The domains that a message names as those it reports on, surest first: in a field (RFC 8460, section 5.3), in the names of
 * its files and in its subject (RFC 9990, section 3.5; RFC 8460, section 5.1), or as a failure report (RFC 6591). Empty for
 * what is no report. Any input takes bounded time.
 */
export function domainsInReport(raw: Uint8Array): readonly string[] {
  const { fields, parts } = readMime(raw)
  const named = [
    ...fields.all('tls-report-domain'),
    ...[{ fields }, ...parts].flatMap((part) => fileName(part.fields) ?? []),
  ]
  const [, inSubject] = /^report domain:\s{0,3}([^\s;]{1,255})/i.exec(fields.get('subject')?.trim() ?? '') ?? []
  const found = [...named, inSubject ?? '', failureReportIn(raw)?.domain ?? '']
  const domains = found.map((name) => canonicalDomain(name.trim().slice(0, 255).toLowerCase().replace(/\.$/, '')))
  return [...new Set(domains.filter(isDomain))]
}

/** The second part of a name such as `receiver.example!acme.example!1776643200!1776729599.xml.gz`. */
function fileName(fields: ReturnType<typeof readMime>['fields']): string | undefined {
  const said = `${fields.get('content-disposition') ?? ''};${fields.get('content-type') ?? ''}`
  return /name\*?="?[^"!;\s]{1,255}!([^"!;\s]{1,255})!\d{1,15}!\d{1,15}/i.exec(said.slice(0, 2000))?.[1]
}
