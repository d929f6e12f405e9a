import type { ProjectId } from '../../values/project-id.ts'

/** An uploaded image. Its bytes are in the blob store. */
export interface Upload {
  readonly id: string
  readonly projectId: ProjectId
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string
  readonly contentType: string
  /** In pixels. */
  readonly width: number
  readonly height: number
  /** In bytes. */
  readonly size: number
  readonly createdAt: Date
}

/** The images of projects; each is there once, however often it is uploaded. */
export interface UploadRepository {
  find(projectId: ProjectId, hash: string): Promise<Upload | undefined>
  /** How many the project has, and the sum of their bytes. */
  total(projectId: ProjectId): Promise<{ readonly count: number; readonly bytes: number }>
  insert(upload: Upload): Promise<void>
}
