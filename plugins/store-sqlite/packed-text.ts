import { promisify } from 'node:util'
import { createInflate, deflate, inflateSync } from 'node:zlib'
import { decodeInTurns, encodeInTurns } from '../../core/values/long-text.ts'

/*
 * Texts of more than a megabyte are stored compressed, and so made outside the event loop: SQLite writes and reads a row in
 * one go, and every 4 KB are a call to the system. 39 MB of a mail took half a second of it, and take a tenth of that.
 *
 * Such a value is a BLOB: a zero byte, which begins no text that is stored, the length of the text in UTF-8 as 8 digits,
 * and the text as zlib makes it. A text that does not become smaller is a BLOB of its UTF-8.
 */

/** A longer text is packed. */
const LONG_TEXT = 1_000_000
const DIGITS = 8
const HEAD = 1 + DIGITS
/** The pieces of a text that zlib makes: about a millisecond of decoding. */
const CHUNK = 256 * 1024

/** The text as its column takes it. It works in turns with others, and in another thread. */
export async function packText(text: string): Promise<string | Uint8Array> {
  if (text.length <= LONG_TEXT) return text
  const bytes = await encodeInTurns(text)
  const packed = await promisify(deflate)(bytes, { level: 1, chunkSize: CHUNK })
  if (packed.length > bytes.length * WORTH) return bytes
  const head = `\0${String(bytes.length).padStart(DIGITS, '0')}`
  return Buffer.concat([Buffer.from(head, 'latin1'), packed])
}

/** The text of a value that was read from its column; other values stay as they are. */
export async function unpackText(value: unknown): Promise<unknown> {
  if (!(value instanceof Uint8Array)) return value
  return isPacked(value) ? inflated(value) : decodeInTurns(value)
}

/** Decodes each piece as it comes: to join tens of megabytes first would hold up everybody. */
async function inflated(value: Uint8Array): Promise<string> {
  const stream = createInflate({ chunkSize: CHUNK })
  stream.end(value.subarray(HEAD))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const pieces: string[] = []
  for await (const piece of stream) pieces.push(decoder.decode(piece, { stream: true }))
  pieces.push(decoder.decode())
  return pieces.join('')
}

/** The same at once, for work that no request waits for. */
export function unpackTextNow(value: Uint8Array): string {
  const bytes = isPacked(value) ? inflateSync(value.subarray(HEAD)) : value
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

/**
 * The value that `encode` takes for a text that was not packed before: as bytes, which SQLite takes in half the time.
 */
export function longTextNow(text: string): string | Uint8Array {
  return text.length > LONG_TEXT ? Buffer.from(text) : text
}

/** SQL for how many bytes the value of a column has once it is read, which bounds what is read at once. */
export function textOctets(column: string): string {
  return `max(octet_length(${column}),
    iif(substr(${column}, 1, 1) = x'00', cast(cast(substr(${column}, 2, ${DIGITS}) as text) as integer), 0))`
}

function isPacked(value: Uint8Array): boolean {
  return value[0] === 0
}

/** A text that gets hardly smaller is not worth the work of unpacking it. */
const WORTH = 0.9
