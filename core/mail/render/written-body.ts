import { decodeReferences } from '../../values/decode-references.ts'
import { escapeHtml } from './printed.ts'
import { type Piece, scanTemplate } from './scan-template.ts'
import { hasTooManyBreaks } from './source-size.ts'

/**
 * A body as compiled: HTML that an editor wrote into placeholders is undone, and plain text keeps its line breaks.
 */
export function writtenBody(body: string): string {
  return withLineBreaks(withoutEntities(body))
}

/** Tags whose texts are compared, or printed like any value. */
const WITH_VALUES = new Set(['if', 'elsif', 'unless', 'case', 'when', 'render'])
/** A text in quotes; one that is not closed goes to the end. */
const QUOTED = /("(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$))/s
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
    .map((part, i) => (i % 2 === 0 ? typed(decodeReferences(part)) : isEscaped ? inQuotes(part) : part))
    .join('')
}

function typed(code: string): string {
  const plain = code.replace(BLANKS, ' ').replace(NOTHING, '')
  return plain.replace(DOUBLE, '"$1"').replace(SINGLE, "'$1'")
}

/** A decoded text still in its quotes: where it has that quote itself, it stays unchanged. */
function inQuotes(text: string): string {
  const quote = text.charAt(0)
  const decoded = decodeReferences(text.slice(1, -1))
  return decoded.includes(quote) || decoded.includes('\\') ? text : quote + decoded + quote
}

/** A body with such a tag is HTML. */
const TAG = /<[a-z!/]/i
const BREAK = /\r\n|\r|\n/g

/**
 * A body without a single HTML tag is plain text: its line breaks become `<br>`, so that the mail reads as it was
 * written. Any other body stays unchanged, also one that prints HTML with `| raw`. White space that a placeholder
 * removes (`{{-`), and that at the end, does not count. Nor is a text changed that is refused for its length.
 */
export function withLineBreaks(body: string): string {
  if (TAG.test(body) || !/[\r\n]/.test(body) || hasTooManyBreaks(body)) return body
  const pieces = scanTemplate(body)
  if (pieces.some(printsHtml)) return body
  const written = pieces.map((piece, i) => {
    const text = body.slice(piece.from, piece.to)
    if (piece.kind !== 'text') return text
    const next = pieces[i + 1]
    const lead = takes(pieces[i - 1], 'trimRight') ? text.length - text.trimStart().length : 0
    const end = next === undefined || takes(next, 'trimLeft') ? Math.max(lead, text.trimEnd().length) : text.length
    return text.slice(0, lead) + text.slice(lead, end).replace(BREAK, '<br>\n') + text.slice(end)
  })
  return written.join('')
}

function printsHtml(piece: Piece): boolean {
  return piece.kind === 'output' && /\|\s*raw\b/.test(piece.content)
}

function takes(piece: Piece | undefined, side: 'trimLeft' | 'trimRight'): boolean {
  return (piece?.kind === 'output' || piece?.kind === 'tag') && piece[side]
}

/**
 * Fills the rest of the line that inboxes show, so that they do not go on with the first words of the mail: a figure
 * space, a blank without width and a joiner, which Gmail, Apple Mail and Outlook neither show nor take for one blank.
 */
const FILLER = '&#8199;&#65279;&#847;'.repeat(120)

/**
 * A body as compiled (see `writtenBody`) with the preheader before everything else that is read: the words inboxes show
 * after the subject. It is hidden in the mail, and the plain-text part leaves it out.
 */
export function withPreheader(written: string, preheader: string | undefined): string {
  if (preheader === undefined) return written
  const pieces = scanTemplate(preheader).map(({ kind, from, to }) => {
    const text = preheader.slice(from, to)
    return kind === 'text' ? escapeHtml(text) : text
  })
  const hidden = `<div data-preheader style="display:none;max-height:0;overflow:hidden;mso-hide:all">${pieces.join('')}${FILLER}</div>`
  // a start of the body that Liquid writes part of has no known end
  const start = /<body\b[^<>{]*>/i.exec(written)
  const at = start === null ? 0 : start.index + start[0].length
  return written.slice(0, at) + hidden + written.slice(at)
}
