import type { AuditEntry, AuditFilter, AuditRepository } from '../../../../core/ports/store/audit.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows, type Where } from '../engine/rows.ts'

const WHOLE = { on: ['id'] } as const

/** Who changed what. */
export class SqlAudit extends Repository implements AuditRepository {
  readonly #entries = new Rows(this.access, this.tables.auditEntries)

  add(entry: AuditEntry): Promise<void> {
    return this.#entries.insert(entry)
  }

  update(entry: AuditEntry): Promise<void> {
    return this.#entries.put(entry, WHOLE)
  }

  async remove(id: string): Promise<void> {
    await this.#entries.remove({ id })
  }

  page(projectId: ProjectId, filter: AuditFilter, page: PageRequest): Promise<readonly AuditEntry[]> {
    return this.access.scan(projectId, (session) => this.#entries.in(session).page(narrowed(projectId, filter), page))
  }

  count(projectId: ProjectId, filter: AuditFilter, atMost: number): Promise<number> {
    return this.access.scan(projectId, (session) =>
      this.#entries.in(session).count(narrowed(projectId, filter), atMost),
    )
  }

  pageOfUser(userId: string, page: PageRequest): Promise<readonly AuditEntry[]> {
    return this.#entries.page(
      { projectId: null, $or: [{ actorId: userId }, { targetType: 'users', targetId: userId }] },
      page,
    )
  }

  removeBefore(id: string, limit: number): Promise<number> {
    return this.#entries.removeFirst({ id: { $lt: id } }, 'id', limit)
  }
}

function narrowed(projectId: ProjectId, { actor, action, kind, target, from, before }: AuditFilter): Where<AuditEntry> {
  const parts: Where<AuditEntry>[] = [{ projectId }]
  if (action !== undefined) parts.push({ action })
  if (kind !== undefined) parts.push({ targetType: kind })
  if (actor !== undefined) parts.push({ $or: [{ actorId: actor }, { actorName: actor }] })
  if (target !== undefined) parts.push({ $or: [{ targetId: target }, { createdId: target }, { parentId: target }] })
  if (from !== undefined) parts.push({ id: { $gte: from } })
  if (before !== undefined) parts.push({ id: { $lt: before } })
  return { $and: parts }
}
