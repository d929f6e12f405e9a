import type { OutgoingAttachment } from '../../ports/mail-transport.ts'
import { encodedWords } from './encoded-words.ts'
import { folded, refuseInjection } from './header-fields.ts'

/** The longest file name written without RFC 2231, and the longest value of one of its parameters. */
const SHORT = 60
/** A name that every reader takes as it stands between quotes. */
const PLAIN_NAME = new RegExp(`^[\\x20-\\x7e]{1,${SHORT}}$`)

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/
/** A parameter: a token, or a quoted string (RFC 2045, section 5.1). */
const PARAMETER =
  /\s*;\s*([A-Za-z0-9!#$&^_.+*-]+=(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"|[^\s"(),/:;<=>?@[\\\]]+))\s*/y
/** Such a parameter is the file's name. */
const NAME_PARAMETER = /^name(?:\*\d*)?\*?=/i
/** A longer type is invalid. */
const MAX_TYPE_LENGTH = 500
/** Types whose parts must not be base64 (RFC 2046, sections 5.1 and 5.2), but for one (RFC 6532, section 3.5). */
const COMPOSITE = /^(?:message\/(?!global\b)|multipart\/)/i
const MESSAGE = /^message\/(?!global\b)/i

/** Whether it is a message, which is sent as it is rather than in base64. */
export function isMessage({ contentType }: OutgoingAttachment): boolean {
  return MESSAGE.test(contentType.trim())
}

/**
 * The header fields of an attachment's part, each with its line end. An invalid content type becomes
 * `application/octet-stream`, and so does a composite one in base64; invalid parameters are dropped. Throws EngineError
 * `VALIDATION_ERROR` (`header_injection`) on CR, LF or NUL.
 */
export function attachmentFields(attachment: OutgoingAttachment, index: number, encoding: 'base64' | '7bit'): string {
  const { filename, contentType, disposition, contentId } = attachment
  const field = `attachments.${index}`
  refuseInjection(filename, `${field}.filename`)
  refuseInjection(contentType, `${field}.contentType`)
  refuseInjection(contentId ?? '', `${field}.contentId`)
  const isPlain = PLAIN_NAME.test(filename) && !/["\\]|=\?/.test(filename)
  const type = typeTokens(encoding === 'base64' && COMPOSITE.test(contentType.trim()) ? '' : contentType)
  return (
    folded('Content-Type', isPlain ? separated(type) : named(type, filename)) +
    `Content-Transfer-Encoding: ${encoding}\r\n` +
    (contentId === undefined ? '' : `Content-ID: ${contentIdValue(contentId)}\r\n`) +
    `Content-Disposition: ${disposition}${isPlain ? `;\r\n filename="${filename}"` : extendedName(filename)}\r\n`
  )
}

/** The type and its parameters, a token each. The file has one name, so a `name` among them is left out. */
function typeTokens(contentType: string): readonly string[] {
  const [given = ''] = contentType.split(';', 1)
  const type = given.trim()
  if (!MEDIA_TYPE.test(type) || contentType.length > MAX_TYPE_LENGTH) return ['application/octet-stream']
  const parameters: string[] = []
  PARAMETER.lastIndex = given.length
  while (PARAMETER.lastIndex < contentType.length) {
    const [, parameter] = PARAMETER.exec(contentType) ?? []
    const name = parameter?.split('=', 1)[0]?.toLowerCase()
    if (parameter === undefined || parameters.some((each) => each.toLowerCase().startsWith(`${name}=`))) return [type]
    parameters.push(parameter)
  }
  return [type, ...parameters.filter((each) => !NAME_PARAMETER.test(each))]
}

/**
 * The type with the file name as `name`, in encoded-words: RFC 2047 forbids them there, but many readers know no other
 * way, or take the name from there alone.
 */
function named(type: readonly string[], filename: string): readonly string[] {
  const [first = '', ...words] = encodedWords(filename, NAME.length + 1)
  const quoted = [`${NAME}${first}`, ...words]
  return [...type.map((token) => `${token};`), ...quoted.slice(0, -1), `${quoted.at(-1)}"`]
}

const NAME = 'name="'

function separated(tokens: readonly string[]): readonly string[] {
  return tokens.map((token, i) => (i < tokens.length - 1 ? `${token};` : token))
}

/**
 * `filename*0*=UTF-8''…`, cut into numbered parameters when long, never within a character (RFC 2231, section 4.1). No
 * plain `filename` stands beside it, since many readers would take that one. There are at most ten, since some sort them
 * by their digits: very long names have longer lines instead.
 */
function extendedName(filename: string): string {
  const characters = Array.from(filename.toWellFormed(), encodeCharacter)
  const length = characters.reduce((sum, character) => sum + character.length, CHARSET.length)
  const most = Math.max(SHORT, Math.ceil(length / MAX_PARTS) + LONGEST_CHARACTER)
  const values: string[] = []
  let value = CHARSET
  for (const character of characters) {
    if (value.length + character.length > most) {
      values.push(value)
      value = ''
    }
    value += character
  }
  return [...values, value].map((part, i) => `;\r\n filename*${i}*=${part}`).join('')
}

const CHARSET = "UTF-8''"
const MAX_PARTS = 10
/** Four bytes, each as `%F0`. */
const LONGEST_CHARACTER = 12

/** As RFC 5987's attr-char; `encodeURIComponent` leaves five characters that RFC 2231 reserves. */
function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** RFC 2392: the id in angle brackets; other characters are percent-encoded, as in a `cid:` link. */
function contentIdValue(contentId: string): string {
  const id = contentId.replace(/^<|>$/g, '').toWellFormed()
  return `<${id.replace(/[^\x21-\x3b\x3d\x3f-\x7e]+/g, encodeURIComponent)}>`
}
