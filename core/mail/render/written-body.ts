import { decodeAttribute } from '../html/decode-attribute.ts'
import { withLineBreaks } from './line-breaks.ts'
import { type Piece, scanTemplate } from './scan-template.ts'

/**
 * A body as compiled: HTML that an editor wrote into placeholders is undone, and plain text keeps its line breaks.
 */
export function writtenBody(body: string): string {
  return withLineBreaks(withoutEntities(body))
}

/** Tags whose texts are compared, or printed like any value. */
const WITH_VALUES = new Set(['if', 'elsif', 'unless', 'case', 'when', 'render'])
const QUOTED = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/
/** Signs that editors put instead of others: character references, quotes as typographers set them, other blanks. */
const SIGNS = /&[#\w]|[\u00a0\u2007\u202f\u200b\ufeff\u2018-\u201f]/
const BLANKS = /[\u00a0\u2007\u202f]/g
const NOTHING = /[\u200b\ufeff]/g
/** A pair of typographers' quotes, with text that has none. */
const DOUBLE = /[\u201c-\u201f]([^"\u201c-\u201f]*)[\u201c-\u201f]/g
const SINGLE = /[\u2018-\u201b]([^'\u2018-\u201b]*)[\u2018-\u201b]/g

/**
 * The body with what editors put into `{{ … }}` and `{% … %}` undone: `&quot;`, `&nbsp;`, `&gt;`, “…”. Text in plain
 * quotes is decoded only where it is escaped when it is printed: in other places the author may have meant it.
 */
function withoutEntities(body: string): string {
  if (!/\{[{%]/.test(body) || !SIGNS.test(body)) return body
  const pieces = scanTemplate(body)
  return pieces.map((piece) => undone(body.slice(piece.from, piece.to), piece)).join('')
}

function undone(text: string, piece: Piece): string {
  if ((piece.kind !== 'output' && piece.kind !== 'tag') || !SIGNS.test(text)) return text
  const isEscaped = piece.kind === 'tag' ? WITH_VALUES.has(piece.name) : !/\|\s*raw\b/.test(piece.content)
  return text
    .split(QUOTED)
    .map((part, i) => (i % 2 === 0 ? typed(decodeAttribute(part)) : isEscaped ? inQuotes(part) : part))
    .join('')
}

function typed(code: string): string {
  const plain = code.replace(BLANKS, ' ').replace(NOTHING, '')
  return plain.replace(DOUBLE, '"$1"').replace(SINGLE, "'$1'")
}

/** A decoded text still in its quotes: where it has that quote itself, it stays unchanged. */
function inQuotes(text: string): string {
  const quote = text.charAt(0)
  const decoded = decodeAttribute(text.slice(1, -1))
  return decoded.includes(quote) || decoded.includes('\\') ? text : quote + decoded + quote
}
