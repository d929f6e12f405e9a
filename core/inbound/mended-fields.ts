/** The encodings that the parser knows (RFC 2045, section 6.1). */
const ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable'])
/** Behind a semicolon, or at the beginning of a folded line. */
const CHARSET = /(;\s*|^[ \t]+)charset\s*=\s*(?:"[^"]*"|[^\s;"]+)/gi

/** An encoding as it is written: in quotes, with a comment, with a semicolon behind it. */
export function encodingIn(field: string): string {
  return field
    .replace(/\(.*\)/, '')
    .replace(/["';]/g, '')
    .trim()
    .toLowerCase()
}

/** The type in a field; programs older than MIME write `text` alone. */
export function typeIn(field: string): string {
  if (field === '' || /^text\s*(?:;|$)/i.test(field)) return 'text/plain'
  return /^[\w.+-]+\/[\w.+-]+/.exec(field)?.[0].toLowerCase() ?? ''
}

export function isCharsetTwice(field: string): boolean {
  return (field.match(CHARSET)?.length ?? 0) > 1
}

/**
 * A line of a header as the parser understands it: the encoding without signs that do not belong to it, a type of text
 * with its second half, and this charset, once, unless it is empty.
 */
export function mendedLine(line: string, charset: string): string {
  const [, encoding] = /^content-transfer-encoding:([^\r\n]{1,200})/i.exec(line) ?? []
  if (encoding !== undefined) {
    const plain = encodingIn(encoding)
    return ENCODINGS.has(plain) && plain !== encoding.trim().toLowerCase()
      ? `Content-Transfer-Encoding: ${plain}\r\n`
      : line
  }
  const typed = line.replace(/^(content-type:\s*text)(?=\s*(?:;|\r?\n|$))/i, '$1/plain')
  let count = 0
  return charset === ''
    ? typed
    : typed.replace(CHARSET, (_, before) => (count++ === 0 ? `${before}charset="${charset}"` : ''))
}

/**
 * The lines of flowed text (RFC 3676, section 4.5), its quotes put together: a line never flows into one of another
 * depth, or an answer would become a part of what is quoted above it.
 */
export function withWholeQuotes(text: string): string {
  const lines = text.split(/\r?\n/)
  if (!lines.some((line) => line.startsWith('>'))) return text
  const joined: string[] = []
  for (const [at, line] of lines.entries()) {
    const [depth, before] = [depthOf(line), at === 0 ? -1 : depthOf(lines[at - 1] ?? '')]
    const last = joined.at(-1)
    if (last === undefined || !isFlowing(last)) joined.push(line)
    else if (depth !== before) joined.splice(-1, 1, last.trimEnd(), line)
    else if (depth === 0) joined.push(line)
    else joined[joined.length - 1] = last + line.replace(/^>+ ?/, '')
  }
  return joined.join('\r\n')
}

function depthOf(line: string): number {
  return /^>*/.exec(line)?.[0].length ?? 0
}

function isFlowing(line: string): boolean {
  return line.endsWith(' ') && !/^>* ?-- $/.test(line)
}
