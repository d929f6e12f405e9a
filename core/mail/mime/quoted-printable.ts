import type { ByteWriter } from './byte-writer.ts'

/** The last column for a character: the 76th is for the `=` of a soft line break (RFC 2045, section 6.7). */
const LAST_COLUMN = 75

const COPY = 0
const ESCAPE = 1
const SPACE = 2
const LINE_END = 3
const LINE_START = 4

const HEX = Buffer.from('0123456789ABCDEF')
const FROM = 'From '
const KIND = kinds()

/**
 * Writes text as quoted-printable UTF-8 (RFC 2045, section 6.7) from a column on, and answers the column it ends at.
 * CR, LF and CRLF become CRLF; a soft line break never splits a character; blanks at the end of a line or of the text
 * are encoded, and so are a `.` and a `From ` at the start of a line (RFC 2049, section 3).
 */
export function writeQuotedPrintable(writer: ByteWriter, text: string, column: number): number {
  const length = writer.putAside(text)
  const from = writer.aside
  // At worst every byte takes three, and a line ends before a character of four bytes.
  writer.reserve(length * 4 + 16)
  const to = writer.bytes
  let at = writer.length
  let i = 0
  while (i < length) {
    const start = i
    const end = Math.min(length, i + LAST_COLUMN - column)
    while (i < end && KIND[from[i] as number] === COPY) to[at++] = from[i++] as number
    column += i - start
    if (i === length) break
    const byte = from[i] as number
    const kind = KIND[byte]
    if (kind === LINE_END) {
      i += byte === 13 && from[i + 1] === 10 ? 2 : 1
      to[at++] = 13
      to[at++] = 10
      column = 0
    } else if (column === LAST_COLUMN) {
      at = softBreak(to, at)
      column = 0
    } else if (
      (kind === SPACE && !endsLine(from, i, length)) ||
      (kind === LINE_START && !(column === 0 && isMark(from, i, length)))
    ) {
      to[at++] = byte
      column++
      i++
    } else {
      const width = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
      if (column + 3 * width > LAST_COLUMN) {
        at = softBreak(to, at)
        column = 0
      }
      for (const last = i + width; i < last; i++) at = hex(to, at, from[i] as number)
      column += 3 * width
    }
  }
  writer.length = at
  return column
}

/** Ends the line within the text: the decoder joins what follows. Answers the new column, 0. */
export function writeSoftBreak(writer: ByteWriter): number {
  writer.reserve(3)
  writer.length = softBreak(writer.bytes, writer.length)
  return 0
}

function kinds(): Uint8Array {
  const kind = new Uint8Array(256).fill(ESCAPE)
  kind.fill(COPY, 33, 127)
  kind[0x3d] = ESCAPE
  kind[0x20] = SPACE
  kind[0x09] = SPACE
  kind[0x0d] = LINE_END
  kind[0x0a] = LINE_END
  kind[0x2e] = LINE_START
  kind[FROM.charCodeAt(0)] = LINE_START
  return kind
}

function endsLine(bytes: Buffer, i: number, length: number): boolean {
  return i + 1 === length || KIND[bytes[i + 1] as number] === LINE_END
}

/** True for a dot or `From `, which some mail servers change at the start of a line. */
function isMark(bytes: Buffer, i: number, length: number): boolean {
  return bytes[i] === 0x2e || bytes.toString('latin1', i, Math.min(i + FROM.length, length)) === FROM
}

function softBreak(bytes: Buffer, at: number): number {
  bytes[at] = 0x3d
  bytes[at + 1] = 13
  bytes[at + 2] = 10
  return at + 3
}

function hex(bytes: Buffer, at: number, byte: number): number {
  bytes[at] = 0x3d
  bytes[at + 1] = HEX[byte >> 4] as number
  bytes[at + 2] = HEX[byte & 15] as number
  return at + 3
}
