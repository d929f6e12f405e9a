import { htmlToText } from './plain-text.ts'
import type { OutputPiece, Piece, TagPiece } from './scan-template.ts'

/** Two private characters surround the number of a placeholder while its HTML is converted. */
const OPEN = '\uE000'
const CLOSE = '\uE001'
const TOKEN = /\uE000(\d+)\uE001/g
/** Lines of placeholders only. */
const TOKEN_LINE = /^(?:[ \t]*\uE000\d+\uE001)+[ \t]*\n/gm
/** Filters whose output is HTML, which must be converted after rendering. */
const HTML_FILTER = /\|\s*(?:raw|escape|escape_once|xml_escape)(?![\w?-])/

interface Placeholder {
  readonly piece: OutputPiece | TagPiece
  /** How many tags precede it. */
  readonly tagsBefore: number
}

/**
 * The source of the plain-text part of an HTML template, with the same placeholders; undefined when only the rendered
 * HTML can be converted: a placeholder prints HTML, or a tag is where the conversion loses or moves it.
 */
export function textTemplateSource(source: string, pieces: readonly Piece[]): string | undefined {
  if (source.includes(OPEN) || source.includes(CLOSE)) return undefined
  const mask = new Mask()
  const parts: string[] = []
  let trimNext = false
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      const text = source.slice(piece.from, piece.to)
      parts.push(trimNext ? text.trimStart() : text)
      trimNext = false
    } else if (piece.kind === 'output' || piece.kind === 'tag') {
      if (HTML_FILTER.test(piece.content)) return undefined
      if (piece.trimLeft) parts.push(parts.pop()?.trimEnd() ?? '')
      parts.push(mask.token(piece))
      trimNext = piece.trimRight
    } else if (piece.kind !== 'comment') return undefined
  }
  const text = htmlToText(parts.join(''))
  return mask.survived(text) ? mask.lifted(text) : undefined
}

/** The placeholders of one template, numbered. */
class Mask {
  readonly #placeholders: Placeholder[] = []
  /** The outputs since the last tag: equal ones get the same number, so that a link to its own text is recognised. */
  readonly #recent = new Map<string, number>()
  #tags = 0

  token(piece: OutputPiece | TagPiece): string {
    const known = piece.kind === 'output' ? this.#recent.get(piece.content) : undefined
    const number = known ?? this.#placeholders.push({ piece, tagsBefore: this.#tags }) - 1
    if (piece.kind === 'output') this.#recent.set(piece.content, number)
    else {
      this.#recent.clear()
      this.#tags++
    }
    return OPEN + number + CLOSE
  }

  /**
   * True when every tag is there once and in order, and every output between the same tags, lost or repeated or not.
   */
  survived(text: string): boolean {
    if (/\{\{|\{%|\{\uE000/.test(text)) return false
    let tags = 0
    for (const [, digits] of text.matchAll(TOKEN)) {
      const placeholder = this.#placeholders[Number(digits)]
      if (placeholder?.tagsBefore !== tags) return false
      if (placeholder.piece.kind === 'tag') tags++
    }
    return tags === this.#tags
  }

  /** The text with its placeholders put back. A line of tags only is removed with its line end. */
  lifted(text: string): string {
    const joined = text.replace(TOKEN_LINE, (line) => {
      const numbers = [...line.matchAll(TOKEN)].map(([, digits]) => Number(digits))
      const areTags = numbers.every((number) => this.#placeholders[number]?.piece.kind === 'tag')
      return areTags ? line.replace(/\s+/g, '') : line
    })
    return joined.replace(TOKEN, (_, digits) => this.#source(Number(digits)))
  }

  /** Without the marks that trim white space, which have had their effect on the HTML. */
  #source(number: number): string {
    const piece = this.#placeholders[number]?.piece
    if (piece === undefined) return ''
    return piece.kind === 'tag' ? `{%${piece.content}%}` : `{{${piece.content}}}`
  }
}
