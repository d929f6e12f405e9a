import type { DomainReport, ReportSource } from '../ports/store/domain-reports.ts'
import type { DmarcReport, DmarcRow, ReceivedReport } from './report.ts'
import { isWithin } from './report-sources.ts'
import { unreadable } from './unreadable-report.ts'

const DAY_MS = 86_400_000
/** How many sources are kept of a report, those with the most messages; the rest is added up. */
const MAX_SOURCES = 2_000
const MOST_MESSAGES = 2_000_000_000

/** The records of a report. */
export interface StoredReport {
  readonly report: DomainReport
  readonly sources: readonly ReportSource[]
}

/**
 * A report as it is stored for a sending domain; undefined when none of it is about that. Throws EngineError
 * `VALIDATION_ERROR` on `file` when it cannot be true. A report on the organisation
 * above counts for its messages from the domain.
 */
export function storedReport(
  read: ReceivedReport,
  domain: string,
  about: Pick<DomainReport, 'id' | 'projectId' | 'domainId' | 'createdAt'> & Pick<DomainReport, 'sender'>,
): StoredReport | undefined {
  const { kind, reporter, reportId, begin, end } = read
  if (begin.getTime() > about.createdAt.getTime() + 2 * DAY_MS)
    throw unreadable('is a report on a time that is to come')
  const isAbout = isWithin(read.domain, domain)
  const facts = { ...about, kind, reporter, reportId, domain: read.domain, begin, end }
  if (read.kind === 'tls') {
    if (!isAbout) return undefined
    const messages = possible(read.successes + read.failed)
    const stsSessions = possible(read.stsSessions)
    const report = { ...facts, messages, passed: read.successes, stsSessions, failures: read.failures }
    return { report, sources: [] }
  }
  const isBelow = isWithin(domain, read.domain)
  if (!isAbout && !isBelow) return undefined
  const rows = isAbout ? read.rows : read.rows.filter(({ headerFrom }) => isWithin(headerFrom, domain))
  if (rows.length === 0 && !isAbout) return undefined
  const sources = sourcesOf(rows, read, about)
  const sum = (of: (source: ReportSource) => number) => sources.reduce((total, source) => total + of(source), 0)
  const messages = possible(sum(({ messages }) => messages))
  return { report: { ...facts, messages, passed: sum(({ passed }) => passed), policy: read.policy }, sources }
}

/** A store counts up to two thousand million; no receiver sees as much of a domain in a day. */
function possible(messages: number): number {
  if (messages > MOST_MESSAGES) throw unreadable('counts more than a receiver can have seen')
  return messages
}

function sourcesOf(
  rows: readonly DmarcRow[],
  { begin }: DmarcReport,
  { id: domainReportId, projectId, domainId }: Pick<DomainReport, 'id' | 'projectId' | 'domainId'>,
): readonly ReportSource[] {
  const sources = new Map<string, Omit<ReportSource, 'number'>>()
  const day = Math.floor(begin.getTime() / DAY_MS)
  const largest = rows.toSorted((a, b) => b.messages - a.messages)
  for (const row of largest) {
    const { messages, disposition, dkim, spf, ...who } = row
    const named = sources.size < MAX_SOURCES ? who : { ...who, ...REST }
    const key = JSON.stringify(named)
    const before = sources.get(key) ?? { domainReportId, projectId, domainId, day, ...named, ...NOTHING }
    sources.set(key, {
      ...before,
      messages: before.messages + messages,
      byDkim: before.byDkim + (dkim ? messages : 0),
      bySpf: before.bySpf + (spf ? messages : 0),
      passed: before.passed + (dkim || spf ? messages : 0),
      quarantined: before.quarantined + (disposition === 'quarantine' ? messages : 0),
      rejected: before.rejected + (disposition === 'reject' ? messages : 0),
    })
  }
  return [...sources.values()].map((source, number) => ({ ...source, number }))
}

const NOTHING = { messages: 0, byDkim: 0, bySpf: 0, passed: 0, quarantined: 0, rejected: 0 }
/** Who sent the rest of a very long report is not told apart. */
const REST = {
  ip: '',
  headerFrom: '',
  dkimDomain: '',
  dkimSelector: '',
  dkimResult: '',
  spfDomain: '',
  spfResult: '',
  reason: '',
}
