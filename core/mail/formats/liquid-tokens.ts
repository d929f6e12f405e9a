import { type Piece, scanTemplate } from '../render/scan-template.ts'

/**
 * A source whose Liquid is hidden behind words of letters and digits, so that it comes through what reads and writes
 * other languages. A token may also stand in a comment where text would be moved or refused.
 */
export class LiquidTokens {
  /** The source with a token for each piece of Liquid. */
  readonly text: string
  /** The start of tokens: letters that the source does not have. */
  readonly mark: string
  readonly #source: string
  readonly #pieces: readonly Piece[]

  constructor(source: string) {
    this.#source = source
    this.#pieces = scanTemplate(source).filter(({ kind }) => kind !== 'text')
    this.mark = markFor(source)
    let text = ''
    let at = 0
    for (const [index, { from, to }] of this.#pieces.entries()) {
      text += source.slice(at, from) + this.#token(index)
      at = to
    }
    this.text = text + source.slice(at)
  }

  /** Finds tokens, each with its number as the first group. */
  get pattern(): RegExp {
    return new RegExp(`${this.mark}(\\d+)z`, 'g')
  }

  /** Whether the piece prints nothing. */
  isTag(index: number): boolean {
    const kind = this.#pieces[index]?.kind
    return kind === 'tag' || kind === 'comment'
  }

  /** The text with the Liquid back in it, as it was written. */
  restored(text: string): string {
    const token = `${this.mark}(\\d+)z`
    const any = new RegExp(`<!--${token}-->|&lt;!--${token}--&gt;|${token}`, 'g')
    return text.replace(any, (_, one, two, three) => this.#piece(Number(one ?? two ?? three)))
  }

  /** Where the first piece stands in the source that a text has lost; undefined when it has all. */
  lostFrom(text: string): string | undefined {
    const found = new Set([...text.matchAll(this.pattern)].map(([, index]) => Number(index)))
    const lost = this.#pieces.find(({ kind }, index) => kind !== 'comment' && !found.has(index))
    return lost && placeIn(this.#source, lost.from)
  }

  /** Where a place of a text with tokens is in the source, in words. */
  placeOf(text: string, at: number): string {
    let moved = 0
    const any = new RegExp(`(?:<!--)?${this.mark}(\\d+)z(?:-->)?`, 'g')
    for (const found of text.matchAll(any)) {
      const piece = this.#pieces[Number(found[1])]
      if (found.index >= at || piece === undefined) break
      // a place within a token is where its Liquid begins
      moved += found.index + found[0].length > at ? found.index - at : piece.to - piece.from - found[0].length
    }
    return placeIn(this.#source, at + moved)
  }

  #token(index: number): string {
    return `${this.mark}${index}z`
  }

  #piece(index: number): string {
    const piece = this.#pieces[index]
    return piece === undefined ? '' : this.#source.slice(piece.from, piece.to)
  }
}

/** Letters that are not in the source, also when their case is changed. */
export function markFor(source: string): string {
  const lower = source.toLowerCase()
  let mark = 'lqx'
  while (lower.includes(mark)) mark += 'qx'
  return mark
}

/** A place of a text in words: `line 3, column 7`. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${before.length - before.lastIndexOf('\n')}`
}
