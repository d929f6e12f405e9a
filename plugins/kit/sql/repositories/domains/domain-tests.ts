import type { Arrival, DomainTest, DomainTestRepository } from '../../../../../core/ports/store/domain-tests.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** Tests of sending domains. */
export class SqlDomainTests extends Repository implements DomainTestRepository {
  readonly #tests = new Rows(this.access, this.tables.domainTests)

  add(test: DomainTest): Promise<void> {
    return this.#tests.insert(test)
  }

  find(projectId: ProjectId, id: string): Promise<DomainTest | undefined> {
    return this.#tests.one({ projectId, id })
  }

  named(id: string): Promise<DomainTest | undefined> {
    return this.#tests.one({ id })
  }

  countSince(projectId: ProjectId, domainId: string, since: Date): Promise<number> {
    return this.#tests.count({ domainId, createdAt: { $gte: since }, projectId })
  }

  async arrived(id: string, arrival: Arrival): Promise<boolean> {
    return (await this.#tests.change({ id, arrival: null }, { arrival })) > 0
  }

  forget(before: Date, limit: number): Promise<number> {
    return this.#tests.removeFirst({ createdAt: { $lt: before } }, 'createdAt', limit)
  }
}
