import type {
  DmarcPolicy,
  FigureReceiver,
  ReceiverFigure,
  ReportSource,
  TlsFailure,
} from '../ports/store/domain-reports.ts'

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

/** The meaning of numbers without a percent sign, in a file where only a person can say it. */
export const FIGURE_NUMBERS = ['percent', 'fraction'] as const
export type FigureNumbers = (typeof FIGURE_NUMBERS)[number]

/** A figure out of a file; `value` or `word`, or both. */
export interface ReadFigure extends Pick<ReceiverFigure, 'figure' | 'day' | 'subject'> {
  readonly value?: number
  readonly word?: string
}

/** A file of a receiver, as it was read. */
export interface ReadFigures {
  readonly receiver: FigureReceiver
  readonly figures: readonly ReadFigure[]
  /** The names of columns that are not known here. */
  readonly ignored: readonly string[]
}

/** A row of a file that is not blank, and its number in it. */
export interface CsvLine {
  readonly row: number
  readonly cells: readonly string[]
}

/** A question to the thread that reads reports: the bytes of a file. */
export interface ReportQuestion {
  readonly bytes: Uint8Array
}

/** A question to it about a file with figures of a receiver; `today` as `YYYY-MM-DD`. */
export interface FiguresQuestion extends ReportQuestion {
  readonly today: string
  readonly numbers: FigureNumbers | undefined
}
