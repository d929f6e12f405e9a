import type { OutgoingAttachment } from '../ports/mail-transport.ts'
import { refuseInjection } from './header-fields.ts'

/** The longest file name that is written without RFC 2231, and the longest value of one of its parameters. */
const SHORT = 60

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?:\s*;[\x20-\x7e]*)?$/
/** Types whose parts may not be base64 (RFC 2046, sections 5.1 and 5.2): they travel as plain bytes with their name. */
const COMPOSITE = /^(?:message|multipart)\//i

/**
 * The header fields of an attachment's part, each with its line end. A content type that is not one is sent as
 * `application/octet-stream`. Throws EngineError `VALIDATION_ERROR` (`header_injection`) on CR, LF or NUL.
 */
export function attachmentFields(attachment: OutgoingAttachment, index: number): string {
  const { filename, contentType, disposition, contentId } = attachment
  const field = `attachments.${index}`
  refuseInjection(filename, `${field}.filename`)
  refuseInjection(contentType, `${field}.contentType`)
  refuseInjection(contentId ?? '', `${field}.contentId`)
  const sendable = MEDIA_TYPE.test(contentType) && contentType.length <= 500 && !COMPOSITE.test(contentType)
  const type = sendable ? contentType : 'application/octet-stream'
  return (
    `Content-Type: ${type}\r\n` +
    'Content-Transfer-Encoding: base64\r\n' +
    (contentId === undefined ? '' : `Content-ID: ${contentIdValue(contentId)}\r\n`) +
    `Content-Disposition: ${disposition}${filenameParameters(filename)}\r\n`
  )
}

/** The parameters for a file name: plain when it is short ASCII, else an ASCII likeness and the name in RFC 2231 form. */
function filenameParameters(filename: string): string {
  const plain = asciiLikeness(filename)
  if (plain === filename) return `;\r\n filename="${filename}"`
  return `;\r\n filename="${plain}"${extendedParameters(filename)}`
}

/** `filename*=UTF-8''…`, cut into numbered parameters when long; no character is split between two of them. */
function extendedParameters(filename: string): string {
  const values: string[] = []
  let value = "UTF-8''"
  for (const character of filename.toWellFormed()) {
    const encoded = encodeCharacter(character)
    if (value.length + encoded.length > SHORT) {
      values.push(value)
      value = ''
    }
    value += encoded
  }
  values.push(value)
  if (values.length === 1) return `;\r\n filename*=${value}`
  return values.map((part, i) => `;\r\n filename*${i}*=${part}`).join('')
}

/** As RFC 5987's attr-char; `encodeURIComponent` leaves five characters that RFC 2231 reserves. */
function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function asciiLikeness(filename: string): string {
  const plain = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]+/g, '_')
  if (plain.length <= SHORT) return plain
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? ''
  return plain.slice(0, SHORT - extension.length) + extension
}

/** RFC 2392: the id in angle brackets; whatever cannot stand there is percent-encoded, as in a `cid:` link. */
function contentIdValue(contentId: string): string {
  const id = contentId.replace(/^<|>$/g, '').toWellFormed()
  return `<${id.replace(/[^\x21-\x3b\x3d\x3f-\x7e]+/g, encodeURIComponent)}>`
}
