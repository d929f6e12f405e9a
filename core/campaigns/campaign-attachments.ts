import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import {
  Attachment,
  type AttachmentInput,
  decodedLength,
  MAX_ATTACHMENT_BYTES,
  MAX_ATTACHMENTS,
  TOO_MUCH_ATTACHED,
} from '../mails/attachment-input.ts'
import type { CampaignAttachment, CampaignAttachmentRepository } from '../ports/store/campaign-attachments.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { ContentAttachment } from '../ports/store/contents.ts'
import type { Store } from '../ports/store/store.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nextVersion } from '../values/record-version.ts'
import { missingCampaign, requireStatus } from './campaign-status.ts'

/** A file to attach, once its bytes are decoded. */
interface NewAttachment extends Omit<CampaignAttachment, 'id'> {
  readonly bytes: Uint8Array
}

/** Reads a file to attach. Throws EngineError `VALIDATION_ERROR`. */
function readAttachment(input: AttachmentInput | UntrustedInput): NewAttachment {
  const { content, contentId, ...named } = parse(AttachmentBody, input)
  const bytes = Buffer.from(content, 'base64')
  return { ...named, ...(contentId == null ? {} : { contentId }), size: bytes.length, bytes }
}

/** The body of `POST /campaigns/{id}/attachments`. */
export const AttachmentBody = v.pipe(
  Attachment,
  v.check(({ content }) => decodedLength(content) <= MAX_ATTACHMENT_BYTES, TOO_MUCH_ATTACHED),
)

/** The campaign's attachments with another one. Throws EngineError `VALIDATION_ERROR` when there are too many. */
function withAttachment({ attachments = [] }: Campaign, added: CampaignAttachment): readonly CampaignAttachment[] {
  if (attachments.length >= MAX_ATTACHMENTS) {
    const message = `is one too many: a mail has at most ${MAX_ATTACHMENTS} files`
    throw refused([{ field: 'content', code: 'too_big', message }])
  }
  if (attachments.reduce((sum, { size }) => sum + size, added.size) > MAX_ATTACHMENT_BYTES)
    throw refused([{ field: 'content', code: 'too_big', message: `${TOO_MUCH_ATTACHED}, with the other files` }])
  return [...attachments, added]
}

/** The attachments of the campaign's mails, with their bytes; none without a query. */
export async function attachmentsOf(
  repository: CampaignAttachmentRepository,
  { projectId, attachments = [] }: Campaign,
): Promise<readonly ContentAttachment[]> {
  if (attachments.length === 0) return []
  const bytes = await repository.bytes(
    projectId,
    attachments.map(({ id }) => id),
  )
  return attachments.flatMap(({ id, size, ...named }) => {
    const found = bytes.get(id)
    return found === undefined ? [] : [{ ...named, bytes: found }]
  })
}

/** See `Campaigns.attach`. */
export async function attachFile(
  store: Store,
  { now, newId }: Kit,
  projectId: ProjectId,
  id: string,
  input: AttachmentInput | UntrustedInput,
): Promise<Campaign> {
  const { bytes, ...named } = readAttachment(input)
  const added = { ...named, id: newId() }
  return store.transaction(async (tx) => {
    const held = (await tx.campaigns.lock(projectId, id)) ?? missingCampaign(id)
    requireStatus(held, 'be changed')
    const campaign = {
      ...held,
      attachments: withAttachment(held, added),
      version: nextVersion('campaign', held, undefined),
      updatedAt: now(),
    }
    await tx.campaigns.update(campaign)
    await tx.campaignAttachments.insert(projectId, added.id, bytes)
    return campaign
  })
}

/** See `Campaigns.detach`. */
export function detachFile(
  store: Store,
  { now }: Kit,
  projectId: ProjectId,
  id: string,
  attachmentId: string,
): Promise<Campaign> {
  return store.transaction(async (tx) => {
    const held = (await tx.campaigns.lock(projectId, id)) ?? missingCampaign(id)
    requireStatus(held, 'be changed')
    const { attachments = [], ...others } = held
    const left = attachments.filter((each) => each.id !== attachmentId)
    if (left.length === attachments.length) return missingAttachment(attachmentId)
    const rest = left.length === 0 ? {} : { attachments: left }
    const campaign = { ...others, ...rest, version: nextVersion('campaign', held, undefined), updatedAt: now() }
    await tx.campaigns.update(campaign)
    await tx.campaignAttachments.remove(projectId, [attachmentId])
    return campaign
  })
}

/** Throws EngineError `RESOURCE_NOT_FOUND`. */
function missingAttachment(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `The campaign has no attachment ${id}.`)
}
