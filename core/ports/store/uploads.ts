import { count, moment, optional, words } from '../../values/kind.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { INTERNAL, owned, type RecordOf, record } from '../../values/record.ts'

/** An uploaded image. Its bytes are in the blob store. */
export const Upload = record('Upload', 'An uploaded image.', {
  ...owned('image'),
  name: [optional(words), 'What its uploader calls it, such as the name of the file. Absent when it was given none.'],
  hash: [words, 'SHA-256 of the bytes, hexadecimal.', INTERNAL],
  contentType: [words, 'The type of the image, by its bytes.'],
  width: [count, 'How many pixels it is wide.'],
  height: [count, 'How many pixels it is high.'],
  size: [count, 'How many bytes it has.'],
  createdAt: [moment, 'When it was first uploaded (ISO 8601, UTC).'],
})
export interface Upload extends RecordOf<typeof Upload> {}

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
