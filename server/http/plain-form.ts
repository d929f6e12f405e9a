import type { FormPart } from './body.ts'

/* Forms of a few texts, which most requests of other services' clients are, read as they lie in memory. */

/** A form with more bytes is read by the parser of streams, which lets other work run. */
const MAX_BYTES = 64 * 1024
const BOUNDARY = /^multipart\/form-data *; *boundary=(?:"([\w'()+./:=?-]{1,70})"|([\w'()+./:=?-]{1,70}))$/i
const HEAD = 'content-disposition: form-data; name="'
const HEAD_AS_WRITTEN = 'Content-Disposition: form-data; name="'

/**
 * The parts of a multipart form (RFC 7578) of nothing but texts in UTF-8; undefined for any other, also for one that is
 * not written as nearly all clients write it, and for one with more than `most` parts. It makes few objects: each request
 * waits for a commit with what it has, and the collection of that would cost more than the reading.
 */
export function plainForm(bytes: Buffer, type: string, most: number): readonly FormPart[] | undefined {
  const [, quoted, bare = quoted] = BOUNDARY.exec(type) ?? []
  if (bare === undefined || bytes.length > MAX_BYTES) return undefined
  const text = bytes.toString('utf8')
  // bytes that are no UTF-8 have become this sign
  if (!text.startsWith(`--${bare}`) || text.includes('\ufffd')) return undefined
  const delimiter = `\r\n--${bare}`
  const parts: FormPart[] = []
  for (let at = delimiter.length - 2; ; ) {
    const end = text.indexOf(delimiter, at)
    if (end < 0) return isEnd(text, at) ? parts : undefined
    const part = parts.length < most ? textPart(text, at, end) : undefined
    if (part === undefined) return undefined
    parts.push(part)
    at = end + delimiter.length
  }
}

/** Whether the last delimiter stands before this place. */
function isEnd(text: string, at: number): boolean {
  const rest = text.length - at
  return text.startsWith('--', at) && (rest === 2 || (rest === 4 && text.endsWith('\r\n')))
}

/** The part of the text from one delimiter to the next; undefined when its head is not that of a text alone. */
function textPart(text: string, begin: number, end: number): FormPart | undefined {
  const nameAt = begin + 2 + HEAD.length
  const nameEnd = text.indexOf('"', nameAt)
  if (nameEnd < 0 || nameEnd + 5 > end || !text.startsWith('\r\n\r\n', nameEnd + 1)) return undefined
  if (!text.startsWith('\r\n', begin)) return undefined
  if (!text.startsWith(HEAD_AS_WRITTEN, begin + 2) && text.slice(begin + 2, nameAt).toLowerCase() !== HEAD)
    return undefined
  const name = text.slice(nameAt, nameEnd)
  return UNUSUAL.test(name) ? undefined : { name, value: text.slice(nameEnd + 5, end) }
}

/** Signs in a name that some clients mean otherwise. */
const UNUSUAL = /[\\%\r\n]/

const [AND, EQUALS, PERCENT, PLUS, SPACE] = [38, 61, 37, 43, 32]

/** The value of a hexadecimal digit by its byte; of any other byte far below zero. */
const DIGITS = Int16Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(digit) ? -1000 : digit
})

/**
 * The parts of a form that is written like a query (WHATWG URL, `application/x-www-form-urlencoded`); undefined for one
 * with more than `most`.
 */
export function encodedForm(bytes: Buffer, most: number): readonly FormPart[] | undefined {
  const parts: FormPart[] = []
  let pairs = 0
  for (let at = 0; at < bytes.length; pairs += 1) {
    const found = bytes.indexOf(AND, at)
    const end = found < 0 ? bytes.length : found
    const pair = bytes.subarray(at, end)
    const equals = pair.indexOf(EQUALS)
    const value = equals < 0 ? '' : decoded(pair.subarray(equals + 1))
    if (pair.length > 0) parts.push({ name: decoded(equals < 0 ? pair : pair.subarray(0, equals)), value })
    at = end + 1
    if (pairs >= most) return undefined
  }
  return parts
}

/** A percent sign without two digits stands for itself. */
function decoded(bytes: Buffer): string {
  const plain = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT && at + 2 < bytes.length) {
      const value = (DIGITS[bytes[at + 1] ?? 0] ?? 0) * 16 + (DIGITS[bytes[at + 2] ?? 0] ?? 0)
      if (value >= 0) {
        byte = value
        at += 2
      }
    }
    plain[length] = byte
    length += 1
  }
  return plain.toString('utf8', 0, length)
}
