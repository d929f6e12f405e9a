import { isUtf8 } from 'node:buffer'

/** Decodes bytes in a charset; undefined for an unknown one. */
export function decodeText(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset.trim() || 'utf-8').decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * A text whose UTF-8 was read as Latin-1, such as `EmpfÃ¤nger`, as it was meant. Any other text is unchanged: that one
 * looks like UTF-8 by chance is rare.
 */
export function unmangled(text: string): string {
  if (!/[\u00c2-\u00f4][\u0080-\u00bf]/.test(text) || /[^\0-\u00ff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}

const WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi
/** White space between two encoded-words is no text (RFC 2047, section 6.2). */
const BETWEEN = /(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi

/** A value with its encoded-words decoded (RFC 2047). */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value
  const parts: { readonly charset: string; bytes: Buffer[] }[] = []
  let text = ''
  let at = 0
  const flush = () => {
    for (const { charset, bytes } of parts.splice(0)) {
      const all = Buffer.concat(bytes)
      text += decodeText(all, charset) ?? all.toString('latin1')
    }
  }
  const whole = value.replace(BETWEEN, '$1')
  for (const match of whole.matchAll(WORD)) {
    const [word, charset = '', encoding = '', content = ''] = match
    if (match.index > at) {
      flush()
      text += whole.slice(at, match.index)
    }
    at = match.index + word.length
    const bytes =
      encoding.toLowerCase() === 'b'
        ? Buffer.from(content, 'base64')
        : Buffer.from(
            content
              .replaceAll('_', ' ')
              .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          )
    const last = parts.at(-1)
    // a character may be split between two words of one charset
    if (last && last.charset.toLowerCase() === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset, bytes: [bytes] })
  }
  flush()
  return text + whole.slice(at)
}
