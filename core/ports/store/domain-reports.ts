import * as v from 'valibot'
import { named } from '../../values/described.ts'
import { count, id, json, list, moment, oneOf, optional, orNull, words } from '../../values/kind.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { INTERNAL, owned, type RecordOf, record } from '../../values/record.ts'

/** The policies of a domain (RFC 9989, section 4.7). */
export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

/** The kinds of report: on DMARC, and on the encryption of mail to the domain. */
export const REPORT_KINDS = ['dmarc', 'tls'] as const

/** Connections that failed for one reason. */
export const TlsFailure = named(
  'TlsFailure',
  v.object({
    type: v.string(),
    sessions: v.pipe(v.number(), v.integer(), v.minValue(0)),
    host: v.string(),
    detail: v.string(),
  }),
)
export interface TlsFailure extends v.InferOutput<typeof TlsFailure> {}

/** A receiver's report on a domain. The sources of a DMARC report are kept beside it. */
export const DomainReport = record('DomainReport', 'The report of a receiver of mail on a domain.', {
  ...owned('report'),
  domainId: [id, 'The sending domain here.', INTERNAL],
  kind: [oneOf(REPORT_KINDS), '`dmarc` (RFC 9990) or `tls` (RFC 8460).'],
  reporter: [words, 'Who made the report, in its own words.'],
  reportId: [words, 'The number that the reporter gave it.'],
  domain: [words, 'The domain that it is about: the sending domain, or one below it.'],
  begin: [moment, 'When the time begins that it covers (ISO 8601, UTC).'],
  end: [moment, 'When that time ends (ISO 8601, UTC).'],
  messages: [count, 'How many messages it counts; of a TLS report, how many connections.'],
  passed: [count, 'How many of them passed DMARC, or were encrypted as asked.'],
  stsSessions: [
    optional(count),
    'How many of the connections were judged by an MTA-STS policy. Absent in DMARC reports, and in those of earlier versions.',
  ],
  policy: [optional(oneOf(DMARC_POLICIES)), 'The DMARC policy that the reporter found. Absent in TLS reports.'],
  failures: [
    optional(list(json(TlsFailure), 0, 50)),
    'Why connections failed, as RFC 8460 calls it, with the mail exchanger. Absent in DMARC reports.',
  ],
  sender: [
    optional(words),
    'The domain whose mail brought it, if DMARC passed for it: others may have made it up. Absent for an uploaded one.',
  ],
  createdAt: [moment, 'When it came here (ISO 8601, UTC).'],
})
export interface DomainReport extends RecordOf<typeof DomainReport> {}

/** Messages of one source in a DMARC report that fared alike. */
export interface ReportSource {
  /** The id of the report here. */
  readonly domainReportId: string
  /** Its place in the report, from 0. */
  readonly number: number
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The sending domain here. */
  readonly domainId: string
  /** The day that the report begins, counted from 1970 in UTC. */
  readonly day: number
  /** The address that the messages came from. Empty for the rest of a report with very many sources. */
  readonly ip: string
  /** The domain of their author. */
  readonly headerFrom: string
  /** The domain of their signature; empty without one. */
  readonly dkimDomain: string
  /** The selector of that signature, as far as the reporter says. */
  readonly dkimSelector: string
  /** The result word of that signature (RFC 8601). */
  readonly dkimResult: string
  /** The domain that SPF was checked for; empty when it was not. */
  readonly spfDomain: string
  /** The result word of SPF. */
  readonly spfResult: string
  /** Why the policy was not followed, as words of the reporter with blanks between them. */
  readonly reason: string
  /** How many messages there were. */
  readonly messages: number
  /** How many of them a signature spoke for: all or none. */
  readonly byDkim: number
  /** How many of them SPF spoke for. */
  readonly bySpf: number
  /** How many of them passed DMARC, by one of both. */
  readonly passed: number
  /** How many the reporter put into spam. */
  readonly quarantined: number
  /** How many the reporter refused. */
  readonly rejected: number
}

/** Sums of the messages of a source over several reports. */
export interface SourceFigures
  extends Pick<ReportSource, 'ip' | 'dkimDomain' | 'dkimSelector' | 'spfDomain' | 'reason'>,
    Pick<ReportSource, 'messages' | 'byDkim' | 'bySpf' | 'passed' | 'quarantined' | 'rejected'> {}

/** The messages of a day, by a domain's reports. */
export interface ReportDay {
  /** Counted from 1970 in UTC. */
  readonly day: number
  /** How many messages the reports count that begin on it. */
  readonly messages: number
  /** How many of them passed DMARC. */
  readonly passed: number
}

/** How many failure reports (RFC 6591) on a domain came on a day: nothing else is kept of them. */
export interface FailureCount {
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The sending domain here. */
  readonly domainId: string
  /** The day that they came, counted from 1970 in UTC. */
  readonly day: number
  /** How many there were. */
  readonly reports: number
}

/** The receivers whose own figures can be uploaded: Google Postmaster Tools, Microsoft SNDS. */
export const FIGURE_RECEIVERS = ['google', 'microsoft'] as const
export type FigureReceiver = (typeof FIGURE_RECEIVERS)[number]

/** The figures that they show. */
export const RECEIVER_FIGURES = [
  ...['spamRate', 'domainReputation', 'ipReputation', 'feedbackLoop', 'spf', 'dkim', 'dmarc', 'tlsIn', 'tlsOut'],
  ...['deliveryErrors', 'compliance'],
  ...['filterResult', 'complaintRate', 'trapHits', 'recipients', 'messages', 'blocked'],
] as const

/** A figure that a receiver shows at its own pages, out of a file that was uploaded. */
export const ReceiverFigure = record('ReceiverFigure', 'A figure of a receiver, out of an uploaded file.', {
  ...owned('figure'),
  domainId: [id, 'The sending domain here.', INTERNAL],
  receiver: [oneOf(FIGURE_RECEIVERS), '`google` (Postmaster Tools) or `microsoft` (SNDS).'],
  figure: [oneOf(RECEIVER_FIGURES), 'What it says; docs/reports.md lists them.'],
  day: [words, 'The day, as the receiver counts days. Of a file without days, the day that it was uploaded.'],
  subject: [words, 'What it is about: an address, an identifier of a feedback loop, an error. Empty: all of the mail.'],
  value: [orNull(json(v.number())), 'The number: a percentage, or how many. null for a word.'],
  word: [orNull(words), 'The word of the receiver, such as `HIGH`, `GREEN` or `< 0.1%`. null for a plain number.'],
  createdAt: [moment, 'When the file was uploaded (ISO 8601, UTC).'],
})
export interface ReceiverFigure extends RecordOf<typeof ReceiverFigure> {}

export interface DomainReportRepository {
  /** Stores a report with its sources; false when the domain has one of this kind, reporter and number. */
  add(report: DomainReport, sources: readonly ReportSource[]): Promise<boolean>
  /** Up to `limit + 1` reports on the domain, newest first (by id). */
  page(projectId: ProjectId, domainId: string, page: PageRequest): Promise<readonly DomainReport[]>
  /** How many there are. */
  count(projectId: ProjectId, domainId: string): Promise<number>
  /** Up to `limit` TLS reports that begin since then, newest first. */
  tls(projectId: ProjectId, domainId: string, since: Date, limit: number): Promise<readonly DomainReport[]>
  /** The policy of the DMARC report that came last. */
  policy(projectId: ProjectId, domainId: string): Promise<DmarcPolicy | undefined>
  /** The messages of DMARC reports by day, oldest first; by the day that each report begins. */
  days(projectId: ProjectId, domainId: string, since: Date): Promise<readonly ReportDay[]>
  /** The sources of those reports, those with the most messages first. */
  sources(projectId: ProjectId, domainId: string, since: Date, limit: number): Promise<readonly SourceFigures[]>
  /** The domains on which reports came since then. */
  reportedSince(at: Date): Promise<readonly Pick<DomainReport, 'projectId' | 'domainId'>[]>
  /** Adds to the counts of failure reports. Other processes may wait for these rows, so do it last in a transaction. */
  countFailures(counts: readonly FailureCount[]): Promise<void>
  /** How many failure reports came by day, oldest first, from a day on. */
  failures(
    projectId: ProjectId,
    domainId: string,
    since: Date,
  ): Promise<readonly Pick<FailureCount, 'day' | 'reports'>[]>
  /** Stores figures of receivers. One that is there gets the new value: each counts once for its day and subject. */
  addFigures(figures: readonly ReceiverFigure[]): Promise<void>
  /** Up to `limit` of them from a day (`YYYY-MM-DD`) on, newest day first. */
  receiverFigures(
    projectId: ProjectId,
    domainId: string,
    since: string,
    limit: number,
  ): Promise<readonly ReceiverFigure[]>
  /** How many of them the domain has. */
  countFigures(projectId: ProjectId, domainId: string): Promise<number>
  /**
   * Removes up to `limit` reports on the domain with their sources, and then days of its failure reports, and figures of
   * receivers; answers how many of all. Fewer than `limit`: nothing is left.
   */
  removeOf(projectId: ProjectId, domainId: string, limit: number): Promise<number>
  /** The same for all reports that came before. */
  forget(before: Date, limit: number): Promise<number>
}
