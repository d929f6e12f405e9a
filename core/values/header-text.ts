import * as v from 'valibot'
import { say } from './parse.ts'

/** Text bound for a header field: CR, LF and NUL would let a sender add fields of his own (CWE-93). */
export function headerText(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.check((text) => !/[\r\n\0]/.test(text), say('header_injection', 'must not contain line breaks or NUL')),
    v.minLength(min),
    v.maxLength(max),
  )
}
