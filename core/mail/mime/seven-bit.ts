import { invalidField } from '../../errors.ts'
import { base64Lines } from './base64-lines.ts'
import { ByteWriter } from './byte-writer.ts'
import { contentOf, leavesOf, type MimeEntity } from './mime-entity.ts'
import { writeQuotedPrintable } from './quoted-printable.ts'
import { sevenBit, writtenFields } from './written-header.ts'

const LONGEST_LINE = 998
const CR = 13
const LF = 10

/** A replacement for a stretch of bytes. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly bytes: Uint8Array
}

/**
 * The edits that make a message 7 bit in lines every server takes (RFC 5321, section 4.5.3.1.6): of leaves, and of
 * headers of parts. Throws EngineError `VALIDATION_ERROR` for signed or encrypted parts that are not 7 bit, since not a
 * byte of them may change.
 */
export function* sevenBitEdits(bytes: Buffer, entity: MimeEntity): Generator<Edit> {
  if (isImmutable(entity) && !isSevenBit(bytes, entity.start, entity.end)) {
    throw invalidField('message', 'invalid_string', 'has a signed part that is not 7 bit (RFC 1847, section 2.1)')
  }
  if (entity.parts.length === 0) {
    if (!isSevenBit(bytes, entity.start, entity.end)) yield encoded(bytes, entity)
    return
  }
  const isDeclared = entity.encoding === '8bit' || entity.encoding === 'binary'
  if (isDeclared || !isSevenBit(bytes, entity.start, entity.body)) {
    const header = fieldsOf(bytes, entity).filter((line) => !TRANSFER.test(line))
    yield { from: entity.start, to: entity.body, bytes: Buffer.from(`${header.join('')}\r\n`, 'latin1') }
  }
  for (const part of entity.parts) yield* sevenBitEdits(bytes, part)
}

/** The pieces of the bytes after the edits, which are ordered by place. */
export function* afterEdits(bytes: Buffer, edits: readonly Edit[]): Generator<Uint8Array> {
  let at = 0
  for (const edit of edits) {
    yield bytes.subarray(at, edit.from)
    yield edit.bytes
    at = edit.to
  }
  yield bytes.subarray(at)
}

const TRANSFER = /^content-transfer-encoding[ \t]*:/i

/** True when a stretch is ASCII in lines of at most 998 octets. */
function isSevenBit(bytes: Buffer, from: number, to: number): boolean {
  let start = from
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number
    if (byte > 126 || byte === 0) return false
    if (byte !== LF) continue
    if (i - 1 - start > LONGEST_LINE) return false
    start = i + 1
  }
  return to - start <= LONGEST_LINE
}

/** The fields of a header as they are sent. */
export function fieldsOf(bytes: Buffer, { start, body }: MimeEntity): readonly string[] {
  return writtenFields(bytes.subarray(start, body)).map(sevenBit)
}

/** A leaf, re-encoded. */
function encoded(bytes: Buffer, leaf: MimeEntity): Edit {
  const fields = fieldsOf(bytes, leaf).filter((line) => !TRANSFER.test(line))
  const place = { from: leaf.start, to: leaf.end }
  if (isSevenBit(bytes, leaf.body, leaf.end)) {
    const header = Buffer.from(`${fieldsOf(bytes, leaf).join('')}\r\n`, 'latin1')
    return { ...place, bytes: Buffer.concat([header, bytes.subarray(leaf.body, leaf.end)]) }
  }
  const content = contentOf(bytes, leaf)
  const charset = leaf.parameters.get('charset')
  const text = leaf.type.startsWith('text/') ? utf8(content, charset) : undefined
  // it names no charset, or names ASCII wrongly
  const isUnnamed = leaf.type.startsWith('text/') && (charset === undefined || /^us-ascii$/i.test(charset))
  const named = isUnnamed ? inCharset(fields, leaf.type, text === undefined ? 'windows-1252' : 'utf-8') : fields
  const encoding = text === undefined ? 'base64' : 'quoted-printable'
  const header = `${named.join('')}Content-Transfer-Encoding: ${encoding}\r\n\r\n`
  const body = text === undefined ? base64Lines(content) : quotedPrintable(text)
  return { ...place, bytes: Buffer.concat([Buffer.from(header, 'latin1'), withoutLineEnd(body)]) }
}

const TYPE = /^content-type[ \t]*:/i

/** Fields of a text part that name this charset instead of another or none. */
export function inCharset(fields: readonly string[], type: string, charset: string): readonly string[] {
  const given = fields.find((line) => TYPE.test(line))?.replace(TYPE, '') ?? ` ${type}`
  const rest = given.replace(/;\s*charset\*?\s*=\s*(?:"[^"]*"|[^;\s]*)/gi, '').replace(/(?<![;\s])[;\s]+$/, '')
  return [...fields.filter((line) => !TYPE.test(line)), `Content-Type:${rest};\r\n charset=${charset}\r\n`]
}

/** The content as text, when it is UTF-8 and declares that or nothing. */
function utf8(content: Buffer, charset = 'utf-8'): string | undefined {
  if (!/^"?(?:utf-?8|us-ascii)"?$/i.test(charset)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** The text as quoted-printable UTF-8. */
export function quotedPrintable(text: string): Buffer {
  const writer = new ByteWriter(text.length * 2 + 1024)
  writeQuotedPrintable(writer, text, 0)
  return writer.take()
}

/** The line end before a boundary belongs to the boundary. */
function withoutLineEnd(body: Buffer): Buffer {
  return body.at(-1) === LF && body.at(-2) === CR ? body.subarray(0, -2) : body
}

/** Whether it is signed or encrypted, and must not change. */
function isImmutable(entity: MimeEntity): boolean {
  return /^multipart\/(?:signed|encrypted)$/.test(entity.type) || /^application\/(?:x-)?pkcs7-mime$/.test(entity.type)
}

/** The leaves outside signed and encrypted parts. */
export function* mutableLeaves(entity: MimeEntity): Generator<MimeEntity> {
  if (isImmutable(entity)) return
  if (entity.type.startsWith('message/')) return
  if (entity.parts.length === 0) yield* leavesOf(entity)
  for (const part of entity.parts) yield* mutableLeaves(part)
}
