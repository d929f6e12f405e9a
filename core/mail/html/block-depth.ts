import type { Piece } from '../render/scan-template.ts'
import { SNIPPET_END } from '../render/snippet-tags.ts'

/** Liquid tags whose content may be left out; `raw` and `comment` are separate pieces, snippets are always there. */
const BLOCKS = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture'])

/** How many Liquid blocks (`if`, `for` …) are open at a place of a template. */
export class BlockDepth {
  /** Where the depth changes, in order, and its new value. */
  readonly #changes: { readonly at: number; readonly depth: number }[] = []

  constructor(pieces: readonly Piece[]) {
    let depth = 0
    for (const piece of pieces) {
      if (piece.kind !== 'tag') continue
      if (BLOCKS.has(piece.name)) this.#changes.push({ at: piece.from + 1, depth: ++depth })
      else if (piece.name.startsWith('end') && piece.name !== SNIPPET_END)
        this.#changes.push({ at: piece.to, depth: --depth })
    }
  }

  at(place: number): number {
    let low = 0
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#changes[middle]?.at ?? 0) <= place) low = middle + 1
      else high = middle
    }
    return this.#changes[low - 1]?.depth ?? 0
  }
}
