import { type EngineError, invalidField } from '../../errors.ts'
import type { Place } from './html-places.ts'
import { asLiquid, tagAsLiquid } from './key-path.ts'
import { PRINT_HTML_AT } from './print-at.ts'
import { endOfQuoted, type OutputPiece, type Piece, type TagPiece } from './scan-template.ts'

/** A template in plain Liquid, which maps its places back to the author's source. */
export interface LiquidSource {
  readonly text: string
  /** The place in the author's source for a place in the text. */
  original(offset: number): number
}

/**
 * Turns Plunk's `{{ key ?? fallback }}` into the `fallback` filter, names of keys that are no path into one that the
 * parser reads, and has values printed as their place in the HTML needs. Throws EngineError `VALIDATION_ERROR` when a
 * `??` has no key, follows a filter, or is in a tag.
 */
export function liquidSource(
  source: string,
  pieces: readonly Piece[],
  field: string,
  places: readonly Place[] = [],
): LiquidSource {
  let text = ''
  let liquid = 0
  const moves: { readonly to: number; readonly from: number; readonly end: number }[] = []
  for (const piece of pieces) {
    moves.push({ to: text.length, from: piece.from, end: piece.to })
    const place = piece.kind === 'text' ? 'text' : (places[liquid++] ?? 'text')
    if (piece.kind === 'tag' && piece.name !== '#' && hasFallback(piece.content)) {
      throw syntaxError(source, piece.from, field, '?? works in {{ … }} only; use the default filter in a tag')
    }
    text += rewritten(source, piece, field, place)
  }
  return {
    text,
    original(offset) {
      const move = moves.findLast(({ to }) => to <= offset)
      return move === undefined ? offset : Math.min(move.from + offset - move.to, move.end)
    },
  }
}

/** Tags with values that a name of a key can stand for. */
const VALUED = new Set(['if', 'elsif', 'unless', 'case', 'when', 'assign', 'echo'])
/** The output of these filters is HTML. */
const IS_HTML = /\|\s*(?:raw|escape|escape_once|xml_escape)\s*$/

/** A piece as the parser reads it, unchanged where that is the same. */
function rewritten(source: string, piece: Piece, field: string, place: Place): string {
  const whole = source.slice(piece.from, piece.to)
  if (piece.kind === 'output') {
    if (piece.fallback !== undefined) return inBraces(piece, withFilter(source, piece, field) + printedAt(piece, place))
    const bar = piece.content.indexOf('|')
    const head = bar < 0 ? piece.content : piece.content.slice(0, bar)
    const [asRead, print] = [asLiquid(head), printedAt(piece, place)]
    if (asRead === head && print === '') return whole
    return inBraces(piece, asRead + piece.content.slice(head.length) + print)
  }
  if (piece.kind !== 'tag' || !VALUED.has(piece.name)) return whole
  const content = tagAsLiquid(piece.content) + (piece.name === 'echo' ? printedAt(piece, place) : '')
  if (content === piece.content) return whole
  return `{%${piece.trimLeft ? '-' : ''}${content}${piece.trimRight ? '-' : ''}%}`
}

function inBraces({ trimLeft, trimRight }: OutputPiece, content: string): string {
  return `{{${trimLeft ? '-' : ''}${content}${trimRight ? '-' : ''}}}`
}

/** The filter that prints at this place; none where the usual escaping is right. */
function printedAt({ content }: OutputPiece | TagPiece, place: Place): string {
  // a link of ours was printed before
  if (place === 'text' || /\| mailwright_(?:link|query): /.test(content)) return ''
  if (!IS_HTML.test(content)) return ` | mailwright_print: "${place}"`
  return PRINT_HTML_AT[place] === undefined ? '' : ` | mailwright_print_html: "${place}"`
}

/** A VALIDATION_ERROR with the place in the source, in lines and columns from 1. */
export function syntaxError(source: string, offset: number, field: string, message: string): EngineError {
  const before = source.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return invalidField(field, 'custom', `${message} (line ${line}, column ${column})`)
}

function withFilter(source: string, piece: OutputPiece, field: string): string {
  const { head, literal, tail } = piece.fallback ?? { head: '', literal: '', tail: '' }
  if (head.trim() === '') throw syntaxError(source, piece.from, field, '?? needs a key before it')
  if (head.includes('|')) throw syntaxError(source, piece.from, field, '?? must stand before the first filter')
  return `${asLiquid(head)}| fallback: ${literal} ${tail}`
}

function hasFallback(content: string): boolean {
  for (let i = 0; i < content.length; i++) {
    const sign = content[i]
    if (sign === '"' || sign === "'") i = (endOfQuoted(content, i) ?? content.length) - 1
    else if (sign === '?' && content[i + 1] === '?') return true
  }
  return false
}
