import type { ByteWriter } from './byte-writer.ts'

/** Characters of text that are looked at between two checks of the writer's room. */
const CHUNK = 4096
/** The last column a character may end in: the 76th is for the `=` of a soft line break (RFC 2045, section 6.7). */
const LAST_COLUMN = 75

const COPY = 0
const ESCAPE = 1
const SPACE = 2
const LINE_END = 3
const LINE_START = 4

const KIND = kinds()
const HEX = Buffer.from('0123456789ABCDEF')

/**
 * Writes text as quoted-printable UTF-8 (RFC 2045, section 6.7), starting at a column, and answers the column it ends
 * at. CR, LF and CRLF become CRLF; a soft line break never splits a character; blanks at the end of a line or of the
 * text are encoded, and so are a `.` and a `From ` that begin a line (RFC 2049, section 3).
 */
export function writeQuotedPrintable(writer: ByteWriter, text: string, column: number): number {
  let i = 0
  while (i < text.length) {
    writer.reserve(CHUNK * 10)
    const bytes = writer.bytes
    const end = Math.min(i + CHUNK, text.length)
    let at = writer.length
    while (i < end) {
      const code = text.charCodeAt(i)
      const kind = code < 128 ? (KIND[code] as number) : ESCAPE
      if (kind === LINE_END) {
        i += code === 13 && text.charCodeAt(i + 1) === 10 ? 2 : 1
        bytes[at++] = 13
        bytes[at++] = 10
        column = 0
        continue
      }
      if (
        kind === COPY ||
        (kind === SPACE && !endsLine(text, i)) ||
        (kind === LINE_START && !isMarked(text, i, column))
      ) {
        if (column === LAST_COLUMN) {
          at = softBreak(bytes, at)
          column = 0
          if (kind === LINE_START) continue
        }
        bytes[at++] = code
        column++
        i++
        continue
      }
      const point = text.codePointAt(i) ?? code
      const width = point < 0x80 ? 3 : point < 0x800 ? 6 : point < 0x10000 ? 9 : 12
      if (column + width > LAST_COLUMN) {
        at = softBreak(bytes, at)
        column = 0
      }
      at = writeEscaped(bytes, at, point)
      column += width
      i += point > 0xffff ? 2 : 1
    }
    writer.length = at
  }
  return column
}

/** Ends the line within the text: the decoder joins what follows. Answers the new column, 0. */
export function writeSoftBreak(writer: ByteWriter): number {
  writer.reserve(3)
  writer.length = softBreak(writer.bytes, writer.length)
  return 0
}

function kinds(): Uint8Array {
  const kind = new Uint8Array(128).fill(ESCAPE)
  kind.fill(COPY, 33, 127)
  kind[0x3d] = ESCAPE
  kind[0x20] = SPACE
  kind[0x09] = SPACE
  kind[0x0d] = LINE_END
  kind[0x0a] = LINE_END
  kind[0x2e] = LINE_START
  kind[0x46] = LINE_START
  return kind
}

function endsLine(text: string, i: number): boolean {
  const next = text.charCodeAt(i + 1)
  return next === 10 || next === 13 || Number.isNaN(next)
}

function isMarked(text: string, i: number, column: number): boolean {
  return column === 0 && (text.charCodeAt(i) === 0x2e || text.startsWith('From ', i))
}

function softBreak(bytes: Buffer, at: number): number {
  bytes[at] = 0x3d
  bytes[at + 1] = 13
  bytes[at + 2] = 10
  return at + 3
}

function writeEscaped(bytes: Buffer, at: number, point: number): number {
  if (point < 0x80) return hex(bytes, at, point)
  if (point < 0x800) return hex(bytes, hex(bytes, at, 0xc0 | (point >> 6)), 0x80 | (point & 0x3f))
  if (point > 0xffff) {
    at = hex(bytes, at, 0xf0 | (point >> 18))
    at = hex(bytes, at, 0x80 | ((point >> 12) & 0x3f))
  } else {
    // An unpaired surrogate has no UTF-8 form: the replacement character stands for it.
    if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd
    at = hex(bytes, at, 0xe0 | (point >> 12))
  }
  return hex(bytes, hex(bytes, at, 0x80 | ((point >> 6) & 0x3f)), 0x80 | (point & 0x3f))
}

function hex(bytes: Buffer, at: number, byte: number): number {
  bytes[at] = 0x3d
  bytes[at + 1] = HEX[byte >> 4] as number
  bytes[at + 2] = HEX[byte & 15] as number
  return at + 3
}
