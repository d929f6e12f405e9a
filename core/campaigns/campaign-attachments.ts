import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { readAttachment, withFile } from '../mails/attached-file.ts'
import type { AttachmentInput } from '../mails/attachment-input.ts'
import type { CampaignAttachmentRepository } from '../ports/store/campaign-attachments.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { ContentAttachment } from '../ports/store/contents.ts'
import type { Store } from '../ports/store/store.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nextVersion } from '../values/record-version.ts'
import { missingCampaign, requireStatus } from './campaign-status.ts'

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
      attachments: withFile(held.attachments ?? [], added),
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
