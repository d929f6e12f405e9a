import type { Notice, NoticeRepository } from '../../../../core/ports/store/notices.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** When operators were last told about what. */
export class SqlNotices extends Repository implements NoticeRepository {
  readonly #notices = new Rows(this.access, this.tables.notices)

  first(projectId: ProjectId, kind: string, now: Date, pause: number): Promise<boolean> {
    const before = new Date(now.getTime() - pause)
    return this.access.write(async (session) => {
      const notices = new Rows(session, this.tables.notices)
      if (await notices.add({ projectId, kind, at: now })) return true
      return (await notices.change({ projectId, kind, at: { $lte: before } }, { at: now })) > 0
    })
  }

  since(kind: string, at: Date): Promise<readonly Notice[]> {
    return this.#notices.list({ kind, at: { $gte: at } })
  }
}
