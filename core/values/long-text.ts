import { Pace } from './pace.ts'

/** How many characters or bytes are worked on at once: about a millisecond. */
const PIECE = 256 * 1024

/** The text in consecutive pieces. No piece ends within a character. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE, text.length)
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++
    yield text.slice(from, to)
    from = to
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** The text in UTF-8, like `Buffer.from(text)`; other work on the event loop runs between two pieces. */
export async function encodeInTurns(text: string): Promise<Uint8Array> {
  const pace = new Pace()
  const pieces: Uint8Array[] = []
  for (const piece of piecesOf(text)) {
    await pace.rest()
    pieces.push(Buffer.from(piece))
  }
  return Buffer.concat(pieces)
}

/** The text of bytes in UTF-8, like `toString()` of a Buffer; other work on the event loop runs between two pieces. */
export async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const pace = new Pace()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += PIECE) {
    await pace.rest()
    pieces.push(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }))
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}
