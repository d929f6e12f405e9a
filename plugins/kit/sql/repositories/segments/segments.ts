import type { Segment, SegmentRepository } from '../../../../../core/ports/store/segments.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { SluggedNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'

const NEWEST = { orderBy: { id: 'desc' } } as const

/** The segments. Their members are in memberships.ts. */
export class SqlSegments extends SluggedNoun<Segment> implements SegmentRepository {
  protected readonly rows = new Rows(this.access, this.tables.segments)

  all(projectId: ProjectId): Promise<readonly Segment[]> {
    return this.rows.list({ projectId }, NEWEST)
  }

  lockAll(projectId: ProjectId): Promise<readonly Segment[]> {
    return this.rows.list({ projectId }, { orderBy: { id: 'desc' }, lock: 'change' })
  }

  withoutEdition(limit: number): Promise<readonly Segment[]> {
    return this.rows.list({ type: 'DYNAMIC', filterEdition: null }, { orderBy: { id: 'asc' }, limit })
  }

  async due(before: Date, limit: number): Promise<readonly string[]> {
    const { encode } = this.dialect
    const sql = `select s."id" from "segments" as s join "projects" as p on p."id" = s."project_id"
      where s."begun_at" < ? and s."problem" is null and s."type" = ? and p."disabled" = ? order by s."begun_at", s."id" limit ?`
    const params = [encode('date')(before), 'DYNAMIC', encode('boolean')(false), limit]
    const rows = await this.access.all(sql, params)
    return rows.map((row) => String(row.id))
  }

  async begin(ids: readonly string[], before: Date, now: Date): Promise<readonly Segment[]> {
    const { dialect } = this
    const { segments } = this.tables
    const date = dialect.encode('date')
    const due = `"id" ${dialect.listed('uuid')} and "type" = ? and "begun_at" < ?`
    // a locked segment is about to be changed or computed, so it is left for later
    const sql = `update "segments" set "begun_at" = ? where ${dialect.free('"segments"', due)} returning ${segments.list}`
    const params = [date(now), dialect.list(ids), 'DYNAMIC', date(before)]
    const rows = await this.access.writeOnce((session) => session.all(sql, params))
    return rows.map((row) => segments.record(row))
  }
}
