import { decodeText, fieldValue, type HeaderField, headerFields, parameterized } from './message-header.ts'

/** Deeper, or with more parts, is a message nobody wrote. */
const DEEPEST = 50
const MOST_PARTS = 2_000

/** Thrown by `readEntity`: the message is made of more than anybody needs. */
export class TooManyParts extends Error {
  override readonly message =
    `the message has more than ${MOST_PARTS} parts, or parts in parts more than ${DEEPEST} deep`
}

/** A part of a message (RFC 2045), or the whole of it: where it stands in the bytes, and what it is. */
export interface MimeEntity {
  /** Where its header begins and its body, and where it ends; the line end in front of a boundary is no part of it. */
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
  /** Of a multipart its parts, of a message inside that message: what its bytes are made of. */
  readonly parts: readonly MimeEntity[]
}

/** Reads bytes whose lines end with CRLF. What is broken is a part by itself. Throws TooManyParts. */
export function readEntity(bytes: Buffer): MimeEntity {
  const budget = { left: MOST_PARTS }
  return entityAt(bytes, 0, bytes.length, 0, budget)
}

/** Parts without parts, in their order. */
export function* leavesOf(entity: MimeEntity): Generator<MimeEntity> {
  if (entity.parts.length === 0) yield entity
  for (const part of entity.parts) yield* leavesOf(part)
}

/** The body of a leaf without its transfer encoding; what is no such encoding is left out or stays. */
export function contentOf(bytes: Buffer, { body, end, encoding }: MimeEntity): Buffer {
  const raw = bytes.subarray(body, end)
  if (encoding === 'base64') return Buffer.from(raw.toString('latin1'), 'base64')
  if (encoding !== 'quoted-printable') return raw
  return unquoted(raw)
}

/** The text of a leaf; undefined when its charset is not known. */
export function textOf(bytes: Buffer, leaf: MimeEntity): string | undefined {
  const content = contentOf(bytes, leaf)
  const charset = leaf.parameters.get('charset')
  const text = charset === undefined ? plainText(content) : decodeText(content, charset)
  return text?.replaceAll('\0', '').toWellFormed()
}

/** Text of an unnamed charset: UTF-8 where it is that, as most is. */
function plainText(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return decodeText(content, 'windows-1252') ?? content.toString('latin1')
  }
}

function entityAt(bytes: Buffer, start: number, end: number, depth: number, budget: { left: number }): MimeEntity {
  if (--budget.left < 0 || depth > DEEPEST) throw new TooManyParts()
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

/** Where the parts between the boundaries stand (RFC 2046, section 5.1.1). */
function* stretches(bytes: Buffer, body: number, end: number, boundary: string): Generator<readonly [number, number]> {
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  // nothing behind the end is looked at: else many parts would each look through all that follows
  const inside = bytes.subarray(body, end)
  let open: number | undefined
  for (let at = inside.indexOf(mark); at >= 0; at = inside.indexOf(mark, at + mark.length)) {
    if (at > 0 && !(inside[at - 2] === 13 && inside[at - 1] === 10)) continue
    const lineEnd = inside.indexOf('\r\n', at + mark.length)
    const line = lineEnd < 0 ? inside.length : lineEnd
    const rest = inside.toString('latin1', at + mark.length, Math.min(line, at + mark.length + 100))
    // of another boundary that begins as this one does
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

/** The place of the LF of a soft line break, blanks before its end included; undefined when it is none. */
function softBreak(raw: Buffer, from: number): number | undefined {
  let at = from
  while (at < from + 76 && (raw[at] === 32 || raw[at] === 9)) at++
  return raw[at] === 13 && raw[at + 1] === 10 ? at + 1 : undefined
}
