import type { AuditEntry, AuditFilter, AuditRepository } from '../../../../core/ports/store/audit.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import { Conditions } from '../engine/conditions.ts'
import type { Session } from '../engine/session.ts'
import type { Tables } from '../engine/tables.ts'

/** Who changed what. */
export class SqlAudit implements AuditRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async add(entry: AuditEntry): Promise<void> {
    await this.#access.write((session) => this.#tables.auditEntries.insert(session, [entry]))
  }

  async update(entry: AuditEntry): Promise<void> {
    const { auditEntries } = this.#tables
    const clause = auditEntries.overwrite({ on: ['id'] })
    await this.#access.write((session) => auditEntries.insert(session, [entry], clause))
  }

  async remove(id: string): Promise<void> {
    await this.#access.run('delete from "audit_entries" where "id" = ?', [id])
  }

  page(projectId: ProjectId, filter: AuditFilter, page: PageRequest): Promise<readonly AuditEntry[]> {
    return this.#access.scan(projectId, (session) => this.#page(session, narrowed(projectId, filter), page))
  }

  count(projectId: ProjectId, filter: AuditFilter, atMost: number): Promise<number> {
    const { text, params } = narrowed(projectId, filter)
    const sql = `select count(*) as "count" from (select 1 from "audit_entries" where ${text} limit ?) as "entries"`
    return this.#access.scan(projectId, async (session) => {
      const [row] = await session.all(sql, [...params, atMost])
      return Number(row?.count)
    })
  }

  pageOfUser(userId: string, page: PageRequest): Promise<readonly AuditEntry[]> {
    const own = new Conditions().and('"actor_id" = ?', userId).and('"project_id" is null')
    return this.#access.read((session) => this.#page(session, own, page))
  }

  removeBefore(id: string, limit: number): Promise<number> {
    const sql = `delete from "audit_entries" where "id" in
      (select "id" from "audit_entries" where "id" < ? order by "id" limit ?)`
    return this.#access.run(sql, [id, limit])
  }

  async #page(session: Session, conditions: Conditions, { limit, after }: PageRequest): Promise<readonly AuditEntry[]> {
    const { auditEntries } = this.#tables
    if (after) conditions.and('"id" < ?', after.id)
    const sql = `select ${auditEntries.list} from "audit_entries" where ${conditions.text} order by "id" desc limit ?`
    const rows = await session.all(sql, [...conditions.params, limit + 1])
    return rows.map((row) => auditEntries.record(row))
  }
}

function narrowed(projectId: ProjectId, { actor, action, target, from, before }: AuditFilter): Conditions {
  const conditions = new Conditions().and('"project_id" = ?', projectId).equal('"action"', action)
  if (actor !== undefined) conditions.and('("actor_id" = ? or "actor_name" = ?)', actor, actor)
  if (target !== undefined) conditions.and('("target_id" = ? or "created_id" = ?)', target, target)
  if (from !== undefined) conditions.and('"id" >= ?', from)
  if (before !== undefined) conditions.and('"id" < ?', before)
  return conditions
}
