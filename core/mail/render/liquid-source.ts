import { type EngineError, invalidField } from '../../errors.ts'
import { endOfQuoted, type OutputPiece, type Piece } from './scan-template.ts'

/** A template in plain Liquid, which maps its places back to the author's source. */
export interface LiquidSource {
  readonly text: string
  /** The place in the author's source for a place in the text. */
  original(offset: number): number
}

/**
 * Turns Plunk's `{{ key ?? fallback }}` into the `fallback` filter. Throws EngineError `VALIDATION_ERROR` when a `??`
 * has no key, follows a filter, or is in a tag.
 */
export function liquidSource(source: string, pieces: readonly Piece[], field: string): LiquidSource {
  if (!source.includes('??')) return { text: source, original: (offset) => offset }
  let text = ''
  const moves: { readonly to: number; readonly from: number; readonly end: number }[] = []
  for (const piece of pieces) {
    moves.push({ to: text.length, from: piece.from, end: piece.to })
    if (piece.kind === 'output' && piece.fallback !== undefined) text += withFilter(source, piece, field)
    else text += source.slice(piece.from, piece.to)
    if (piece.kind === 'tag' && piece.name !== '#' && hasFallback(piece.content)) {
      throw syntaxError(source, piece.from, field, '?? works in {{ … }} only; use the default filter in a tag')
    }
  }
  return {
    text,
    original(offset) {
      const move = moves.findLast(({ to }) => to <= offset)
      return move === undefined ? offset : Math.min(move.from + offset - move.to, move.end)
    },
  }
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
  return `{{${piece.trimLeft ? '-' : ''}${head}| fallback: ${literal} ${tail}${piece.trimRight ? '-' : ''}}}`
}

function hasFallback(content: string): boolean {
  for (let i = 0; i < content.length; i++) {
    const sign = content[i]
    if (sign === '"' || sign === "'") i = (endOfQuoted(content, i) ?? content.length) - 1
    else if (sign === '?' && content[i + 1] === '?') return true
  }
  return false
}
