import * as v from 'valibot'
import { named } from '../../values/described.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** A file that goes with a mail that is being written. Its bytes are read only when the mail is made, or looked at. */
export const DraftAttachment = named(
  'DraftAttachment',
  v.object({
    id: v.pipe(v.string(), v.uuid()),
    filename: v.string(),
    contentType: v.string(),
    disposition: v.picklist(['attachment', 'inline']),
    contentId: v.exactOptional(v.string()),
    size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
)
export interface DraftAttachment extends v.InferOutput<typeof DraftAttachment> {}

/** The bytes of a file of a draft. */
export interface DraftFile {
  /** The id that the draft names it by. */
  readonly id: string
  readonly bytes: Uint8Array
}

/** The bytes of drafts' files. Their names are stored with the draft, and go with it. */
export interface DraftAttachmentRepository {
  add(projectId: ProjectId, draftId: string, files: readonly DraftFile[]): Promise<void>
  /** The bytes of the draft's files by id, or of these alone; unknown ids are left out. */
  bytes(projectId: ProjectId, draftId: string, ids?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** Removes these files of the draft; all of them without `ids`. */
  remove(projectId: ProjectId, draftId: string, ids?: readonly string[]): Promise<void>
}
