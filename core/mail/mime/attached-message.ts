import { EngineError } from '../../errors.ts'
import { readEntity, TooManyParts } from './mime-entity.ts'
import { afterEdits, sevenBitEdits } from './seven-bit.ts'

/** How a message begins: with a header field. */
const HEADER_FIELD = /^[\x21-\x39\x3b-\x7e]{1,200}[ \t]*:/
const LINE_END = Buffer.from('\r\n')

/**
 * An attached message (RFC 2046, section 5.2.1) as sent: it may have no transfer encoding, so parts within it that
 * are not 7 bit are encoded themselves, and its line ends become CRLF. A line end that belongs to the boundary follows.
 * Undefined when it is no message, or one that must not be changed and is not 7 bit.
 */
export function attachedMessage(content: Uint8Array): Buffer | undefined {
  const bytes = withLineEnds(content)
  if (!HEADER_FIELD.test(bytes.toString('latin1', 0, 300))) return undefined
  try {
    return Buffer.concat([...afterEdits(bytes, [...sevenBitEdits(bytes, readEntity(bytes))]), LINE_END])
  } catch (error) {
    if (error instanceof TooManyParts || EngineError.is(error)) return undefined
    throw error
  }
}

function withLineEnds(content: Uint8Array): Buffer {
  const given = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const text = given.toString('latin1')
  return /(?<!\r)\n|\r(?!\n)/.test(text) ? Buffer.from(text.replace(/\r\n|\r|\n/g, '\r\n'), 'latin1') : given
}
