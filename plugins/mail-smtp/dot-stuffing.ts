const DOT = 46
const LINE_DOT = Buffer.from('\r\n.')
const DOTS = Buffer.from('.')

/**
 * The message in its form for DATA: a dot at the start of a line is doubled (RFC 5321, section 4.5.2). Answers the same
 * buffer, uncopied, when there is nothing to double.
 */
export function dotStuffed(message: Buffer): Buffer {
  const leading = message.length > 0 && message[0] === DOT
  let dot = message.indexOf(LINE_DOT)
  if (dot < 0 && !leading) return message
  const parts: Buffer[] = leading ? [DOTS] : []
  let from = 0
  while (dot >= 0) {
    parts.push(message.subarray(from, dot + LINE_DOT.length), DOTS)
    from = dot + LINE_DOT.length
    dot = message.indexOf(LINE_DOT, from)
  }
  parts.push(message.subarray(from))
  return Buffer.concat(parts)
}
