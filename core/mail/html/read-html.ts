import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { type Piece, scanTemplate } from '../render/scan-template.ts'
import { BlockDepth } from './block-depth.ts'
import { masked, SILENT } from './mask.ts'

/** The value of a link's `href` in a template's source; `quote` is the quote around it, empty when there is none. */
export interface Href {
  readonly from: number
  readonly to: number
  readonly quote: '"' | "'" | ''
}

/** The places of an HTML template that the engine changes. They are offsets in the source. */
export interface HtmlMarks {
  readonly pieces: readonly Piece[]
  /** The links whose tags allow tracking; their targets are checked elsewhere. */
  readonly hrefs: readonly Href[]
  /** Where the footer and the pixel go: before the last `</body>`, else after the last visible content. */
  readonly end: number
}

/** Elements whose content the tokenizer reads as text. */
const TEXT_ELEMENTS = new Set(['script', 'style', 'title', 'textarea', 'xmp'])
const QUOTES = ['', '', "'", '"'] as const

/** Parses an HTML template as browsers do, whatever its Liquid will print. Never throws. */
export function readHtml(source: string): HtmlMarks {
  return read(source, scanTemplate(source))
}

/** The same for HTML that is no template: what looks like Liquid in it is text. */
export function readPlainHtml(source: string): HtmlMarks {
  return read(source, [{ kind: 'text', from: 0, to: source.length }])
}

function read(source: string, pieces: readonly Piece[]): HtmlMarks {
  const reader = new Reader(masked(source, pieces), new BlockDepth(pieces))
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader)
  tokenizer.write(reader.text)
  tokenizer.end()
  return { pieces, hrefs: reader.hrefs, end: reader.end }
}

/** Collects what the tokenizer finds, in the order of the source. */
class Reader implements TokenizerCallbacks {
  readonly text: string
  readonly hrefs: Href[] = []
  readonly #depth: BlockDepth
  #tag: OpenTag | undefined
  #attribute = ''
  #value = { from: 0, to: 0 }
  /** Whether the tokenizer is inside a text element. */
  #inText = false
  /** Where the part read so far ends, and the last such place outside Liquid's blocks. */
  #read = 0
  #open = 0
  #body: number | undefined

  constructor(text: string, depth: BlockDepth) {
    this.text = text
    this.#depth = depth
  }

  get end(): number {
    return this.#body ?? this.#open
  }

  onopentagname(from: number, to: number): void {
    this.#tag = { name: this.#name(from, to), from, hrefs: [], isLeftAlone: false }
  }

  onattribname(from: number, to: number): void {
    this.#attribute = this.#name(from, to)
    this.#value = { from: to, to }
    if (this.#tag && this.#attribute === 'data-no-track') this.#tag.isLeftAlone = true
  }

  onattribdata(from: number, to: number): void {
    this.#value = { from, to }
  }

  onattribend(quote: number): void {
    if (this.#attribute === 'href') this.#tag?.hrefs.push({ ...this.#value, quote: QUOTES[quote] ?? '' })
  }

  onopentagend(at: number): void {
    const tag = this.#tag
    this.#tag = undefined
    if (tag === undefined) return
    if (isLink(tag)) this.hrefs.push(...this.#effective(tag, at))
    if (TEXT_ELEMENTS.has(tag.name)) this.#inText = true
    else this.#advance(at + 1)
  }

  onselfclosingtag(at: number): void {
    const tag = this.#tag
    this.#tag = undefined
    if (tag && isLink(tag)) this.hrefs.push(...this.#effective(tag, at))
    this.#advance(at + 1)
  }

  onclosetag(from: number, to: number): void {
    this.#inText = false
    const start = this.text.lastIndexOf('<', from)
    if (this.#name(from, to) === 'body' && this.#depth.at(start) === 0) this.#body = start
    const close = this.text.indexOf('>', to)
    if (close >= 0) this.#advance(close + 1)
  }

  oncomment(_from: number, to: number): void {
    if (to < this.text.length) this.#advance(to + 1)
  }

  oncdata(from: number, to: number): void {
    this.oncomment(from, to)
  }

  ondeclaration(_from: number, at: number): void {
    this.#advance(at + 1)
  }

  onprocessinginstruction(_from: number, at: number): void {
    this.#advance(at + 1)
  }

  ontext(_from: number, to: number): void {
    if (this.#inText) return
    if (to < this.text.length || !this.#endsInMarkup()) this.#advance(to)
  }

  // Entities are not decoded here, so the tokenizer never calls these.
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #advance(at: number): void {
    this.#read = at
    if (this.#depth.at(at) === 0) this.#open = at
  }

  /** True when the source ends within a tag or a declaration, which the tokenizer reports as text. */
  #endsInMarkup(): boolean {
    const last = this.text.lastIndexOf('<')
    return last >= this.#read && /^<[a-z/!?]/i.test(this.text.slice(last, last + 2))
  }

  /** Of two attributes with one name the first counts, unless Liquid decides which of them exist. */
  #effective({ from, hrefs }: OpenTag, to: number): readonly Href[] {
    return this.text.slice(from, to).includes(SILENT) ? hrefs : hrefs.slice(0, 1)
  }

  /** A name without the silent Liquid that touches it. */
  #name(from: number, to: number): string {
    let [start, end] = [from, to]
    while (start < end && this.text[start] === SILENT) start++
    while (start < end && this.text[end - 1] === SILENT) end--
    return this.text.slice(start, end).toLowerCase()
  }
}

interface OpenTag {
  readonly name: string
  readonly from: number
  readonly hrefs: Href[]
  isLeftAlone: boolean
}

function isLink({ name, isLeftAlone }: OpenTag): boolean {
  return (name === 'a' || name === 'area') && !isLeftAlone
}
