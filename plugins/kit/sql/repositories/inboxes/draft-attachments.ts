import type { DraftAttachmentRepository, DraftFile } from '../../../../../core/ports/store/draft-attachments.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** The bytes of drafts' files. */
export class SqlDraftAttachments extends Repository implements DraftAttachmentRepository {
  readonly #files = new Rows(this.access, this.tables.draftAttachments)

  async add(projectId: ProjectId, draftId: string, files: readonly DraftFile[]): Promise<void> {
    for (const { id, bytes } of files) await this.#files.insert({ id, projectId, draftId, bytes })
  }

  async bytes(
    projectId: ProjectId,
    draftId: string,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = await this.#files.list(this.#some(projectId, draftId, ids))
    return new Map(found.map(({ id, bytes }) => [id, bytes]))
  }

  async remove(projectId: ProjectId, draftId: string, ids?: readonly string[]): Promise<void> {
    await this.#files.remove(this.#some(projectId, draftId, ids))
  }

  #some(projectId: ProjectId, draftId: string, ids: readonly string[] | undefined) {
    return { $and: [{ draftId, projectId }, ...(ids === undefined ? [] : [this.#files.among('id', ids)])] }
  }
}
