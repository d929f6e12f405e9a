import type { OutgoingAttachment } from '../../ports/mail-transport.ts'
import { folded, refuseInjection } from './header-fields.ts'

/** The longest file name written without RFC 2231, and the longest value of one of its parameters. */
const SHORT = 60

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/
/** A parameter: a token, or a quoted string (RFC 2045, section 5.1). */
const PARAMETER =
  /\s*;\s*([A-Za-z0-9!#$&^_.+*-]+=(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"|[^\s"(),/:;<=>?@[\\\]]+))\s*/y
/** A longer type is invalid. */
const MAX_TYPE_LENGTH = 500
/**
 * Types whose parts must not be base64 (RFC 2046, sections 5.1 and 5.2): they are sent as plain bytes with their name.
 */
const COMPOSITE = /^(?:message|multipart)\//i

/**
 * The header fields of an attachment's part, each with its line end. An invalid content type becomes
 * `application/octet-stream`; invalid parameters are dropped. Throws EngineError `VALIDATION_ERROR`
 * (`header_injection`) on CR, LF or NUL.
 */
export function attachmentFields(attachment: OutgoingAttachment, index: number): string {
  const { filename, contentType, disposition, contentId } = attachment
  const field = `attachments.${index}`
  refuseInjection(filename, `${field}.filename`)
  refuseInjection(contentType, `${field}.contentType`)
  refuseInjection(contentId ?? '', `${field}.contentId`)
  return (
    folded('Content-Type', typeTokens(contentType)) +
    'Content-Transfer-Encoding: base64\r\n' +
    (contentId === undefined ? '' : `Content-ID: ${contentIdValue(contentId)}\r\n`) +
    `Content-Disposition: ${disposition}${filenameParameters(filename)}\r\n`
  )
}

/** The type and its parameters, a token each. */
function typeTokens(contentType: string): readonly string[] {
  const [given = ''] = contentType.split(';', 1)
  const type = given.trim()
  if (!MEDIA_TYPE.test(type) || COMPOSITE.test(type) || contentType.length > MAX_TYPE_LENGTH)
    return ['application/octet-stream']
  const parameters: string[] = []
  PARAMETER.lastIndex = given.length
  while (PARAMETER.lastIndex < contentType.length) {
    const [, parameter] = PARAMETER.exec(contentType) ?? []
    const name = parameter?.split('=', 1)[0]?.toLowerCase()
    if (parameter === undefined || parameters.some((each) => each.toLowerCase().startsWith(`${name}=`))) return [type]
    parameters.push(parameter)
  }
  return [type, ...parameters].map((token, i) => (i < parameters.length ? `${token};` : token))
}

/** The parameters for a file name: plain when it is short ASCII, else an ASCII version and RFC 2231 form. */
function filenameParameters(filename: string): string {
  const plain = asciiLikeness(filename)
  if (plain === filename) return `;\r\n filename="${filename}"`
  return `;\r\n filename="${plain}"${extendedParameters(filename)}`
}

/** `filename*=UTF-8''…`, cut into numbered parameters when long, never within a character. */
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

/** RFC 2392: the id in angle brackets; other characters are percent-encoded, as in a `cid:` link. */
function contentIdValue(contentId: string): string {
  const id = contentId.replace(/^<|>$/g, '').toWellFormed()
  return `<${id.replace(/[^\x21-\x3b\x3d\x3f-\x7e]+/g, encodeURIComponent)}>`
}
