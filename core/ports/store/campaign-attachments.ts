import type { ProjectId } from '../../values/project-id.ts'

/** A file that goes with a campaign's mails. Its bytes are read only when the mails are made. */
export interface CampaignAttachment {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  readonly filename: string
  /** Its MIME type. */
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  /** The id under which the HTML shows an inline picture. */
  readonly contentId?: string
  /** In bytes. */
  readonly size: number
}

/** The bytes of campaigns' attachments. Their names are stored with the campaign. */
export interface CampaignAttachmentRepository {
  insert(projectId: ProjectId, id: string, bytes: Uint8Array): Promise<void>
  /** The bytes by id; unknown ids are left out. */
  bytes(projectId: ProjectId, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  remove(projectId: ProjectId, ids: readonly string[]): Promise<void>
}
