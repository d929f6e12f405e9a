import type { OutgoingAttachment } from '../../ports/mail-transport.ts'
import { decodeWords } from '../../values/decoded-words.ts'
import { endingOf } from '../../values/file-ending.ts'
import { fieldValue, parameterized } from './message-header.ts'
import { contentOf, leavesOf, type MimeEntity, readEntity } from './mime-entity.ts'

/** The attachments of a message: parts with a name, and parts that are neither plain text nor HTML. */
export function attachmentsOf(message: Uint8Array): readonly OutgoingAttachment[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const leaves = [...leavesOf(readEntity(bytes))]
  return leaves.filter(isAttached).map((leaf, i) => attachmentOf(bytes, leaf, i))
}

function isAttached({ isAttachment, type, fields }: MimeEntity): boolean {
  return isAttachment || fieldValue(fields, 'content-id') !== undefined || !/^text\/(?:plain|html)$/.test(type)
}

function attachmentOf(bytes: Buffer, leaf: MimeEntity, i: number): OutgoingAttachment {
  const { fields, type, filename } = leaf
  const contentId = fieldValue(fields, 'content-id')?.replace(/^<|>$/g, '')
  const { word } = parameterized(fieldValue(fields, 'content-disposition') ?? '')
  const content = contentOf(bytes, leaf)
  const ending = endingOf(type, content)
  return {
    filename: decodeWords(filename ?? `attachment-${i + 1}${ending === undefined ? '' : `.${ending}`}`),
    contentType: type,
    disposition: word === 'inline' || (word === '' && contentId !== undefined) ? 'inline' : 'attachment',
    ...(contentId === undefined ? {} : { contentId }),
    content,
  }
}
