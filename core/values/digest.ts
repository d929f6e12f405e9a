import { createHash } from 'node:crypto'
import { Pace } from './pace.ts'

/** How many characters are hashed at once: about a millisecond. */
const PIECE = 256 * 1024

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function digestOf(text: string): string {
  const hash = createHash('sha256')
  for (const piece of piecesOf(text)) hash.update(piece)
  return hash.digest('hex')
}

/** The same, but other work on the event loop runs between two pieces. */
export async function digestInTurns(text: string): Promise<string> {
  const hash = createHash('sha256')
  const pace = new Pace()
  for (const piece of piecesOf(text)) {
    await pace.rest()
    hash.update(piece)
  }
  return hash.digest('hex')
}

/** No piece ends within a character. */
function* piecesOf(text: string): Generator<string> {
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
