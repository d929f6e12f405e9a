import { piecesOf } from '../../values/long-text.ts'
import { Pace } from '../../values/pace.ts'

/** The largest message, in bytes as it travels (spec.md, "Limits"). */
export const MAX_MESSAGE_BYTES = 40 * 1024 * 1024

/**
 * How many bytes a text takes in a message at least: as quoted-printable, without the soft line breaks. Other work on the
 * event loop runs meanwhile; above `most` it stops counting.
 */
export async function leastEncoded(text: string, most: number): Promise<number> {
  const pace = new Pace()
  let bytes = 0
  for (const piece of piecesOf(text)) {
    await pace.rest()
    bytes += encodedLength(piece)
    if (bytes > most) break
  }
  return bytes
}

function encodedLength(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += ASCII[unit] as number
    else if (unit < 0x800) bytes += 6
    // half of a character of four bytes
    else bytes += unit >= 0xd800 && unit < 0xe000 ? 6 : 9
  }
  return bytes
}

/** The bytes of each character of ASCII: tabs and line ends travel as they are, other controls and "=" do not. */
const ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  unit === 0x3d || unit === 0x7f || (unit < 0x20 && ![0x09, 0x0a, 0x0d].includes(unit)) ? 3 : 1,
)
