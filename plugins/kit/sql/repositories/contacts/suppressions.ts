import type {
  Suppression,
  SuppressionRepository,
  WantedSuppressions,
} from '../../../../../core/ports/store/suppressions.ts'
import { isId } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows, type Where } from '../../engine/rows.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

/** Adds addresses to the list, and updates those already on it; their id and date stay. */
export function putSuppressions(tables: Tables, session: Session, rows: readonly Suppression[]): Promise<number> {
  return tables.suppressions.insert(session, rows, tables.suppressions.overwrite(PUT))
}

const PUT = { on: ['projectId', 'email'], keep: ['id', 'createdAt'] } as const

/** The suppression list. */
export class SqlSuppressions extends Repository implements SuppressionRepository {
  readonly #suppressions = new Rows(this.access, this.tables.suppressions)

  page(
    projectId: ProjectId,
    now: Date,
    page: PageRequest,
    wanted: WantedSuppressions = {},
  ): Promise<readonly Suppression[]> {
    return this.#suppressions.page({ ...inForce(projectId, now), ...whichOf(wanted) }, page)
  }

  count(projectId: ProjectId, now: Date, wanted: WantedSuppressions = {}): Promise<number> {
    return this.#suppressions.count({ ...inForce(projectId, now), ...whichOf(wanted) })
  }

  put(suppression: Suppression): Promise<Suppression> {
    const { projectId, email } = suppression
    return this.access.write(async (session) => {
      await putSuppressions(this.tables, session, [suppression])
      return (await this.#suppressions.in(session).one({ projectId, email })) ?? suppression
    })
  }

  putAll(projectId: ProjectId, suppressions: readonly Suppression[]): Promise<number> {
    if (suppressions.length === 0) return Promise.resolve(0)
    const { dialect } = this
    const sql = `select count(*) as "count" from ${dialect.eachOf('"suppressions"')} as s`
    const emails = dialect.list([...new Set(suppressions.map(({ email }) => email))])
    const ordered = inOrder([...suppressions], ({ email }) => email)
    return this.access.write(async (session) => {
      const [known] = await session.all(sql, [projectId, emails])
      await putSuppressions(this.tables, session, ordered)
      return suppressions.length - Number(known?.count ?? 0)
    })
  }

  find(projectId: ProjectId, email: string, now: Date): Promise<Suppression | undefined> {
    return this.#suppressions.one({ ...inForce(projectId, now), email })
  }

  async among(projectId: ProjectId, emails: readonly string[], now: Date): Promise<ReadonlySet<string>> {
    if (emails.length === 0) return new Set()
    const { dialect } = this
    const sql = `select "email" from ${dialect.eachOf('"suppressions"')} as s
      where "expires_at" is null or "expires_at" > ?`
    const params = [projectId, dialect.list([...new Set(emails)]), dialect.encode('date')(now)]
    const rows = await this.access.all(sql, params)
    return new Set(rows.map(({ email }) => String(email)))
  }

  remove(projectId: ProjectId, idOrEmail: string): Promise<boolean> {
    const which = isId(idOrEmail) ? { id: idOrEmail } : { email: idOrEmail }
    return this.#suppressions.remove({ projectId, ...which })
  }
}

function whichOf({ reason, emails }: WantedSuppressions) {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(emails === undefined ? {} : { email: { $in: [...emails] } }),
  }
}

function inForce(projectId: ProjectId, now: Date): Where<Suppression> {
  return { projectId, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }
}
