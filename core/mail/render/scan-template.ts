/** A stretch of a template's source; stretches follow each other without gaps. */
export type Piece = TextPiece | OutputPiece | TagPiece | BlockPiece

interface Stretch {
  readonly from: number
  readonly to: number
}

interface TextPiece extends Stretch {
  readonly kind: 'text'
}

/** `{{ … }}` */
export interface OutputPiece extends Stretch, Trims {
  readonly kind: 'output'
  /** The text between the braces. */
  readonly content: string
  readonly fallback?: Fallback
}

/** Plunk's `{{ head ?? fallback tail }}`. */
interface Fallback {
  readonly head: string
  /** The fallback as a quoted Liquid literal. */
  readonly literal: string
  /** The filters after it, with their bars. */
  readonly tail: string
}

/** `{% name … %}` */
export interface TagPiece extends Stretch, Trims {
  readonly kind: 'tag'
  readonly name: string
  readonly content: string
}

/** A whole `raw` or `comment` block with its tags, or the rest of a source after an unclosed tag. */
interface BlockPiece extends Stretch {
  readonly kind: 'raw' | 'comment' | 'unclosed'
}

/** Whether the white space before and after it is removed (`{{- … -}}`). */
interface Trims {
  readonly trimLeft: boolean
  readonly trimRight: boolean
}

const ENDS = {
  raw: /\{%-?\s*endraw(?![\w?-])(?:(?!\{%)[\s\S])*?%\}/g,
  comment: /\{%-?\s*endcomment(?![\w?-])(?:(?!\{%)[\s\S])*?%\}/g,
} as const

/** Splits a template as the Liquid parser does, without parsing its expressions. Never throws. */
export function scanTemplate(source: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < source.length) {
    const open = nextOpening(source, at)
    if (open > at) pieces.push({ kind: 'text', from: at, to: open })
    if (open === source.length) break
    const piece = source[open + 1] === '{' ? readOutput(source, open) : readTag(source, open)
    pieces.push(piece)
    at = piece.to
  }
  return pieces
}

/** Where the quoted text that begins here ends (after its quote), or undefined when it does not end. */
export function endOfQuoted(source: string, from: number): number | undefined {
  const quote = source[from]
  for (let i = from + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === quote) return i + 1
  }
  return undefined
}

function nextOpening(source: string, from: number): number {
  let at = source.indexOf('{', from)
  while (at >= 0) {
    const next = source[at + 1]
    if (next === '{' || next === '%') return at
    at = source.indexOf('{', at + 1)
  }
  return source.length
}

function readOutput(source: string, from: number): Piece {
  const trimLeft = source[from + 2] === '-'
  const start = from + (trimLeft ? 3 : 2)
  const mark = closingOrFallback(source, start)
  if (mark === undefined) return unclosed(source, from)
  if (source[mark] === '}') return { kind: 'output', from, to: mark + 2, trimLeft, ...inner(source, start, mark) }
  const head = source.slice(start, mark)
  const literal = readLiteral(source, mark + 2)
  const close = literal && closing(source, literal.to)
  if (literal === undefined || close === undefined) return unclosed(source, from)
  const { content: tail, trimRight } = inner(source, literal.to, close)
  const content = source.slice(start, close)
  const fallback = { head, literal: literal.text, tail }
  return { kind: 'output', from, to: close + 2, trimLeft, trimRight, content, fallback }
}

/** The first `}}` or `??` outside quotes. */
function closingOrFallback(source: string, from: number): number | undefined {
  for (let i = from; i < source.length; i++) {
    const sign = source[i]
    if (sign === '"' || sign === "'") {
      const end = endOfQuoted(source, i)
      if (end === undefined) return undefined
      i = end - 1
    } else if ((sign === '}' || sign === '?') && source[i + 1] === sign) return i
  }
  return undefined
}

/** The first `}}` outside quotes. */
function closing(source: string, from: number): number | undefined {
  let mark = closingOrFallback(source, from)
  while (mark !== undefined && source[mark] === '?') mark = closingOrFallback(source, mark + 2)
  return mark
}

/** A quoted fallback, or bare words up to the next bar or the end; bare words may contain quotes. */
function readLiteral(source: string, from: number): { readonly text: string; readonly to: number } | undefined {
  const start = skipBlanks(source, from)
  if (source[start] === '"' || source[start] === "'") {
    const end = endOfQuoted(source, start)
    if (
      end !== undefined &&
      /^(?:\||-?\}\})/.test(source.slice(skipBlanks(source, end), skipBlanks(source, end) + 3))
    ) {
      return { text: source.slice(start, end), to: end }
    }
  }
  const close = source.indexOf('}}', from)
  if (close < 0) return undefined
  const bar = source.slice(from, close).indexOf('|')
  const to = bar >= 0 ? from + bar : source[close - 1] === '-' && close > from ? close - 1 : close
  return { text: `"${source.slice(from, to).trim().replace(/["\\]/g, '\\$&')}"`, to }
}

function readTag(source: string, from: number): Piece {
  const close = source.indexOf('%}', from + 1)
  if (close < 0) return unclosed(source, from)
  const trimLeft = source[from + 2] === '-'
  const start = from + (trimLeft ? 3 : 2)
  const { content, trimRight } = inner(source, start, Math.max(close, start))
  const name = /^\s*(#|[\w?-]+)/.exec(content)?.[1] ?? ''
  if (name !== 'raw' && name !== 'comment') {
    return { kind: 'tag', from, to: close + 2, name, content, trimLeft, trimRight }
  }
  const end = new RegExp(ENDS[name])
  end.lastIndex = close + 2
  return end.exec(source) === null ? unclosed(source, from) : { kind: name, from, to: end.lastIndex }
}

function inner(source: string, from: number, close: number): { readonly content: string; readonly trimRight: boolean } {
  const trimRight = close > from && source[close - 1] === '-'
  return { content: source.slice(from, trimRight ? close - 1 : close), trimRight }
}

function unclosed(source: string, from: number): Piece {
  return { kind: 'unclosed', from, to: source.length }
}

function skipBlanks(source: string, from: number): number {
  let at = from
  while (at < source.length && /\s/.test(source.charAt(at))) at++
  return at
}
