import type { InferEntity } from '@mikro-orm/core'
import type { FilterQuery } from '@mikro-orm/sql'
import type { Suppression, SuppressionRepository } from '../../../../../core/ports/store/suppressions.ts'
import { isId } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { SuppressionRow } from '../../entities/suppressions.ts'

/** Adds addresses to the list, and updates those already on it; their id and date stay. */
export function putSuppressions(tables: Tables, session: Session, rows: readonly Suppression[]): Promise<number> {
  return tables.suppressions.insert(session, rows, tables.suppressions.overwrite(PUT))
}

const PUT = { on: ['projectId', 'email'], keep: ['id', 'createdAt'] } as const

/** The suppression list, through the ORM except for the upsert, which delivery results share. */
export class SqlSuppressions implements SuppressionRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  page(projectId: ProjectId, now: Date, page: PageRequest): Promise<readonly Suppression[]> {
    const where = inForce(projectId, now)
    if (page.after) where.push({ id: { $lt: page.after.id } })
    return this.#access.orm(async (em) => {
      const found = await em.find(SuppressionRow, { $and: where }, { orderBy: { id: 'desc' }, limit: page.limit + 1 })
      return found.map((row) => this.#tables.suppressions.plain(row))
    })
  }

  count(projectId: ProjectId, now: Date): Promise<number> {
    return this.#access.orm((em) => em.count(SuppressionRow, { $and: inForce(projectId, now) }))
  }

  put(suppression: Suppression): Promise<Suppression> {
    const { suppressions } = this.#tables
    const sql = `select ${suppressions.list} from "suppressions" where "project_id" = ? and "email" = ?`
    return this.#access.write(async (session) => {
      await putSuppressions(this.#tables, session, [suppression])
      const [row] = await session.all(sql, [suppression.projectId, suppression.email])
      return row ? suppressions.record(row) : suppression
    })
  }

  putAll(projectId: ProjectId, suppressions: readonly Suppression[]): Promise<number> {
    if (suppressions.length === 0) return Promise.resolve(0)
    const { dialect } = this.#access
    const sql = `select count(*) as "count" from ${dialect.eachOf('"suppressions"')} as s`
    const emails = dialect.list([...new Set(suppressions.map(({ email }) => email))])
    const ordered = inOrder([...suppressions], ({ email }) => email)
    return this.#access.write(async (session) => {
      const [known] = await session.all(sql, [projectId, emails])
      await putSuppressions(this.#tables, session, ordered)
      return suppressions.length - Number(known?.count ?? 0)
    })
  }

  async among(projectId: ProjectId, emails: readonly string[], now: Date): Promise<ReadonlySet<string>> {
    if (emails.length === 0) return new Set()
    const { dialect } = this.#access
    const sql = `select "email" from ${dialect.eachOf('"suppressions"')} as s
      where "expires_at" is null or "expires_at" > ?`
    const params = [projectId, dialect.list([...new Set(emails)]), dialect.encode('date')(now)]
    const rows = await this.#access.all(sql, params)
    return new Set(rows.map(({ email }) => String(email)))
  }

  async remove(projectId: ProjectId, idOrEmail: string): Promise<boolean> {
    const which = isId(idOrEmail) ? { id: idOrEmail } : { email: idOrEmail }
    return (await this.#access.orm((em) => em.nativeDelete(SuppressionRow, { projectId, ...which }))) > 0
  }
}

function inForce(projectId: ProjectId, now: Date): FilterQuery<InferEntity<typeof SuppressionRow>>[] {
  return [{ projectId }, { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }]
}
