/* SQL by hand: sums over the sources of very many reports, which the database makes. */
import type {
  DmarcPolicy,
  DomainReport,
  DomainReportRepository,
  FailureCount,
  ReceiverFigure,
  ReportDay,
  ReportSource,
  SourceFigures,
} from '../../../../../core/ports/store/domain-reports.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows, type Where } from '../../engine/rows.ts'
import { dayOf } from './counted.ts'

const OF_DOMAIN = 'where "domain_id" = ? and "day" >= ? and "project_id" = ?'
const GROUP = '"ip", "dkim_domain", "dkim_selector", "spf_domain", "reason"'
const SUMS = `sum("messages") as "messages", sum("by_dkim") as "by_dkim", sum("by_spf") as "by_spf",
  sum("passed") as "passed", sum("quarantined") as "quarantined", sum("rejected") as "rejected"`
const ADD_FAILURES = `on conflict ("domain_id", "day") do update set
  "reports" = "failure_counts"."reports" + excluded."reports"`

/** A figure that comes again may have changed since. */
const RENEWED = { on: ['domainId', 'receiver', 'figure', 'day', 'subject'], keep: ['id'], within: 'projectId' } as const

/** Reports of receivers on domains. */
export class SqlDomainReports extends Repository implements DomainReportRepository {
  readonly #reports = new Rows(this.access, this.tables.domainReports)
  readonly #figures = new Rows(this.access, this.tables.receiverFigures)

  async add(report: DomainReport, sources: readonly ReportSource[]): Promise<boolean> {
    return this.access.write(async (session) => {
      const isNew = await this.#reports.in(session).add(report)
      if (isNew) await this.tables.reportSources.insert(session, sources)
      return isNew
    })
  }

  page(projectId: ProjectId, domainId: string, page: PageRequest): Promise<readonly DomainReport[]> {
    return this.#reports.page({ domainId, projectId }, page)
  }

  count(projectId: ProjectId, domainId: string): Promise<number> {
    return this.#reports.count({ domainId, projectId })
  }

  tls(projectId: ProjectId, domainId: string, since: Date, limit: number): Promise<readonly DomainReport[]> {
    const where = { domainId, kind: 'tls', begin: { $gte: since }, projectId } as const
    return this.#reports.list(where, { orderBy: { id: 'desc' }, limit })
  }

  async policy(projectId: ProjectId, domainId: string): Promise<DmarcPolicy | undefined> {
    const where = { domainId, kind: 'dmarc', projectId } as const
    const [last] = await this.#reports.some(['policy'], where, { orderBy: { id: 'desc' }, limit: 1 })
    return last?.policy
  }

  async days(projectId: ProjectId, domainId: string, since: Date): Promise<readonly ReportDay[]> {
    const sql = `select "day", sum("messages") as "messages", sum("passed") as "passed" from "report_sources"
      ${OF_DOMAIN} group by "day" order by "day"`
    const params = [domainId, dayOf(since), projectId]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map(({ day, messages, passed }) => ({
      day: Number(day),
      messages: Number(messages),
      passed: Number(passed),
    }))
  }

  async sources(projectId: ProjectId, domainId: string, since: Date, limit: number): Promise<readonly SourceFigures[]> {
    const sql = `select ${GROUP}, ${SUMS} from "report_sources" ${OF_DOMAIN}
      group by ${GROUP} order by sum("messages") desc, "ip" limit ?`
    const params = [domainId, dayOf(since), projectId, limit]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map((row) => ({
      ip: String(row.ip),
      dkimDomain: String(row.dkim_domain),
      dkimSelector: String(row.dkim_selector),
      spfDomain: String(row.spf_domain),
      reason: String(row.reason),
      messages: Number(row.messages),
      byDkim: Number(row.by_dkim),
      bySpf: Number(row.by_spf),
      passed: Number(row.passed),
      quarantined: Number(row.quarantined),
      rejected: Number(row.rejected),
    }))
  }

  async reportedSince(at: Date): Promise<readonly Pick<DomainReport, 'projectId' | 'domainId'>[]> {
    // DOMAINS WITH REPORTS: many may come on one domain. Index: `domain_reports_created`.
    const sql = 'select distinct "project_id", "domain_id" from "domain_reports" where "created_at" >= ?'
    const rows = await this.access.all(sql, [this.dialect.encode('date')(at)])
    return rows.map((row) => ({ projectId: String(row.project_id) as ProjectId, domainId: String(row.domain_id) }))
  }

  async countFailures(counts: readonly FailureCount[]): Promise<void> {
    // in one order, so that two transactions do not wait for each other
    const inOrder = counts.toSorted((a, b) => (a.domainId < b.domainId ? -1 : 1))
    await this.access.write((session) => this.tables.failureCounts.insert(session, inOrder, ADD_FAILURES))
  }

  async failures(projectId: ProjectId, domainId: string, since: Date) {
    const sql = `select "day", "reports" from "failure_counts" ${OF_DOMAIN} order by "day"`
    const rows = await this.access.all(sql, [domainId, dayOf(since), projectId])
    return rows.map(({ day, reports }) => ({ day: Number(day), reports: Number(reports) }))
  }

  async addFigures(figures: readonly ReceiverFigure[]): Promise<void> {
    const { receiverFigures } = this.tables
    await this.access.write((session) => receiverFigures.insert(session, figures, receiverFigures.overwrite(RENEWED)))
  }

  receiverFigures(projectId: ProjectId, domainId: string, since: string, limit: number) {
    const orderBy = { day: 'desc', receiver: 'asc', subject: 'asc', figure: 'asc' } as const
    return this.#figures.list({ domainId, day: { $gte: since }, projectId }, { orderBy, limit })
  }

  countFigures(projectId: ProjectId, domainId: string): Promise<number> {
    return this.#figures.count({ domainId, projectId })
  }

  async removeOf(projectId: ProjectId, domainId: string, limit: number): Promise<number> {
    const reports = await this.#remove({ domainId, projectId }, limit)
    const params = [domainId, projectId, limit - reports]
    const both = reports + (await this.#removeFailures('"domain_id" = ? and "project_id" = ?', params))
    return (
      both + (await this.#removeFigures('"domain_id" = ? and "project_id" = ?', [domainId, projectId], limit - both))
    )
  }

  async forget(before: Date, limit: number): Promise<number> {
    const reports = await this.#remove({ createdAt: { $lt: before } }, limit)
    const both = reports + (await this.#removeFailures('"day" < ?', [dayOf(before), limit - reports]))
    return both + (await this.#removeFigures('"day" < ?', [before.toISOString().slice(0, 10)], limit - both))
  }

  #removeFigures(where: string, params: readonly unknown[], limit: number): Promise<number> {
    const sql = `delete from "receiver_figures" where "id" in (select "id" from "receiver_figures" where ${where} limit ?)`
    return this.access.write((session) => session.run(sql, [...params, limit]))
  }

  #removeFailures(where: string, params: readonly unknown[]): Promise<number> {
    const chosen = `select "domain_id", "day" from "failure_counts" where ${where} limit ?`
    const sql = `delete from "failure_counts" where ("domain_id", "day") in (${chosen})`
    return this.access.write((session) => session.run(sql, params))
  }

  #remove(where: Where<DomainReport>, limit: number): Promise<number> {
    return this.access.write(async (session) => {
      const reports = this.#reports.in(session)
      const chosen = await reports.some(['id'], where, { limit })
      const ids = chosen.map(({ id }) => id)
      if (ids.length === 0) return 0
      const list = this.dialect.list(ids)
      await session.run(`delete from "report_sources" where "domain_report_id" ${this.dialect.listed('uuid')}`, [list])
      return session.run(`delete from "domain_reports" where "id" ${this.dialect.listed('uuid')}`, [list])
    })
  }
}
