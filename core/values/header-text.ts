import * as v from 'valibot'
import { say } from './parse.ts'

/** Text for a header field: CR, LF and NUL would let a sender add fields (CWE-93). */
export function headerText(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.check((text) => !/[\r\n\0]/.test(text), say('header_injection', 'must not contain line breaks or NUL')),
    v.minLength(min),
    v.maxLength(max),
  )
}

/**
 * Why a text cannot be an HTTP header value: it has a control character (RFC 9110, section 5.5). Undefined when it can;
 * what is beyond ASCII goes out as the bytes of UTF-8.
 */
export function unsendable(text: string): string | undefined {
  const sign = /[\0-\x08\x0a-\x1f\x7f]|\p{Surrogate}/u.exec(text)?.[0]
  if (sign === undefined) return undefined
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return `must not contain ${code}, which no header field can carry: send it in the body, or encoded, as {{ name | url_encode }} does`
}
