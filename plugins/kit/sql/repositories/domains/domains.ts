import type { DomainRepository, SenderDomain } from '../../../../../core/ports/store/domains.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { BY_ID, ProjectNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'

/** The sending domains. */
export class SqlDomains extends ProjectNoun<SenderDomain> implements DomainRepository {
  protected readonly rows = new Rows(this.access, this.tables.domains)

  all(projectId: ProjectId): Promise<readonly SenderDomain[]> {
    return this.rows.list({ projectId }, { orderBy: { domain: 'asc' } })
  }

  count(projectId: ProjectId): Promise<number> {
    return this.rows.count({ projectId })
  }

  named(domains: readonly string[]): Promise<readonly SenderDomain[]> {
    return this.rows.list(this.rows.among('domain', domains))
  }

  newest(): Promise<SenderDomain | undefined> {
    return this.rows.one({}, { orderBy: { id: 'desc' }, limit: 1 })
  }

  async insert(domain: SenderDomain): Promise<'inserted' | 'taken'> {
    return (await this.rows.add(domain)) ? 'inserted' : 'taken'
  }

  update(domain: SenderDomain): Promise<boolean> {
    return this.rows.update(domain, BY_ID)
  }

  async claimDue(now: Date, next: Date, limit: number, except: readonly ProjectId[]): Promise<readonly SenderDomain[]> {
    const { domains } = this.tables
    const date = this.dialect.encode('date')
    const which = `"due_at" <= ? and not ("project_id" ${this.dialect.listed('uuid')})`
    const due = this.dialect.firstFree('"domains"', which, '"due_at", "id"')
    const sql = `update "domains" set "due_at" = ? where ${due} returning ${domains.list}`
    const rows = await this.access.writeOnce((session) =>
      session.all(sql, [date(next), date(now), this.dialect.list(except), limit]),
    )
    return rows.map((row) => domains.record(row))
  }
}
