import type { Arrival, DomainTest, DomainTestRepository } from '../../../../../core/ports/store/domain-tests.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** Tests of sending domains. */
export class SqlDomainTests implements DomainTestRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async add(test: DomainTest): Promise<void> {
    await this.#access.write((session) => this.#tables.domainTests.insert(session, [test]))
  }

  find(projectId: ProjectId, id: string): Promise<DomainTest | undefined> {
    return this.#one('"project_id" = ? and "id" = ?', [projectId, id])
  }

  named(id: string): Promise<DomainTest | undefined> {
    return this.#one('"id" = ?', [id])
  }

  async countSince(projectId: ProjectId, domainId: string, since: Date): Promise<number> {
    const sql = `select count(*) as "count" from "domain_tests"
      where "domain_id" = ? and "created_at" >= ? and "project_id" = ?`
    const params = [domainId, this.#access.dialect.encode('date')(since), projectId]
    const [row] = await this.#access.all(sql, params)
    return Number(row?.count)
  }

  async arrived(id: string, arrival: Arrival): Promise<boolean> {
    const sql = 'update "domain_tests" set "arrival" = ? where "id" = ? and "arrival" is null'
    const params = [this.#access.dialect.encode('json')(arrival), id]
    return (await this.#access.run(sql, params)) > 0
  }

  forget(before: Date, limit: number): Promise<number> {
    const which = 'select "id" from "domain_tests" where "created_at" < ? order by "created_at" limit ?'
    const params = [this.#access.dialect.encode('date')(before), limit]
    return this.#access.run(`delete from "domain_tests" where "id" in (${which})`, params)
  }

  async #one(where: string, params: readonly unknown[]): Promise<DomainTest | undefined> {
    const { domainTests } = this.#tables
    const sql = `select ${domainTests.list} from "domain_tests" where ${where}`
    const [row] = await this.#access.all(sql, params)
    return row && domainTests.record(row)
  }
}
