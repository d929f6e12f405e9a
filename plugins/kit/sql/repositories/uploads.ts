import type { Upload, UploadRepository } from '../../../../core/ports/store/uploads.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
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
    const { uploads } = this.#tables
    const sql = `select ${uploads.list} from "uploads" where "project_id" = ? and "hash" = ?`
    const [row] = await this.#access.read((session) => session.all(sql, [projectId, hash]))
    return row && uploads.record(row)
  }

  async total(projectId: ProjectId): Promise<{ readonly count: number; readonly bytes: number }> {
    const sql = 'select count(*) as "count", coalesce(sum("size"), 0) as "bytes" from "uploads" where "project_id" = ?'
    const [row] = await this.#access.read((session) => session.all(sql, [projectId]))
    return { count: Number(row?.count), bytes: Number(row?.bytes) }
  }

  async insert(upload: Upload): Promise<void> {
    await this.#access.write((session) => this.#tables.uploads.insert(session, [upload]))
  }
}
