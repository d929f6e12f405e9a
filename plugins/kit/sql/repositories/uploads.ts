import type { Upload, UploadRepository } from '../../../../core/ports/store/uploads.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import { Conditions } from '../engine/conditions.ts'
import type { Tables } from '../engine/tables.ts'

/** The uploaded images, without their bytes. */
export class SqlUploads implements UploadRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, hash: string): Promise<Upload | undefined> {
    const [upload] = await this.#select(of(projectId).and('"hash" = ?', hash), 1)
    return upload
  }

  async byId(projectId: ProjectId, id: string): Promise<Upload | undefined> {
    const [upload] = await this.#select(of(projectId).and('"id" = ?', id), 1)
    return upload
  }

  page(projectId: ProjectId, { limit, after }: PageRequest): Promise<readonly Upload[]> {
    const conditions = of(projectId)
    if (after) conditions.and('"id" < ?', after.id)
    return this.#select(conditions, limit + 1)
  }

  async total(projectId: ProjectId): Promise<{ readonly count: number; readonly bytes: number }> {
    const sql = 'select count(*) as "count", coalesce(sum("size"), 0) as "bytes" from "uploads" where "project_id" = ?'
    const [row] = await this.#access.all(sql, [projectId])
    return { count: Number(row?.count), bytes: Number(row?.bytes) }
  }

  async insert(upload: Upload): Promise<void> {
    await this.#access.write((session) => this.#tables.uploads.insert(session, [upload]))
  }

  remove(projectId: ProjectId, hash: string): Promise<boolean> {
    const sql = 'delete from "uploads" where "project_id" = ? and "hash" = ?'
    return this.#access.write(async (session) => (await session.run(sql, [projectId, hash])) > 0)
  }

  #select({ text, params }: Conditions, limit: number): Promise<readonly Upload[]> {
    const { uploads } = this.#tables
    const sql = `select ${uploads.list} from "uploads" where ${text} order by "id" desc limit ?`
    return this.#access.read(async (session) => {
      const rows = await session.all(sql, [...params, limit])
      return rows.map((row) => uploads.record(row))
    })
  }
}

function of(projectId: ProjectId): Conditions {
  return new Conditions().and('"project_id" = ?', projectId)
}
