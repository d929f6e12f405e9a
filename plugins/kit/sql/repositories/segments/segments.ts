import type { Segment, SegmentRepository } from '../../../../../core/ports/store/segments.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** The segments. Their members are in memberships.ts. */
export class SqlSegments implements SegmentRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, id: string): Promise<Segment | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<Segment | undefined> {
    return (await this.#where(`"project_id" = ? and "id" = ?${this.#held()}`, [projectId, id]))[0]
  }

  all(projectId: ProjectId): Promise<readonly Segment[]> {
    return this.#where('"project_id" = ? order by "id" desc', [projectId])
  }

  lockAll(projectId: ProjectId): Promise<readonly Segment[]> {
    return this.#where(`"project_id" = ? order by "id" desc${this.#held()}`, [projectId])
  }

  async insert(segment: Segment): Promise<'inserted' | 'slug-taken'> {
    const outcome = await this.#unlessTaken((session) => this.#tables.segments.insert(session, [segment]))
    return outcome === 'slug-taken' ? outcome : 'inserted'
  }

  async update(segment: Segment): Promise<'updated' | 'slug-taken' | 'missing'> {
    const { segments } = this.#tables
    const columns = segments.columns.filter(({ property }) => property !== 'id' && property !== 'projectId')
    const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
    const sql = `update "segments" set ${set} where "project_id" = ? and "id" = ?`
    const fields: Readonly<Record<string, unknown>> = { ...segment }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    const written = await this.#unlessTaken((session) => session.run(sql, [...values, segment.projectId, segment.id]))
    if (written === 'slug-taken') return written
    return written > 0 ? 'updated' : 'missing'
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#access.write(async (session) => {
      const sql = 'delete from "segments" where "project_id" = ? and "id" = ?'
      return (await session.run(sql, [projectId, id])) > 0
    })
  }

  async due(before: Date, limit: number): Promise<readonly string[]> {
    const { encode } = this.#access.dialect
    const sql = `select s."id" from "segments" as s join "projects" as p on p."id" = s."project_id"
      where s."begun_at" < ? and s."type" = ? and p."disabled" = ? order by s."begun_at", s."id" limit ?`
    const params = [encode('date')(before), 'DYNAMIC', encode('boolean')(false), limit]
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => String(row.id))
  }

  async begin(ids: readonly string[], before: Date, now: Date): Promise<readonly Segment[]> {
    const { dialect } = this.#access
    const { segments } = this.#tables
    const date = dialect.encode('date')
    const due = `"id" ${dialect.listed('uuid')} and "type" = ? and "begun_at" < ?`
    // a locked segment is about to be changed or computed, so it is left for later
    const sql = `update "segments" set "begun_at" = ? where ${dialect.free('"segments"', due)} returning ${segments.list}`
    const params = [date(now), dialect.list(ids), 'DYNAMIC', date(before)]
    const rows = await this.#access.write((session) => session.all(sql, params))
    return rows.map((row) => segments.record(row))
  }

  #held(): string {
    return this.#access.dialect.lockRows('"segments"')
  }

  async #where(where: string, params: readonly unknown[]): Promise<readonly Segment[]> {
    const { segments } = this.#tables
    const sql = `select ${segments.list} from "segments" where ${where}`
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => segments.record(row))
  }

  async #unlessTaken(write: Parameters<Access['attempt']>[0]): Promise<number | 'slug-taken'> {
    try {
      return Number(await this.#access.attempt(write))
    } catch (error) {
      if (this.#access.dialect.isTaken(error)) return 'slug-taken'
      throw error
    }
  }
}
