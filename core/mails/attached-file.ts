import * as v from 'valibot'
import type { ContentAttachment } from '../ports/store/contents.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse, refused } from '../values/parse.ts'
import {
  Attachment,
  type AttachmentInput,
  decodedLength,
  MAX_ATTACHMENT_BYTES,
  MAX_ATTACHMENTS,
  TOO_MUCH_ATTACHED,
} from './attachment-input.ts'

/** A file to attach, once its bytes are decoded. */
export interface NewFile extends ContentAttachment {
  /** In bytes. */
  readonly size: number
}

/** The body of a request that attaches one file to a mail that is being written. */
export const AttachmentBody = v.pipe(
  Attachment,
  v.check(({ content }) => decodedLength(content) <= MAX_ATTACHMENT_BYTES, TOO_MUCH_ATTACHED),
)

/** Reads a file to attach. Throws EngineError `VALIDATION_ERROR`. */
export function readAttachment(input: AttachmentInput | UntrustedInput): NewFile {
  const { content, contentId, ...named } = parse(AttachmentBody, input)
  const bytes = Buffer.from(content, 'base64')
  return { ...named, ...(contentId == null ? {} : { contentId }), size: bytes.length, bytes }
}

/** The files with another one. Throws EngineError `VALIDATION_ERROR` when there are too many. */
export function withFile<File extends { readonly size: number }>(files: readonly File[], added: File): readonly File[] {
  if (files.length >= MAX_ATTACHMENTS) {
    const message = `is one too many: a mail has at most ${MAX_ATTACHMENTS} files`
    throw refused([{ field: 'content', code: 'too_big', message }])
  }
  if (files.reduce((sum, { size }) => sum + size, added.size) > MAX_ATTACHMENT_BYTES)
    throw refused([{ field: 'content', code: 'too_big', message: `${TOO_MUCH_ATTACHED}, with the other files` }])
  return [...files, added]
}

/** Those of these files that fit into one mail, in their order, and how many do not. */
export function fitting<File extends { readonly size: number }>(
  files: readonly File[],
): { readonly kept: readonly File[]; readonly omitted: number } {
  const kept: File[] = []
  let sum = 0
  for (const file of files) {
    if (kept.length === MAX_ATTACHMENTS || sum + file.size > MAX_ATTACHMENT_BYTES) continue
    kept.push(file)
    sum += file.size
  }
  return { kept, omitted: files.length - kept.length }
}
