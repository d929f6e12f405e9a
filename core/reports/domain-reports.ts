import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { readMime } from '../bounces/parse/mime.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { DmarcPolicy, DomainReport, TlsFailure } from '../ports/store/domain-reports.ts'
import type { SenderDomain } from '../ports/store/domains.ts'
import type { Claim, WaitingMessage } from '../ports/store/inbound.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { advised } from '../values/advice.ts'
import { domainOf } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest, wholeNumber } from '../values/page.ts'
import { parse, say } from '../values/parse.ts'
import { pause } from '../values/pause.ts'
import { shownId } from '../values/shown-id.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { removeAll } from '../work/rest.ts'
import { Thread, ThreadOverrun } from '../work/thread.ts'
import { failureReportIn } from './failure-report.ts'
import { type ArrivedParts, reportFiles } from './files-in-mail.ts'
import {
  type AddedFigures,
  figuresOf,
  MAX_FIGURES_BYTES,
  type ReceiverFigures,
  storeFigures,
  UploadFigures,
  type UploadFiguresInput,
} from './receiver-figures.ts'
import type { FiguresQuestion, ReadFigures, ReceivedReport, ReportQuestion } from './report.ts'
import { isForReports, reportedDomain } from './report-address.ts'
import { judgeReports } from './report-advice.ts'
import { isWithin, type ReportedSource, sendersIn } from './report-sources.ts'
import { storedReport } from './stored-report.ts'
import { judgeStsReports, STS_DAYS } from './sts-advice.ts'
import { unreadable } from './unreadable-report.ts'

const DAY_MS = 86_400_000
/** How long reports are kept. */
const KEPT_DAYS = 400
/** How large the file of a report may be, as it comes. */
const MAX_REPORT_BYTES = 10 * 1024 * 1024
/** How long reading a report may take, in milliseconds, and how many megabytes of memory. */
const PATIENCE_MS = 10_000
const MEMORY_MB = 512
/** How many sources and TLS reports a summary looks at, and how much of them it shows. */
const MOST = { sources: 5_000, tls: 400 }
const SHOWN = { senders: 200, failures: 50 }

/** How many files of a message are looked at. */
const MAX_FILES = 2
/**
 * While the reports of so many messages are read, another waits for so long, in milliseconds, and then comes again later:
 * each file may take as long as it is allowed to, and other mail must not wait for that.
 */
const MAX_ARRIVING = 15
const WAIT_MS = 2_000
const LOOK_MS = 25

/** The facts of a received message that say whose it is. */
type Arrived = Pick<WaitingMessage, 'id' | 'projectId' | 'recipients'>

/** The same of one that may be a failure report, with its bytes. */
type FailedMessage = Pick<WaitingMessage, 'projectId' | 'recipients' | 'raw'>

export const UploadReport = v.object({
  /** A report as it came: XML or JSON, or packed as gzip or zip. */
  file: v.instance(Uint8Array, say('invalid_type', 'must be one file, with a file name')),
})

/** A report to add. */
export interface UploadReportInput extends InputOf<typeof UploadReport> {}

export const ReportsQuery = v.object({
  /** Over how many days: 1 to 400, by default 30. */
  days: v.optional(wholeNumber(1, KEPT_DAYS), 30),
})

/** The time of a summary. */
export interface ReportsInput extends InputOf<typeof ReportsQuery> {}

/** The reports of receivers on a domain, put together. */
export interface ReportSummary {
  /** From when on. */
  readonly since: Date
  /** The DMARC policy that was reported last; null before the first report. */
  readonly policy: DmarcPolicy | null
  /** How many messages named the domain as their author. */
  readonly messages: number
  /** How many of them passed DMARC. */
  readonly passed: number
  /** The same by day, as `YYYY-MM-DD`, oldest first; days without reports are left out. */
  readonly days: readonly { readonly day: string; readonly messages: number; readonly passed: number }[]
  /** How many failure reports (RFC 6591) came; nothing else of them is kept. */
  readonly failureReports: number
  /** The same by the day that they came, oldest first. */
  readonly failureDays: readonly { readonly day: string; readonly reports: number }[]
  /** Who sent them, most messages first. */
  readonly senders: readonly ReportedSource[]
  /** How many messages of senders that are yours would be lost with a strict policy. */
  readonly atRisk: number
  /** The advice in English. */
  readonly advice: string
  /** Its sentences as codes. */
  readonly adviceCodes: ReturnType<typeof advised>['adviceCodes']
  /** Connections to the domain's mail exchangers. */
  readonly tls: {
    readonly sessions: number
    readonly failed: number
    /** The reasons, most connections first. */
    readonly failures: readonly TlsFailure[]
    /** Whether the MTA-STS policy of the domain may be enforced, by the reports of the last 14 days. */
    readonly advice: string
    /** Its sentences as codes. */
    readonly adviceCodes: ReturnType<typeof advised>['adviceCodes']
  }
}

/** The reports of receivers on the domains of a project: who sends in their name, and whether mail to them is encrypted. */
@injectable()
export class DomainReports {
  readonly #thread = new Thread<ReportQuestion | FiguresQuestion>({
    file: new URL('./report-thread.ts', import.meta.url),
    name: 'mailwright-reports',
    patience: PATIENCE_MS,
    memory: MEMORY_MB,
  })

  /** How many received messages have reports that are being read. */
  #arriving = 0

  /** Uploads of a project are read one by one, so that many of them do not hold up another's. */
  readonly #uploads = new ProjectLanes(1)

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Adds a report that came elsewhere: `{ file }` with its bytes. Throws EngineError `VALIDATION_ERROR` on `file` when it
   * is none or about another domain, `CONFLICT` when it is here already, `DOMAIN_NOT_FOUND`, `PROJECT_DISABLED`,
   * `PAYLOAD_TOO_LARGE`.
   */
  async add(project: Project, id: string, input: UploadReportInput | UntrustedInput): Promise<DomainReport> {
    requireEnabled(project)
    const { file } = parse(UploadReport, input)
    const row = await this.#domain(project, id)
    if (file.length > MAX_REPORT_BYTES)
      throw new EngineError('PAYLOAD_TOO_LARGE', 'A report may have 10 MB as it comes.')
    const read = await this.#uploads.run(project.id, () => this.#read(file, true))
    const made = this.#stored(read, row, {})
    if (made === undefined) throw unreadable(`is a report on ${read.domain}, and says nothing of ${row.domain}`)
    const isNew = await this.store.domainReports.add(made.report, made.sources)
    if (!isNew) {
      const { reporter, reportId } = read
      throw new EngineError('CONFLICT', `The report ${reportId} by ${reporter} on ${read.domain} is here already.`)
    }
    return made.report
  }

  /**
   * Adds the figures in a file of Google Postmaster Tools or Microsoft SNDS: `{ file, numbers }`. Throws EngineError
   * `VALIDATION_ERROR` on `file` when it is none, and on `numbers` when that must be given, `CONFLICT` when the domain has
   * too many, `DOMAIN_NOT_FOUND`, `PROJECT_DISABLED`, `PAYLOAD_TOO_LARGE`.
   */
  async addFigures(project: Project, id: string, input: UploadFiguresInput | UntrustedInput): Promise<AddedFigures> {
    requireEnabled(project)
    const { file, numbers } = parse(UploadFigures, input)
    const row = await this.#domain(project, id)
    if (file.length > MAX_FIGURES_BYTES)
      throw new EngineError('PAYLOAD_TOO_LARGE', 'A file with figures of a receiver may have 1 MB.')
    const today = this.kit.now().toISOString().slice(0, 10)
    const question = { bytes: file, numbers, today }
    const read = (await this.#uploads.run(project.id, () => this.#ask(question, true))) as ReadFigures
    return storeFigures(read, row, { store: this.store, kit: this.kit })
  }

  /**
   * The figures of receivers of the last days out of such files, beside those of this server. Throws EngineError
   * `DOMAIN_NOT_FOUND`, `VALIDATION_ERROR`.
   */
  async figures(project: Project, id: string, input: ReportsInput | UntrustedInput = {}): Promise<ReceiverFigures> {
    const { days } = parse(ReportsQuery, input)
    return figuresOf(await this.#domain(project, id), days, { store: this.store, kit: this.kit })
  }

  /**
   * Reads the reports in a received message, for the domains of its project that they are about. True: they are stored, it
   * was sent to an address for reports alone, and nothing else is to become of it. Whatever cannot be read stays a mail.
   * Rejects while too many others wait to be read, unless it is the `last` try: then it stays a mail.
   */
  async arrived(
    message: Arrived,
    parsed: ArrivedParts,
    { dmarc, last }: { readonly dmarc: string; readonly last: boolean },
  ): Promise<boolean> {
    const isForReports = this.#isForReports(message.recipients)
    const files = reportFiles(parsed, isForReports)
    if (files.length === 0) return false
    if (!(await this.#enters())) {
      if (!last) throw new Error('too many reports wait to be read')
      this.kit.log.warn('too many reports wait to be read: one stays a mail', { message: message.id })
      return false
    }
    try {
      const stored = await this.#storedFiles(message, files, dmarc === 'pass' ? { sender: domainOf(parsed.from) } : {})
      // what was not looked at stays a mail, too
      return stored === files.length && isForReports
    } finally {
      this.#arriving--
    }
  }

  /**
   * Counts a failure report (RFC 6591) for the domains of its project that it is about, and removes the message that
   * waits, in one commit: it quotes the mail of others, so nothing else is kept. False: it is none, or was sent to
   * other addresses, too.
   */
  async failed({ message, ...claim }: Claim & { readonly message: FailedMessage }): Promise<boolean> {
    const { projectId, recipients, raw } = message
    if (!this.#isForReports(recipients)) return false
    const report = failureReportIn(readMime(raw))
    if (report === undefined) return false
    const [address = ''] = recipients
    const about = report.domain ?? domainToASCII(reportedDomain(address) ?? domainOf(address))
    const rows = (await this.store.domains.all(projectId)).filter(({ domain }) =>
      isWithin(about, domainToASCII(domain)),
    )
    if (rows.length === 0) this.kit.log.info('a failure report is on no domain of the project', { domain: about })
    const day = Math.floor(this.kit.now().getTime() / DAY_MS)
    const counts = rows.map(({ id: domainId }) => ({ projectId, domainId, day, reports: 1 }))
    await this.store.transaction(async (tx) => {
      const removed = await tx.inbound.remove([claim])
      if (removed.size > 0 && counts.length > 0) await tx.domainReports.countFailures(counts)
    })
    return true
  }

  /** The reports on a domain, newest first. Throws EngineError `DOMAIN_NOT_FOUND`, `BAD_REQUEST`, `VALIDATION_ERROR`. */
  async list(project: Project, id: string, input: CursorInput | UntrustedInput = {}): Promise<Page<DomainReport>> {
    const query = parse(CursorQuery, input)
    const { id: domainId } = await this.#domain(project, id)
    const list = { projectId: project.id, name: `reports ${domainId}` }
    const asked = pageRequest(list, query)
    const rows = await this.store.domainReports.page(project.id, domainId, asked)
    const total = asked.after ? 0 : await this.store.domainReports.count(project.id, domainId)
    return pageOf(list, rows, asked.limit, total, (row) => ({ value: '', id: row.id }))
  }

  /** The reports of the last days, put together. Throws EngineError `DOMAIN_NOT_FOUND`, `VALIDATION_ERROR`. */
  async summary(project: Project, id: string, input: ReportsInput | UntrustedInput = {}): Promise<ReportSummary> {
    const { days } = parse(ReportsQuery, input)
    const row = await this.#domain(project, id)
    const { domainReports } = this.store
    const since = new Date(Math.floor(this.kit.now().getTime() / DAY_MS - days) * DAY_MS)
    const byDay = await domainReports.days(project.id, id, since)
    const figures = await domainReports.sources(project.id, id, since, MOST.sources)
    const policy = await domainReports.policy(project.id, id)
    const tls = await domainReports.tls(project.id, id, since, MOST.tls)
    const failures = await domainReports.failures(project.id, id, since)
    const domain = domainToASCII(row.domain)
    const selectors = new Set(row.keys.map(({ selector }) => selector))
    const senders = sendersIn(figures, { domain, selectors })
    const atRisk = senders
      .filter(({ kind }) => kind !== 'unknown' && kind !== 'forwarder')
      .reduce((sum, { messages, passed }) => sum + messages - passed, 0)
    return {
      since,
      policy: policy ?? null,
      messages: byDay.reduce((sum, { messages }) => sum + messages, 0),
      passed: byDay.reduce((sum, { passed }) => sum + passed, 0),
      days: byDay.map(({ day, ...counts }) => ({ day: dateOf(day), ...counts })),
      failureReports: failures.reduce((sum, { reports }) => sum + reports, 0),
      failureDays: failures.map(({ day, reports }) => ({ day: dateOf(day), reports })),
      senders: senders.slice(0, SHOWN.senders),
      atRisk,
      ...advised(...judgeReports({ domain: row.domain, days: byDay.length, policy, senders })),
      tls: { ...tlsOf(tls), ...advised(await this.#judgedSts(row, domain)) },
    }
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const before = () => new Date(this.kit.now().getTime() - KEPT_DAYS * DAY_MS)
    const forget = (most: number) => this.store.domainReports.forget(before(), most)
    return [{ name: 'forget reports on domains', cron: '41 3 * * *', run: (signal) => removeAll(forget, signal) }]
  }

  /** Removes the reports on a domain that is gone. What a crash leaves goes with its age. */
  forgetDomain(projectId: Project['id'], domainId: string): Promise<void> {
    const remove = (most: number) => this.store.domainReports.removeOf(projectId, domainId, most)
    return removeAll(remove, new AbortController().signal)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #judgedSts({ projectId, id, sts, findings }: SenderDomain, domain: string) {
    const since = new Date(Math.floor(this.kit.now().getTime() / DAY_MS - STS_DAYS) * DAY_MS)
    const reports = await this.store.domainReports.tls(projectId, id, since, MOST.tls)
    const records = [`TXT _mta-sts.${domain}`, `CNAME mta-sts.${domain}`]
    const isInPlace = records.every((record) => findings[record]?.state === 'found')
    return judgeStsReports({ domain, policy: sts, isInPlace, reports })
  }

  #isForReports(recipients: readonly string[]): boolean {
    return recipients.length > 0 && recipients.every((address) => isForReports(address, this.kit.settings))
  }

  /** Stores the reports in the files of a message. Answers how many files were reports on domains of its project. */
  async #storedFiles(
    { id, projectId }: Arrived,
    files: ReturnType<typeof reportFiles>,
    sender: Pick<DomainReport, 'sender'>,
  ): Promise<number> {
    const rows = await this.store.domains.all(projectId)
    let stored = 0
    for (const { bytes, filename } of files.slice(0, MAX_FILES)) {
      try {
        const read = await this.#read(bytes)
        const found = rows.flatMap((row) => this.#stored(read, row, sender) ?? [])
        if (found.length === 0) throw unreadable(`is a report on ${read.domain}, which is no domain of the project`)
        for (const { report, sources } of found) await this.store.domainReports.add(report, sources)
        stored++
      } catch (error) {
        if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
        this.kit.log.info('a received file looks like a report, but is none', { message: id, filename, error })
      }
    }
    return stored
  }

  /** Takes a place among the messages whose reports are read. False: all were taken for too long. */
  async #enters(): Promise<boolean> {
    for (let waited = 0; this.#arriving >= MAX_ARRIVING; waited += LOOK_MS) {
      if (waited >= WAIT_MS) return false
      await pause(LOOK_MS)
    }
    this.#arriving++
    return true
  }

  /** `urgent`: a caller waits for it. */
  async #read(bytes: Uint8Array, urgent = false): Promise<ReceivedReport> {
    return (await this.#ask({ bytes }, urgent)) as ReceivedReport
  }

  async #ask(question: ReportQuestion | FiguresQuestion, urgent: boolean): Promise<unknown> {
    try {
      return await this.#thread.ask(question, { urgent })
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      throw unreadable('takes too long, or too much memory, to read')
    }
  }

  #stored(read: ReceivedReport, row: SenderDomain, from: Pick<DomainReport, 'sender'>) {
    const { id: domainId, projectId } = row
    const about = { id: this.kit.newId(), projectId, domainId, createdAt: this.kit.now(), ...from }
    return storedReport(read, domainToASCII(row.domain), about)
  }

  async #domain(project: Project, id: string): Promise<SenderDomain> {
    const row = isId(id) ? await this.store.domains.find(project.id, id) : undefined
    if (row === undefined) throw new EngineError('DOMAIN_NOT_FOUND', `There is no domain ${shownId(id)}.`)
    return row
  }
}

/** Days in UTC, counted from 1970, as `YYYY-MM-DD`. */
function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

function tlsOf(reports: readonly DomainReport[]): Omit<ReportSummary['tls'], 'advice' | 'adviceCodes'> {
  const reasons = new Map<string, TlsFailure>()
  for (const failure of reports.flatMap(({ failures = [] }) => failures)) {
    const key = JSON.stringify([failure.type, failure.host, failure.detail])
    reasons.set(key, { ...failure, sessions: (reasons.get(key)?.sessions ?? 0) + failure.sessions })
  }
  const sessions = reports.reduce((sum, { messages }) => sum + messages, 0)
  return {
    sessions,
    failed: sessions - reports.reduce((sum, { passed }) => sum + passed, 0),
    failures: [...reasons.values()].toSorted((a, b) => b.sessions - a.sessions).slice(0, SHOWN.failures),
  }
}
