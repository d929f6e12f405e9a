import { hash } from 'node:crypto'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

/** A header field in canonical form: its name in lower case, its value on one line. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

/**
 * SHA-256 of a body in the relaxed form of RFC 6376, section 3.4.4, in base64: runs of blanks become one space, blanks
 * at line ends and empty lines at the end are dropped. Line ends of the body are CRLF, and it has no bare CR or LF.
 */
export function relaxedBodyHash(body: Buffer): string {
  const end = endOfRelaxed(body)
  return end === undefined ? hashOfOther(body) : hash('sha256', body.subarray(0, end), 'base64')
}

/** The same for a whole message. */
export function bodyHashOf(message: Buffer): string {
  return relaxedBodyHash(message.subarray(message.indexOf('\r\n\r\n') + 4))
}

/** Where a body without blanks to change ends; undefined when it has some. Most bodies have none. */
function endOfRelaxed(body: Buffer): number | undefined {
  // faster than to search for each, since a text is full of single spaces
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte > SPACE) continue
    if (byte === TAB) return undefined
    if (byte === SPACE && (body[at + 1] === SPACE || body[at + 1] === CR)) return undefined
  }
  let end = body.length
  while (end >= 4 && body.toString('latin1', end - 4, end) === '\r\n\r\n') end -= 2
  return end > 2 && body.toString('latin1', end - 2, end) === '\r\n' ? end : undefined
}

function hashOfOther(body: Uint8Array): string {
  const canonical = Buffer.allocUnsafe(body.length + 2)
  let length = 0
  let end = 0
  let at = 0
  while (at < body.length) {
    let byte = body[at] ?? 0
    if (byte > SPACE) {
      // nearly all bytes pass through this loop
      for (; byte > SPACE; byte = body[++at] ?? 0) canonical[length++] = byte
      end = length
    } else if (isBlank(byte)) {
      while (isBlank(byte)) byte = body[++at] ?? LF
      if (byte !== CR && byte !== LF) canonical[length++] = SPACE
    } else {
      canonical[length++] = byte
      at++
      if (byte !== CR && byte !== LF) end = length
    }
  }
  if (end === 0) return hash('sha256', '', 'base64')
  canonical[end] = CR
  canonical[end + 1] = LF
  return hash('sha256', canonical.subarray(0, end + 2), 'base64')
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB
}

/** The fields of a header in the relaxed form of RFC 6376, section 3.4.2, from top to bottom. */
export function relaxedFields(header: string): readonly HeaderField[] {
  return header.split(/\r\n(?![ \t])/).map((field) => {
    const colon = field.indexOf(':')
    return { name: field.slice(0, colon).toLowerCase(), value: relaxedValue(field.slice(colon + 1)) }
  })
}

/** A field's value on one line, with runs of blanks as one space and none at its ends. */
export function relaxedValue(value: string): string {
  return value
    .replaceAll('\r\n', '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')
}
