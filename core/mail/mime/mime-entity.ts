import { decodeText } from '../../values/decoded-words.ts'
import { fieldValue, type HeaderField, headerFields, parameterized } from './message-header.ts'

/** No real message is nested deeper, or has more parts. */
const MAX_DEPTH = 50
const MAX_PARTS = 2_000

/** Thrown by `readEntity` when the message has too many parts. */
export class TooManyParts extends Error {
  override readonly message =
    `the message has more than ${MAX_PARTS} parts, or parts in parts more than ${MAX_DEPTH} deep`
}

/** A part of a message (RFC 2045), or all of it: its type and where it is in the bytes. */
export interface MimeEntity {
  /** Where its header and its body begin, and where it ends; the line end before a boundary is not included. */
  readonly start: number
  readonly body: number
  readonly end: number
  readonly fields: readonly HeaderField[]
  /** Such as `text/plain`, in lower case. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  /** `base64`, `quoted-printable`, `7bit`, `8bit` or `binary`. */
  readonly encoding: string
  readonly isAttachment: boolean
  readonly filename: string | undefined
  /** The parts of a multipart, or the message inside a message. */
  readonly parts: readonly MimeEntity[]
}

/**
 * Parses bytes with CRLF line ends. A malformed part is a leaf. Throws TooManyParts. docs/decisions.md ("MIME is read by
 * three readers") says what the others are for.
 */
export function readEntity(bytes: Buffer): MimeEntity {
  const budget = { left: MAX_PARTS }
  return entityAt(bytes, 0, bytes.length, 0, budget)
}

/** The parts without further parts, in order. */
export function* leavesOf(entity: MimeEntity): Generator<MimeEntity> {
  if (entity.parts.length === 0) yield entity
  for (const part of entity.parts) yield* leavesOf(part)
}

/** The body of a leaf with its transfer encoding decoded; invalid characters are skipped or kept. */
export function contentOf(bytes: Buffer, { body, end, encoding }: MimeEntity): Buffer {
  const raw = bytes.subarray(body, end)
  if (encoding === 'base64') return Buffer.from(raw.toString('latin1'), 'base64')
  if (encoding !== 'quoted-printable') return raw
  return unquoted(raw)
}

/** The text of a leaf; undefined when its charset is unknown. */
export function textOf(bytes: Buffer, leaf: MimeEntity): string | undefined {
  const content = contentOf(bytes, leaf)
  const charset = leaf.parameters.get('charset')
  const text = charset === undefined ? plainText(content) : decodeText(content, charset)
  return text?.replaceAll('\0', '').toWellFormed()
}

/** Text without a declared charset: UTF-8 if it is valid, as most is. */
function plainText(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return decodeText(content, 'windows-1252') ?? content.toString('latin1')
  }
}

function entityAt(bytes: Buffer, start: number, end: number, depth: number, budget: { left: number }): MimeEntity {
  if (--budget.left < 0 || depth > MAX_DEPTH) throw new TooManyParts()
  const isHeadless = bytes[start] === 13 && bytes[start + 1] === 10
  const blank = isHeadless ? start - 2 : bytes.subarray(start, end).indexOf('\r\n\r\n') + start
  const isHeader = blank >= start || isHeadless
  const body = isHeader ? Math.min(blank + 4, end) : end
  const fields = isHeadless ? [] : headerFields(bytes.toString('latin1', start, isHeader ? blank : end))
  const { word, parameters } = parameterized(fieldValue(fields, 'content-type') ?? '')
  const type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(word) ? word : 'text/plain'
  const disposition = parameterized(fieldValue(fields, 'content-disposition') ?? '')
  const filename = disposition.parameters.get('filename') ?? parameters.get('name')
  const given = fieldValue(fields, 'content-transfer-encoding')?.trim().toLowerCase() ?? '7bit'
  const encoding = /^(?:base64|quoted-printable|8bit|binary)$/.test(given) ? given : '7bit'
  const at = { start, body, end }
  return {
    ...at,
    fields,
    type,
    parameters,
    encoding,
    filename,
    isAttachment: disposition.word === 'attachment' || (filename !== undefined && disposition.word !== 'inline'),
    parts: partsOf(bytes, at, { type, encoding, boundary: parameters.get('boundary') }, depth, budget),
  }
}

function partsOf(
  bytes: Buffer,
  { body, end }: Pick<MimeEntity, 'body' | 'end'>,
  {
    type,
    encoding,
    boundary,
  }: { readonly type: string; readonly encoding: string; readonly boundary: string | undefined },
  depth: number,
  budget: { left: number },
): readonly MimeEntity[] {
  const isPlain = encoding !== 'base64' && encoding !== 'quoted-printable'
  if (!isPlain || body >= end) return []
  if (/^message\/(?:rfc822|global)$/.test(type)) return [entityAt(bytes, body, end, depth + 1, budget)]
  if (!type.startsWith('multipart/') || !boundary || boundary.length > 200) return []
  return [...stretches(bytes, body, end, boundary)].map(([from, to]) => entityAt(bytes, from, to, depth + 1, budget))
}

/** Where the parts between the boundaries are (RFC 2046, section 5.1.1). */
function* stretches(bytes: Buffer, body: number, end: number, boundary: string): Generator<readonly [number, number]> {
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  // stop at `end`, or many nested parts would each search everything that follows
  const inside = bytes.subarray(body, end)
  let open: number | undefined
  for (let at = inside.indexOf(mark); at >= 0; at = inside.indexOf(mark, at + mark.length)) {
    if (at > 0 && !(inside[at - 2] === 13 && inside[at - 1] === 10)) continue
    const lineEnd = inside.indexOf('\r\n', at + mark.length)
    const line = lineEnd < 0 ? inside.length : lineEnd
    const rest = inside.toString('latin1', at + mark.length, Math.min(line, at + mark.length + 100))
    // another boundary that begins like this one
    if (!/^(?:--)?[ \t]*$/.test(rest)) continue
    if (open !== undefined) yield [body + open, body + Math.max(open, at - 2)]
    if (rest.startsWith('--')) return
    open = Math.min(line + 2, inside.length)
  }
  if (open !== undefined) yield [body + open, end]
}

function unquoted(raw: Buffer): Buffer {
  const content = Buffer.allocUnsafe(raw.length)
  let length = 0
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i] as number
    if (byte !== EQUALS) {
      content[length++] = byte
      continue
    }
    const [high, low] = [nibble(raw[i + 1]), nibble(raw[i + 2])]
    const lineEnd = high < 0 ? softBreak(raw, i + 1) : undefined
    if (high >= 0 && low >= 0) {
      content[length++] = high * 16 + low
      i += 2
    } else if (lineEnd === undefined) content[length++] = byte
    else i = lineEnd
  }
  return content.subarray(0, length)
}

const EQUALS = 0x3d

function nibble(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** The place of the LF of a soft line break, with blanks before its end skipped; undefined when there is none. */
function softBreak(raw: Buffer, from: number): number | undefined {
  let at = from
  while (at < from + 76 && (raw[at] === 32 || raw[at] === 9)) at++
  return raw[at] === 13 && raw[at + 1] === 10 ? at + 1 : undefined
}
