import { isUtf8 } from 'node:buffer'
import { EngineError, invalidField } from '../errors.ts'
import { MAX_DEPTH, parseJson, type Untrusted } from './json.ts'

/** How many values a body may have: fields of objects and items of lists, at any depth. */
const MAX_VALUES = 200_000
/** A deeper body is not even parsed; rooms refuse what is deeper than MAX_DEPTH. */
const MAX_PARSE_DEPTH = 1_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Parses a JSON body. Throws EngineError `INVALID_JSON` (also for an empty body and for bytes that are not UTF-8, RFC
 * 8259 section 8.1), `VALIDATION_ERROR` for one nested far too deep, `PAYLOAD_TOO_LARGE` when it has more values than
 * any request needs: they cost far more time and memory than their bytes.
 */
export function readJsonText(given: Uint8Array, mostValues = MAX_VALUES): Untrusted {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (bytes.length === 0) throw new EngineError('INVALID_JSON', 'The body is empty; it must be a JSON object.')
  if (!isUtf8(bytes)) throw new EngineError('INVALID_JSON', 'The body is not valid UTF-8.')
  refuseMany(bytes, mostValues)
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return parseJson(bytes.toString('utf8', bom ? 3 : 0))
}

/** Counts without parsing: every value except the first of a list or an object comes after a comma. */
function refuseMany(bytes: Buffer, most: number): void {
  let values = 0
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = endOfString(bytes, i)
    else if (byte === COMMA) values++
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values++
      if (++depth > MAX_PARSE_DEPTH)
        throw invalidField('body', 'too_big', `must not be nested deeper than ${MAX_DEPTH} levels`)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
    if (values > most) throw tooMuch(`has more than ${most} values (fields and items of lists)`)
  }
}

function endOfString(bytes: Buffer, from: number): number {
  for (let i = from + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++
    else if (bytes[i] === QUOTE) return i
  }
  return bytes.length
}

function tooMuch(what: string): EngineError {
  return new EngineError('PAYLOAD_TOO_LARGE', `The body ${what}.`, { suggestion: 'Send it in several requests.' })
}
