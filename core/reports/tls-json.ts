import * as v from 'valibot'
import type { TlsFailure } from '../ports/store/domain-reports.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import type { TlsReport } from './report.ts'
import { rangeOf } from './report-range.ts'
import { unreadable } from './unreadable-report.ts'

/** How many kinds of failure are kept of one report, those with the most connections. */
const MAX_FAILURES = 50

const Word = v.pipe(
  v.fallback(v.string(), ''),
  v.transform((text) => text.replaceAll('\0', '').slice(0, 255).toWellFormed()),
)
/** A number of connections; left out, it is 0. Another value would make wrong figures, so the report is refused. */
const Sessions = v.nullish(
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,13}$/), v.transform(Number))]),
    v.integer(),
    v.minValue(0),
    v.maxValue(1_000_000_000_000),
  ),
  0,
)
/** A part that some reporters leave out, or write in another shape. */
const leftOut = <Shape extends v.GenericSchema>(isThere: (value: unknown) => boolean, none: unknown, schema: Shape) =>
  v.pipe(
    v.optional(v.unknown(), null),
    v.transform((value) => (isThere(value) ? value : none)),
    schema,
  )
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const Failure = v.object({
  'result-type': Word,
  'receiving-mx-hostname': Word,
  'failure-reason-code': Word,
  'additional-information': Word,
  'failed-session-count': Sessions,
})
const Policy = v.object({
  policy: v.object({ 'policy-type': v.optional(Word, ''), 'policy-domain': Word }),
  summary: leftOut(
    isObject,
    {},
    v.object({ 'total-successful-session-count': Sessions, 'total-failure-session-count': Sessions }),
  ),
  'failure-details': leftOut(Array.isArray, [], v.array(Failure)),
})
const Report = v.object({
  'organization-name': Word,
  'report-id': Word,
  'date-range': v.object({ 'start-datetime': v.string(), 'end-datetime': v.string() }),
  policies: v.array(Policy),
})

/**
 * Reads a report on TLS (RFC 8460, section 4). The policies of one domain are added up: DANE and MTA-STS may be
 * reported one beside the other. Throws EngineError `VALIDATION_ERROR` on `file`.
 */
export function readTlsJson(text: string): TlsReport {
  const read = v.safeParse(Report, jsonOf(text))
  if (!read.success) {
    const place = read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? 'policies'
    const isCount = place.endsWith('-session-count')
    const why = isCount ? 'is no number of connections: a whole number, 0 or more' : 'is missing or wrong'
    throw unreadable(`is no TLS report: its ${place} ${why}`)
  }
  const { 'date-range': range, policies, ...about } = read.output
  const domain = domainOf(policies[0])
  if (!isDomain(domain)) throw unreadable('is a TLS report without a valid domain')
  const own = policies.filter((policy) => domainOf(policy) === domain)
  const named = own.flatMap((policy) => policy['failure-details'].map(failureOf))
  const failed = own.reduce((sum, { summary }) => sum + summary['total-failure-session-count'], 0)
  const explained = named.reduce((sum, { sessions }) => sum + sessions, 0)
  const rest = { type: 'validation-failure', sessions: failed - explained, host: '', detail: '' }
  return {
    kind: 'tls',
    reporter: about['organization-name'] || 'unknown',
    reportId: about['report-id'],
    domain,
    ...rangeOf(secondsOf(range['start-datetime']), secondsOf(range['end-datetime'])),
    successes: own.reduce((sum, { summary }) => sum + summary['total-successful-session-count'], 0),
    failed: Math.max(failed, explained),
    stsSessions: own
      .filter(({ policy }) => policy['policy-type'].toLowerCase() === 'sts')
      .reduce((sum, { summary }) => sum + sessionsOf(summary), 0),
    failures: [...named, ...(rest.sessions > 0 ? [rest] : [])]
      .filter(({ sessions }) => sessions > 0)
      .toSorted((a, b) => b.sessions - a.sessions)
      .slice(0, MAX_FAILURES),
  }
}

function domainOf(policy: v.InferOutput<typeof Policy> | undefined): string {
  return canonicalDomain((policy?.policy['policy-domain'] ?? '').toLowerCase().replace(/\.$/, ''))
}

function sessionsOf(summary: v.InferOutput<typeof Policy>['summary']): number {
  return summary['total-successful-session-count'] + summary['total-failure-session-count']
}

/** Of a date and time as in RFC 3339. */
function secondsOf(text: string): number {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) / 1000 : Number.NaN
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw unreadable('is JSON that is damaged or cut off')
  }
}

function failureOf(given: v.InferOutput<typeof Failure>): TlsFailure {
  return {
    type: given['result-type'] || 'validation-failure',
    sessions: given['failed-session-count'],
    host: given['receiving-mx-hostname'].toLowerCase(),
    detail: given['failure-reason-code'] || given['additional-information'],
  }
}
