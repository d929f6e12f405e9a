import { createHash } from 'node:crypto'
import { piecesOf } from './long-text.ts'
import { Pace } from './pace.ts'

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
