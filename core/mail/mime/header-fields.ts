import { invalidField } from '../../errors.ts'
import type { Mailbox } from '../../ports/mail-transport.ts'
import { asciiAddress } from '../../values/email-address.ts'
import { encodedWords } from './encoded-words.ts'

/** Lines are folded to this length where they can be (RFC 5322, section 2.1.1). */
const GOOD_LINE = 76
/** The longest run without a blank that still fits on a line (998 octets and a leading space). */
const LONGEST_RUN = 990
/** A display name longer than this is encoded, because encoded-words can be folded. */
const LONG_NAME = 60

const PRINTABLE = /^[\x20-\x7e]*$/
const PHRASE = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+$/

/**
 * An unstructured field (`Subject`, extra fields) with its line end: unchanged when it is printable ASCII, else in
 * encoded-words; folded. `field` names it in the error. Throws EngineError `VALIDATION_ERROR` (`header_injection`) when
 * it contains CR, LF or NUL.
 */
export function textField(name: string, value: string, field: string): string {
  refuseInjection(value, field)
  if (value === '') return `${name}:\r\n`
  if (isPlain(value)) {
    if (name.length + 2 + value.length <= GOOD_LINE) return `${name}: ${value}\r\n`
    const runs = value.split(/(?<! ) (?! )/)
    if (runs.every((run) => run.length <= LONGEST_RUN)) return folded(name, runs)
  }
  return folded(name, encodedWords(value, name.length + 2))
}

/**
 * An address field with its line end: display names plain, quoted or in encoded-words, domains in ASCII, folded between
 * addresses. Throws EngineError `VALIDATION_ERROR` when a name or an address cannot be in a header field.
 */
export function addressField(name: string, mailboxes: readonly Mailbox[], field: string): string {
  const tokens: string[] = []
  for (const [i, mailbox] of mailboxes.entries()) {
    const comma = i < mailboxes.length - 1 ? ',' : ''
    const address = headerAddress(mailbox.email, `${field}.email`)
    const names = displayName(mailbox.name ?? '', i === 0 ? name.length + 2 : 1, `${field}.name`)
    if (names.length === 0) tokens.push(address + comma)
    else tokens.push(...names, `<${address}>${comma}`)
  }
  return folded(name, tokens)
}

/** A `Message-ID`-like value: its domain in ASCII. Throws when it is not `<left@right>` in printable ASCII. */
export function messageIdField(name: string, id: string): string {
  refuseInjection(id, 'messageId')
  const ascii = `<${asciiAddress(id.replace(/^<|>$/g, ''))}>`
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(ascii) || ascii.length > 900) {
    throw invalidField('messageId', 'invalid_string', 'must be of the form <left@right>')
  }
  return `${name}: ${ascii}\r\n`
}

/** The date in the form of RFC 5322, section 3.3, in UTC. */
export function dateField(date: Date): string {
  return `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n`
}

/** Throws EngineError `VALIDATION_ERROR` (`header_injection`) when the text would end its header field (CWE-93). */
export function refuseInjection(text: string, field: string): void {
  if (/[\r\n\0]/.test(text)) throw invalidField(field, 'header_injection', 'must not contain line breaks or NUL')
}

/** Joins tokens by spaces, and by line breaks where a line would get too long. */
export function folded(name: string, tokens: readonly string[]): string {
  let lines = `${name}:`
  let column = lines.length
  for (const [i, token] of tokens.entries()) {
    if (column + 1 + token.length > GOOD_LINE && (i > 0 || mustLeaveFirstLine(column, token))) {
      lines += `\r\n ${token}`
      column = 1 + token.length
    } else {
      lines += ` ${token}`
      column += 1 + token.length
    }
  }
  return `${lines}\r\n`
}

/** The first token stays beside the name if it fits, since some readers dislike an empty first line. */
function mustLeaveFirstLine(column: number, token: string): boolean {
  return column > 40 || column + 1 + token.length > LONGEST_RUN
}

/** True when no reader can misinterpret the text. */
function isPlain(text: string): boolean {
  return PRINTABLE.test(text) && !text.includes('=?') && !/^ | $/.test(text)
}

function displayName(name: string, column: number, field: string): readonly string[] {
  refuseInjection(name, field)
  const trimmed = name.trim()
  if (trimmed === '') return []
  if (trimmed.length <= LONG_NAME && PRINTABLE.test(trimmed) && !trimmed.includes('=?')) {
    return [PHRASE.test(trimmed) ? trimmed : `"${trimmed.replace(/["\\]/g, '\\$&')}"`]
  }
  return encodedWords(trimmed, column)
}

function headerAddress(email: string, field: string): string {
  refuseInjection(email, field)
  const address = asciiAddress(email)
  if (!ADDRESS.test(address) || address.length > 400) {
    throw invalidField(field, 'invalid_string', 'must be an e-mail address such as ada@example.com')
  }
  return address
}
/**
 * Header fields (lower-case) that only the engine writes, besides every `Content-…`, `Resent-…` and `ARC-…` field.
 * `Reply-To` is set by the mail's own `replyTo`. `Sender` is reserved because it names who really sent the mail, which
 * must be the verified domain.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'sender',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'received-spf',
  'delivered-to',
  'dkim-signature',
  'domainkey-signature',
  'authentication-results',
])

/** True for a header field that a sender may not add; letter case does not matter. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED_HEADERS.has(lower) || /^(?:content|resent|arc)-/.test(lower)
}

/** True for a field name of RFC 5322, section 2.2 (printable ASCII without the colon) of at most 76 characters. */
export function isHeaderName(name: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]{1,76}$/.test(name)
}
