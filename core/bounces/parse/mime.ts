import { isUtf8 } from 'node:buffer'
import { decodeReferences } from '../../values/decode-references.ts'
import { decodeText, unmangled } from '../../values/decoded-words.ts'

/** How many bytes of a message are parsed: the text of a report stands before the mail it returns. */
export const MAX_PARSED_BYTES = 1024 * 1024
/** Limits for one block of header fields: bytes, and number of fields. */
const HEADER_SIZE = 128 * 1024
const MAX_FIELDS = 1000
const MAX_PARTS = 100
const DEEPEST = 8
/** How many bytes of one part's text are decoded. */
const TEXT_SIZE = 256 * 1024

/** The fields of a header block: unfolded values by lower-case name, in order. */
export class HeaderFields {
  readonly #fields = new Map<string, string[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The first field of this name. */
  get(name: string): string | undefined {
    return this.#fields.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#fields.get(name) ?? []
  }

  add(name: string, value: string): void {
    if (this.#size >= MAX_FIELDS) return
    this.#size++
    const key = name.toLowerCase()
    const values = this.#fields.get(key)
    if (values) values.push(value)
    else this.#fields.set(key, [value])
  }
}

/** A part without further parts. A message inside the message is such a part: it is not parsed further. */
export interface MimePart {
  /** Such as `text/plain`, in lower case. */
  readonly type: string
  readonly fields: HeaderFields
  /** The body, decoded as its header says, as far as that can be done. */
  text(): string
  /** The body as bytes, decoded the same way, and whole as far as the message is read. */
  bytes(): Buffer
}

export interface MimeMessage {
  readonly fields: HeaderFields
  readonly type: string
  /** The parts in order; a message without parts is its own only part. */
  readonly parts: readonly MimePart[]
}

/**
 * Parses a message (RFC 5322, 2045, 2046) as far as reports need it. Reads its first megabyte in one pass, with limits
 * on the number and the depth of parts, so any input takes bounded time. Malformed parts are kept as they are.
 * docs/decisions.md ("MIME is read by three readers") says why it is not `mailparser`.
 */
export function readMime(raw: Uint8Array): MimeMessage {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_PARSED_BYTES))
  // some copies have lost one half of their line ends, or have it twice
  const text = bytes
    .toString('latin1')
    .replace(/(?<!\r)\r\r+\n/g, '\r\n')
    .replace(/\r(?!\n)/g, '\n')
    .replace(/^From [^\n]*\n/, '')
  const { fields, body } = split(text, 0, text.length)
  const parts: MimePart[] = []
  collect({ text, fields, start: body, end: text.length }, parts, 0)
  return { fields, type: typeOf(fields).type, parts }
}

interface Entity {
  readonly text: string
  readonly fields: HeaderFields
  readonly start: number
  readonly end: number
}

function collect(entity: Entity, parts: MimePart[], depth: number): void {
  if (parts.length >= MAX_PARTS) return
  const { text, fields, start, end } = entity
  const { type, boundary } = typeOf(fields)
  if (type.startsWith('multipart/') && depth < DEEPEST) {
    const inside = pieces(text, start, end, boundary)
    if (inside.length > 0) {
      for (const [from, to] of inside) {
        if (parts.length >= MAX_PARTS) return
        const part = split(text, from, to)
        collect({ text, fields: part.fields, start: part.body, end: to }, parts, depth + 1)
      }
      return
    }
  }
  parts.push({
    type: type.startsWith('multipart/') ? 'text/plain' : type,
    fields,
    text: () => decoded(entity),
    bytes: () => bodyOf(entity, end - start),
  })
}

/** Where the parts between the boundaries are. Without the declared boundary, a line that looks like one is used. */
function pieces(text: string, start: number, end: number, given: string | undefined): readonly [number, number][] {
  const found = given === undefined ? [] : piecesBy(given, text, start, end)
  if (found.length > 0) return found
  const seen = /^--([^\s-](?:[^\r\n]{0,68}[^\s])?)[ \t]*\r?$/m.exec(
    text.slice(start, Math.min(end, start + HEADER_SIZE)),
  )?.[1]
  return piecesBy(seen, text, start, end)
}

function piecesBy(
  boundary: string | undefined,
  whole: string,
  start: number,
  end: number,
): readonly [number, number][] {
  if (boundary === undefined || boundary === '') return []
  // a boundary that is not there is looked for within the part alone
  const text = whole.slice(0, end)
  const mark = `--${boundary}`
  const found: [number, number][] = []
  let open: number | undefined
  for (let at = text.indexOf(mark, start); at >= 0 && at < end; at = text.indexOf(mark, at + mark.length)) {
    if (at > start && text[at - 1] !== '\n') continue
    const line = lineEnd(text, at, end)
    const rest = text.slice(at + mark.length, Math.min(line, at + mark.length + 4)).trimEnd()
    if (rest !== '' && !rest.startsWith('--') && text.slice(at + mark.length, line).trim() !== '') continue
    if (open !== undefined) found.push([open, at])
    open = rest.startsWith('--') ? undefined : Math.min(line + 1, end)
    if (open === undefined || found.length >= MAX_PARTS) break
  }
  if (open !== undefined && found.length < MAX_PARTS) found.push([open, end])
  return found
}

function lineEnd(text: string, from: number, end: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 || at > end ? end : at
}

/** The header fields at `start`, and where the body begins. */
function split(text: string, start: number, end: number): { readonly fields: HeaderFields; readonly body: number } {
  const most = Math.min(end, start + HEADER_SIZE)
  let body = most
  let at = start
  // the header ends with an empty line, or with the first line that is no field
  while (at < most) {
    const line = lineEnd(text, at, end)
    if (line === at || (line === at + 1 && text[at] === '\r')) {
      body = Math.min(line + 1, end)
      break
    }
    at = line + 1
  }
  return { fields: readFields(text.slice(start, Math.min(at, most))), body }
}

/** Parses fields, one per line, and joins folded ones (RFC 5322, section 2.2.3). Other lines are skipped. */
export function readFields(block: string): HeaderFields {
  const fields = new HeaderFields()
  let name: string | undefined
  let value: string[] = []
  const done = () => {
    if (name !== undefined) fields.add(name, value.join(' ').trim())
  }
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (name !== undefined) value.push(line.trim())
      continue
    }
    const colon = line.indexOf(':')
    const given = colon < 0 ? '' : line.slice(0, colon).trimEnd()
    if (!/^[!-9;-~]{1,100}$/.test(given)) continue
    done()
    name = given
    value = [line.slice(colon + 1).trim()]
  }
  done()
  return fields
}

function typeOf(fields: HeaderFields): {
  readonly type: string
  readonly boundary?: string
  readonly charset?: string
} {
  const field = (fields.get('content-type') ?? 'text/plain').slice(0, 2000)
  const type = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(field)?.[1]?.toLowerCase() ?? 'text/plain'
  const boundary = parameter(field, 'boundary')
  const charset = parameter(field, 'charset')
  return { type, ...(boundary === undefined ? {} : { boundary }), ...(charset === undefined ? {} : { charset }) }
}

function parameter(field: string, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(field) ?? []
  return quoted ?? plain
}

function bodyOf({ text, fields, start, end }: Entity, most: number): Buffer {
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase()
  return bytesOf(text.slice(start, Math.min(end, start + most)), encoding)
}

function decoded(entity: Entity): string {
  const { type, charset } = typeOf(entity.fields)
  const words = decodeWith(bodyOf(entity, TEXT_SIZE), charset)
  return type === 'text/html' ? withoutTags(words) : words
}

function bytesOf(body: string, encoding: string | undefined): Buffer {
  // the decoder skips what is not base64
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const text = body
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}

/**
 * Whatever a part declares: bytes that are UTF-8 throughout are that, and the shifts of ISO-2022-JP stand in no other
 * text.
 */
function decodeWith(bytes: Buffer, charset: string | undefined): string {
  const isHigh = bytes.some((byte) => byte > 0x7f)
  if (isHigh && isUtf8(bytes)) return unmangled(bytes.toString('utf8'))
  if (!isHigh && SHIFTS.test(bytes.toString('latin1', 0, TEXT_SIZE))) return decodeText(bytes, 'iso-2022-jp') ?? ''
  return decodeText(bytes, charset ?? 'windows-1252') ?? bytes.toString('latin1')
}

const SHIFTS = /\x1b(?:\$[@B]|\([BJI])/

/** Enough to read the text: reports in HTML alone are rare. */
function withoutTags(html: string): string {
  const bare = html
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^<>]{0,200}>/gi, '\n')
    .replace(/<(?:\/?[a-z!][^<>@]{0,2000})>/gi, '')
  return decodeReferences(bare).replaceAll('\u00a0', ' ')
}
