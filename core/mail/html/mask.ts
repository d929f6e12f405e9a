import type { Piece } from '../render/scan-template.ts'

/**
 * Stand-ins for what prints nothing (tags, comments), and for what prints something unknown. Unicode reserves both for
 * internal use.
 */
export const SILENT = '\uFDD0'
const UNKNOWN = '\uFDD1'

/**
 * The source with each piece of Liquid replaced by filler of the same length, so that it can be read as HTML with the
 * same offsets.
 */
export function masked(source: string, pieces: readonly Piece[]): string {
  let text = ''
  for (const { kind, from, to } of pieces) {
    if (kind === 'text') text += source.slice(from, to)
    else text += (kind === 'tag' || kind === 'comment' ? SILENT : UNKNOWN).repeat(to - from)
  }
  return text
}

/** The pieces of Liquid that overlap a stretch of the source. */
export function liquidWithin(pieces: readonly Piece[], from: number, to: number): readonly Piece[] {
  const found: Piece[] = []
  for (let i = firstEndingAfter(pieces, from); i < pieces.length; i++) {
    const piece = pieces[i]
    if (piece === undefined || piece.from >= to) break
    if (piece.kind !== 'text') found.push(piece)
  }
  return found
}

/** The index of the first piece that ends after the place. */
function firstEndingAfter(pieces: readonly Piece[], place: number): number {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.to ?? 0) > place) high = middle
    else low = middle + 1
  }
  return low
}
