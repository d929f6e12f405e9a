import type { DomainRepository, SenderDomain } from '../../../../../core/ports/store/domains.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** The sending domains. */
export class SqlDomains implements DomainRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, id: string): Promise<SenderDomain | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<SenderDomain | undefined> {
    const held = this.#access.dialect.lockRows('"domains"')
    return (await this.#where(`"project_id" = ? and "id" = ?${held}`, [projectId, id]))[0]
  }

  all(projectId: ProjectId): Promise<readonly SenderDomain[]> {
    return this.#where('"project_id" = ? order by "domain"', [projectId])
  }

  async count(projectId: ProjectId): Promise<number> {
    const sql = 'select count(*) as "count" from "domains" where "project_id" = ?'
    const [row] = await this.#access.all(sql, [projectId])
    return Number(row?.count)
  }

  named(domains: readonly string[]): Promise<readonly SenderDomain[]> {
    const { dialect } = this.#access
    return this.#where(`"domain" ${dialect.listed('text')}`, [dialect.list(domains)])
  }

  async newest(): Promise<SenderDomain | undefined> {
    return (await this.#where('true order by "id" desc limit 1', []))[0]
  }

  async insert(domain: SenderDomain): Promise<'inserted' | 'taken'> {
    const { domains } = this.#tables
    const write = () => this.#access.write((session) => domains.insert(session, [domain], 'on conflict do nothing'))
    return (await write()) > 0 ? 'inserted' : 'taken'
  }

  async update(domain: SenderDomain): Promise<boolean> {
    const { domains } = this.#tables
    const columns = domains.columns.filter(({ property }) => property !== 'id' && property !== 'projectId')
    const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
    const fields: Readonly<Record<string, unknown>> = { ...domain }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    const sql = `update "domains" set ${set} where "project_id" = ? and "id" = ?`
    const written = await this.#access.run(sql, [...values, domain.projectId, domain.id])
    return written > 0
  }

  async remove(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = 'delete from "domains" where "project_id" = ? and "id" = ?'
    return (await this.#access.run(sql, [projectId, id])) > 0
  }

  async claimDue(now: Date, next: Date, limit: number, except: readonly ProjectId[]): Promise<readonly SenderDomain[]> {
    const { dialect } = this.#access
    const { domains } = this.#tables
    const date = dialect.encode('date')
    const which = `"due_at" <= ? and not ("project_id" ${dialect.listed('uuid')})`
    const due = dialect.firstFree('"domains"', which, '"due_at", "id"')
    const sql = `update "domains" set "due_at" = ? where ${due} returning ${domains.list}`
    const rows = await this.#access.write((session) =>
      session.all(sql, [date(next), date(now), dialect.list(except), limit]),
    )
    return rows.map((row) => domains.record(row))
  }

  async #where(where: string, params: readonly unknown[]): Promise<readonly SenderDomain[]> {
    const { domains } = this.#tables
    const sql = `select ${domains.list} from "domains" where ${where}`
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => domains.record(row))
  }
}
