import type { SeedMailbox, SeedRepository, SeedTest } from '../../../../../core/ports/store/seeds.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** Mailboxes at receivers, and tests of where mail lands. */
export class SqlSeeds extends Repository implements SeedRepository {
  readonly #mailboxes = new Rows(this.access, this.tables.seedMailboxes)
  readonly #tests = new Rows(this.access, this.tables.seedTests)

  mailboxes(projectId: ProjectId): Promise<readonly SeedMailbox[]> {
    return this.#mailboxes.list({ projectId }, { orderBy: { id: 'asc' } })
  }

  addMailbox(mailbox: SeedMailbox): Promise<void> {
    return this.#mailboxes.insert(mailbox)
  }

  removeMailbox(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#mailboxes.remove({ projectId, id })
  }

  addTest(test: SeedTest): Promise<void> {
    return this.#tests.insert(test)
  }

  removeTest(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#tests.remove({ projectId, id })
  }

  tests(projectId: ProjectId, campaignId: string, limit: number): Promise<readonly SeedTest[]> {
    return this.#tests.list({ projectId, campaignId }, { orderBy: { id: 'desc' }, limit })
  }

  countSince(projectId: ProjectId, since: Date): Promise<number> {
    return this.#tests.count({ createdAt: { $gte: since }, projectId })
  }

  waiting(limit: number): Promise<readonly SeedTest[]> {
    return this.#tests.list({ waits: true }, { orderBy: { updatedAt: 'asc' }, limit })
  }

  async update({ id, results, waits, updatedAt }: SeedTest): Promise<boolean> {
    return (await this.#tests.change({ id, waits: true }, { results, waits, updatedAt })) > 0
  }

  forget(before: Date, limit: number): Promise<number> {
    return this.#tests.removeFirst({ createdAt: { $lt: before } }, 'createdAt', limit)
  }
}
