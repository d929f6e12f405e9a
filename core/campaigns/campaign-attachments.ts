import * as v from 'valibot'
import { EngineError } from '../errors.ts'
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
import type { UntrustedInput } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'

/** A file to attach, once its bytes are decoded. */
export interface NewAttachment extends Omit<CampaignAttachment, 'id'> {
  readonly bytes: Uint8Array
}

/** Reads a file to attach. Throws EngineError `VALIDATION_ERROR`. */
export function readAttachment(input: AttachmentInput | UntrustedInput): NewAttachment {
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
export function withAttachment(
  { attachments = [] }: Campaign,
  added: CampaignAttachment,
): readonly CampaignAttachment[] {
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

/** Throws EngineError `RESOURCE_NOT_FOUND`. */
export function missingAttachment(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `The campaign has no attachment ${id}.`)
}
