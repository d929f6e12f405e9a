import { createHash } from 'node:crypto'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import * as v from 'valibot'
import { DMARC_POLICIES, type DmarcPolicy } from '../ports/store/domain-reports.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { isIPv4, isIPv6 } from '../values/ip-address.ts'
import type { DmarcReport, DmarcRow } from './report.ts'
import { rangeOf } from './report-range.ts'
import { isWithin } from './report-sources.ts'
import { unreadable } from './unreadable-report.ts'

/** How many records are read: the largest senders get reports of some ten thousand. */
const MAX_RECORDS = 100_000
const LONGEST = 255

/** An element that may be missing, or stand there empty. */
const Word = v.pipe(
  v.fallback(v.string(), ''),
  v.transform((text) => text.trim().slice(0, LONGEST).toWellFormed()),
)
const Lower = v.pipe(
  Word,
  v.transform((text) => text.toLowerCase()),
)

/** Elements of which there may be several; one that is empty is read as a text. */
function several<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(
    v.fallback(v.array(v.unknown()), []),
    v.transform((all) => all.filter((each) => typeof each === 'object')),
    v.array(schema),
  )
}

/** The domain of a result. Reports come from strangers, too: any other words there are left out, so that none are shown. */
const Domain = v.pipe(
  Lower,
  v.transform((text) => (NAME_OF_HOST.test(text) ? text : '')),
)
const NAME_OF_HOST = /^[\p{L}\p{M}\p{N}_.-]{1,253}$/u

const AuthResult = v.object({ domain: Domain, selector: Word, scope: Lower, result: Lower })

const Row = v.object({
  row: v.object({
    source_ip: Word,
    count: Word,
    policy_evaluated: v.fallback(
      v.object({ disposition: Lower, dkim: Lower, spf: Lower, reason: several(v.object({ type: Lower })) }),
      { disposition: '', dkim: '', spf: '', reason: [] },
    ),
  }),
  // the draft that some still send calls them `identities`
  identifiers: v.fallback(v.object({ header_from: Lower }), { header_from: '' }),
  auth_results: v.fallback(v.object({ dkim: several(AuthResult), spf: several(AuthResult) }), { dkim: [], spf: [] }),
})

const Feedback = v.object({
  feedback: v.object({
    report_metadata: v.object({
      org_name: Word,
      email: Word,
      report_id: Word,
      date_range: v.object({ begin: Word, end: Word }),
    }),
    policy_published: v.object({ domain: Word, p: Lower }),
    record: v.fallback(v.array(v.unknown()), []),
  }),
})

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  removeNSPrefix: true,
  isArray: (name, path) =>
    LISTS.has(name) && /^feedback\.record(\.|$)/.test(String(path)) && !EVALUATED.test(String(path)),
})
const LISTS = new Set(['record', 'dkim', 'spf', 'reason'])
/** Of the same name as results, but single words. */
const EVALUATED = /\.policy_evaluated\.(?:dkim|spf)$/

/**
 * Reads an aggregate report (RFC 9990; RFC 7489, appendix C). Reporters differ: words in capitals, empty or missing
 * elements, and names with unescaped characters are read as they are meant. Throws EngineError `VALIDATION_ERROR` on `file`.
 */
export function readDmarcXml(text: string): DmarcReport {
  // reports have none; what they would declare could unfold to any size (RFC 7489, section 12.5)
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw unreadable('is XML with a document type, which no report has')
  const read = v.safeParse(Feedback, parsed(text))
  if (!read.success) {
    if (/<(?:[\w.-]{1,40}:)?feedback[\s>]/.test(text) && !/feedback\s*>\s*$/.test(text.slice(-200))) throw cutOff()
    const place = read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? 'feedback'
    throw unreadable(`is no DMARC report: it has no <${place}>`)
  }
  const { report_metadata: about, policy_published: policy, record } = read.output.feedback
  const domain = canonicalDomain(policy.domain.toLowerCase().replace(/\.$/, ''))
  if (!isDomain(domain)) throw unreadable('is a DMARC report without a valid domain')
  if (record.length > MAX_RECORDS) throw unreadable(`has more than ${MAX_RECORDS} records`)
  const rows = record.flatMap((each) => rowOf(each, domain))
  if (rows.length === 0 && !record.every(countsNothing))
    throw unreadable('has no record with an address and a number of messages')
  return {
    kind: 'dmarc',
    reporter: about.org_name || about.email || 'unknown',
    // one without a number is known by its text
    reportId: about.report_id || createHash('sha256').update(text).digest('hex').slice(0, 16),
    domain,
    ...rangeOf(secondsOf(about.date_range.begin), secondsOf(about.date_range.end)),
    policy: policyOf(policy.p),
    rows,
  }
}

function cutOff() {
  return unreadable('is XML that is damaged or cut off')
}

/** Some wrap the report into the schema that describes it. */
function reportIn(text: string): string {
  const start = text.search(/<(?:[\w.-]{1,40}:)?feedback[\s>]/)
  const end = text.lastIndexOf('feedback>')
  return start < 0 || end < start ? text : text.slice(start, end + 'feedback>'.length)
}

function parsed(given: string): unknown {
  const text = reportIn(given)
  const isWhole = XMLValidator.validate(text) === true
  try {
    return parser.parse(isWhole ? text : escaped(text))
  } catch {
    throw cutOff()
  }
}

/** Escapes what some reporters write into texts as it came to them: `<bad@host>` as an address. */
function escaped(text: string): string {
  return text.replace(TEXTS, (_, name: string, value: string) => `<${name}>${value.replaceAll('<', '&lt;')}</${name}>`)
}

const TEXTS =
  /<(org_name|email|extra_contact_info|report_id|header_from|envelope_from|envelope_to|human_result|comment)>([^\n]{0,500}?)<\/\1>/g

/** A record that has no address or number of messages says nothing: it is left out. */
function rowOf(given: unknown, domain: string): readonly DmarcRow[] {
  const read = v.safeParse(Row, given)
  if (!read.success) return []
  const { row, identifiers, auth_results: results } = read.output
  const { policy_evaluated: evaluated } = row
  const messages = /^\d{1,15}$/.test(row.count) ? Number(row.count) : 0
  if (messages === 0 || !(isIPv4(row.source_ip) || isIPv6(row.source_ip))) return []
  const [headerFrom, dkim, spf] = [
    identifiers.header_from || domain,
    evaluated.dkim === 'pass',
    evaluated.spf === 'pass',
  ]
  const signature = decisive(results.dkim, dkim, headerFrom)
  // DMARC goes by the return path; some report on the greeting, too
  const byReturnPath = results.spf.filter(({ scope }) => scope !== 'helo')
  const path = decisive(byReturnPath.length > 0 ? byReturnPath : results.spf, spf, headerFrom, false)
  return [
    {
      ip: row.source_ip.toLowerCase(),
      messages,
      disposition: policyOf(evaluated.disposition),
      dkim,
      spf,
      reason: [...new Set(evaluated.reason.map(({ type }) => type).filter(Boolean))].slice(0, 3).join(' '),
      headerFrom,
      dkimDomain: signature?.domain ?? '',
      dkimSelector: signature?.selector ?? '',
      dkimResult: signature?.result || 'none',
      spfDomain: path?.domain ?? '',
      spfResult: path?.result || 'none',
    },
  ]
}

/** Whether a record is the place where others have one: some write it on a day without mail. */
function countsNothing(given: unknown): boolean {
  const read = v.safeParse(Row, given)
  return read.success && /^0?$/.test(read.output.row.count) && read.output.row.source_ip === ''
}

/**
 * The result that the verdict rests on: where it is a pass, that for the domain of the author, as a service that sends signs
 * for itself, too. Else one that passed, as it says who sent the message.
 */
function decisive<Result extends v.InferOutput<typeof AuthResult>>(
  results: readonly Result[],
  isAligned: boolean,
  headerFrom: string,
  anyPass = true,
): Result | undefined {
  const passed = results.filter(({ result }) => result === 'pass')
  const own = isAligned
    ? (passed.find(({ domain }) => domain === headerFrom) ?? passed.find(({ domain }) => isRelated(domain, headerFrom)))
    : undefined
  return own ?? (anyPass ? passed[0] : undefined) ?? results[0]
}

/** Whether one of them is the other, or below it. */
function isRelated(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a)
}

/** RFC 9990 writes `pass` where earlier reports have `none`. */
function policyOf(word: string): DmarcPolicy {
  return DMARC_POLICIES.find((policy) => policy === word) ?? 'none'
}

/** Seconds since 1970; some write milliseconds. */
function secondsOf(text: string): number {
  const number = /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  return number > 100_000_000_000 ? number / 1000 : number
}
