import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** An uploaded image. Its bytes are in the blob store. */
export interface Upload {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name its uploader gave it. */
  readonly name?: string
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string
  /** Such as `image/png`. */
  readonly contentType: string
  /** In pixels. */
  readonly width: number
  /** In pixels. */
  readonly height: number
  /** In bytes. */
  readonly size: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** The images of projects; each is stored once however often it is uploaded. */
export interface UploadRepository {
  find(projectId: ProjectId, hash: string): Promise<Upload | undefined>
  byId(projectId: ProjectId, id: string): Promise<Upload | undefined>
  /** Newest first; one more than the limit when there are more. */
  page(projectId: ProjectId, page: PageRequest): Promise<readonly Upload[]>
  /** How many the project has, and the sum of their bytes. */
  total(projectId: ProjectId): Promise<{ readonly count: number; readonly bytes: number }>
  insert(upload: Upload): Promise<void>
  /** True when there was one. */
  remove(projectId: ProjectId, hash: string): Promise<boolean>
}
