import type { NoticeRepository } from '../../../../core/ports/store/notices.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import type { Tables } from '../engine/tables.ts'

/** When operators were last told about what. */
export class SqlNotices implements NoticeRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async first(projectId: ProjectId, kind: string, now: Date, pause: number): Promise<boolean> {
    const date = this.#access.dialect.encode('date')
    const again = `update "notices" set "at" = ? where "project_id" = ? and "kind" = ? and "at" <= ?`
    return this.#access.write(async (session) => {
      const made = await this.#tables.notices.insert(session, [{ projectId, kind, at: now }], 'on conflict do nothing')
      if (made > 0) return true
      const before = new Date(now.getTime() - pause)
      return (await session.run(again, [date(now), projectId, kind, date(before)])) > 0
    })
  }
}
