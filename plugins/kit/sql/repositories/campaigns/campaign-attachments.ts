import type { CampaignAttachmentRepository } from '../../../../../core/ports/store/campaign-attachments.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** The bytes of campaigns' attachments. */
export class SqlCampaignAttachments extends Repository implements CampaignAttachmentRepository {
  readonly #attachments = new Rows(this.access, this.tables.campaignAttachments)

  insert(projectId: ProjectId, id: string, bytes: Uint8Array): Promise<void> {
    return this.#attachments.insert({ id, projectId, bytes })
  }

  async bytes(projectId: ProjectId, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (ids.length === 0) return new Map()
    const found = await this.#attachments.list({ $and: [{ projectId }, this.#attachments.among('id', ids)] })
    return new Map(found.map(({ id, bytes }) => [id, bytes]))
  }

  async remove(projectId: ProjectId, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#attachments.remove({ $and: [{ projectId }, this.#attachments.among('id', ids)] })
  }
}
