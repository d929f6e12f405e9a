import type { CampaignAttachmentRepository } from '../../../../../core/ports/store/campaign-attachments.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** The bytes of campaigns' attachments. */
export class SqlCampaignAttachments implements CampaignAttachmentRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async insert(projectId: ProjectId, id: string, bytes: Uint8Array): Promise<void> {
    await this.#access.write((session) => this.#tables.campaignAttachments.insert(session, [{ id, projectId, bytes }]))
  }

  async bytes(projectId: ProjectId, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (ids.length === 0) return new Map()
    const { dialect } = this.#access
    const { campaignAttachments } = this.#tables
    const sql = `select ${campaignAttachments.list} from "campaign_attachments"
      where "project_id" = ? and "id" ${dialect.listed('uuid')}`
    const rows = await this.#access.all(sql, [projectId, dialect.list(ids)])
    return new Map(rows.map((row) => campaignAttachments.record(row)).map(({ id, bytes }) => [id, bytes]))
  }

  async remove(projectId: ProjectId, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { dialect } = this.#access
    const sql = `delete from "campaign_attachments" where "project_id" = ? and "id" ${dialect.listed('uuid')}`
    await this.#access.run(sql, [projectId, dialect.list(ids)])
  }
}
