const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
/** Bytes on a line of 76 characters. */
const LINE = 57

/**
 * The bytes in base64, in lines of 76 characters ended by CRLF (RFC 2045, section 6.8). Nothing becomes an empty line:
 * otherwise the blank line that ends the part's header would be taken for the start of the next boundary.
 */
export function base64Lines(content: Uint8Array): Buffer {
  if (content.length === 0) return Buffer.from('\r\n')
  const characters = Math.ceil(content.length / 3) * 4
  const lines = Buffer.allocUnsafeSlow(characters + Math.ceil(content.length / LINE) * 2)
  let at = 0
  for (let start = 0; start < content.length; start += LINE) {
    const end = Math.min(start + LINE, content.length)
    for (let i = start; i < end; i += 3) {
      const triple = ((content[i] as number) << 16) | ((content[i + 1] ?? 0) << 8) | (content[i + 2] ?? 0)
      lines[at++] = ALPHABET[triple >> 18] as number
      lines[at++] = ALPHABET[(triple >> 12) & 63] as number
      lines[at++] = i + 1 < end ? (ALPHABET[(triple >> 6) & 63] as number) : 0x3d
      lines[at++] = i + 2 < end ? (ALPHABET[triple & 63] as number) : 0x3d
    }
    lines[at++] = 13
    lines[at++] = 10
  }
  return lines
}
