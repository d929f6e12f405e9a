import type { Upload, UploadRepository } from '../../../../core/ports/store/uploads.ts'
import type { PageRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from '../engine/repository.ts'
import { Rows } from '../engine/rows.ts'

/** The uploaded images, without their bytes. */
export class SqlUploads extends Repository implements UploadRepository {
  readonly #uploads = new Rows(this.access, this.tables.uploads)

  find(projectId: ProjectId, hash: string): Promise<Upload | undefined> {
    return this.#uploads.one({ projectId, hash })
  }

  byId(projectId: ProjectId, id: string): Promise<Upload | undefined> {
    return this.#uploads.one({ projectId, id })
  }

  page(projectId: ProjectId, page: PageRequest): Promise<readonly Upload[]> {
    return this.#uploads.page({ projectId }, page)
  }

  async total(projectId: ProjectId): Promise<{ readonly count: number; readonly bytes: number }> {
    const sums = 'count(*) as "count", coalesce(sum("size"), 0) as "bytes"'
    const [row] = await this.#uploads.read(sums, { projectId })
    return { count: Number(row?.count), bytes: Number(row?.bytes) }
  }

  insert(upload: Upload): Promise<void> {
    return this.#uploads.insert(upload)
  }

  remove(projectId: ProjectId, hash: string): Promise<boolean> {
    return this.#uploads.remove({ projectId, hash })
  }
}
