import * as v from 'valibot'
import { say } from './parse.ts'

/** Text for a header field: CR, LF and NUL would let a sender add fields of their own (CWE-93). */
export function headerText(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.check((text) => !/[\r\n\0]/.test(text), say('header_injection', 'must not contain line breaks or NUL')),
    v.minLength(min),
    v.maxLength(max),
  )
}

/**
 * Why a text cannot be an HTTP header value (RFC 9110, section 5.5): its first character beyond Latin-1, or a control
 * character. Undefined when it can.
 */
export function unsendable(text: string): string | undefined {
  const sign = /[^\t\x20-\x7e\x80-\xff]/u.exec(text)?.[0]
  if (sign === undefined) return undefined
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const shown = /^[\p{C}\p{Z}]$/u.test(sign) ? code : `${sign} (${code})`
  return `must not contain ${shown}: a header field carries Latin-1 alone; send it in the body, or encoded, as {{ name | url_encode }} does`
}
