import { asciiAddress } from '../../values/email-address.ts'
import { encodedWords } from './encoded-words.ts'
import { folded, textField } from './header-fields.ts'
import { type HeaderField, headerFields } from './message-header.ts'

/** The longest line a message may have (RFC 5322, section 2.1.1). */
const LONGEST_LINE = 998

/** Fields with addresses: an encoded-word is allowed only as a name. */
const STRUCTURED =
  /^(?:from|sender|to|cc|bcc|reply-to|resent-.*|errors-to|return-receipt-to|disposition-notification-to|content-.*|references|in-reply-to|message-id|list-.*)$/

/** The fields of a header block in bytes; octets above ASCII are read as UTF-8 if valid. */
export function writtenFields(block: Uint8Array): readonly HeaderField[] {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  try {
    return headerFields(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return headerFields(bytes.toString('latin1'))
  }
}

/**
 * A field as sent: unchanged when it is ASCII in short enough lines, else in encoded-words and folded. Throws
 * EngineError `VALIDATION_ERROR` when it cannot be written.
 */
export function sevenBit({ name, lines, value }: HeaderField): string {
  if (isAscii(lines) && lines.split('\r\n').every((line) => line.length <= LONGEST_LINE)) return lines
  const given = lines.slice(0, lines.indexOf(':')).trimEnd()
  if (!STRUCTURED.test(name)) return textField(given, value, `headers.${name}`)
  const tokens = structured(value, name.startsWith('content-') ? '"' : '').split(/[ \t]+/)
  if (tokens.every((token) => isAscii(token) && token.length < LONGEST_LINE)) return folded(given, tokens)
  // what cannot be written as a name or an address is kept as text rather than lost
  return textField(given, value, `headers.${name}`)
}

const QUOTED_OR_RUN = /"((?:\\.|[^"\\])*)"|<([^<>]*)>|([^\s"<>,;:()@=]+(?:[ \t]+[^\s"<>,;:()@=]+)*)/gu

/**
 * Encodes names beyond ASCII as encoded-words, and domains in ASCII; the rest stays. `quote` surrounds a word: MIME
 * parameters need it, and readers decode it there although the standard does not say so.
 */
function structured(value: string, quote: string): string {
  return value.replace(QUOTED_OR_RUN, (whole, quoted?: string, address?: string, run?: string) => {
    if (isAscii(whole)) return whole
    if (address !== undefined) return `<${asciiAddress(address)}>`
    const text = quoted === undefined ? (run ?? '') : quoted.replace(/\\(.)/gu, '$1')
    return `${quote}${encodedWords(text, 40).join(' ')}${quote}`
  })
}

function isAscii(text: string): boolean {
  return /^[\t\r\n\x20-\x7e]*$/.test(text)
}
