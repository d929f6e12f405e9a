import type { DmarcPolicy, ReportSource, TlsFailure } from '../ports/store/domain-reports.ts'

/** The facts that every report has, of whichever kind. */
interface ReportFacts {
  /** Who made it: the name of an organisation, in its own words. */
  readonly reporter: string
  /** Its number, given by the reporter: with it the same report is known when it comes again. */
  readonly reportId: string
  /** The domain it is about, in ASCII and lower case. */
  readonly domain: string
  /** The time that it covers. */
  readonly begin: Date
  readonly end: Date
}

/** An aggregate report on mail that named a domain as its author (RFC 9990, before it RFC 7489). */
export interface DmarcReport extends ReportFacts {
  readonly kind: 'dmarc'
  /** The policy that the reporter found. */
  readonly policy: DmarcPolicy
  readonly rows: readonly DmarcRow[]
}

/** Messages of one source that fared alike. */
export interface DmarcRow
  extends Pick<
    ReportSource,
    | 'ip'
    | 'messages'
    | 'headerFrom'
    | 'dkimDomain'
    | 'dkimSelector'
    | 'dkimResult'
    | 'spfDomain'
    | 'spfResult'
    | 'reason'
  > {
  /** The fate that the reporter gave them. */
  readonly disposition: DmarcPolicy
  /** Whether a signature, or SPF, spoke for the domain of the author. */
  readonly dkim: boolean
  readonly spf: boolean
}

/** A report on the encryption of mail to a domain (RFC 8460). */
export interface TlsReport extends ReportFacts {
  readonly kind: 'tls'
  readonly successes: number
  /** How many connections failed, with those whose reason is not kept. */
  readonly failed: number
  /** How many connections were judged by an MTA-STS policy. */
  readonly stsSessions: number
  readonly failures: readonly TlsFailure[]
}

/** A report on a domain, as it was read. */
export type ReceivedReport = DmarcReport | TlsReport

/** A question to the thread that reads reports: the bytes of a file. */
export interface ReportQuestion {
  readonly bytes: Uint8Array
}
