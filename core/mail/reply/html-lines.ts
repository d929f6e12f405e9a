import { Parser } from 'htmlparser2'
import { type Line, MAX_LINE, type Mark } from './line.ts'
import { type ElementMark, markOf } from './marks-of-html.ts'

/** More open elements than any mail has. */
const MAX_OPEN = 1000
/** The parser's time grows with the square of their number. */
const FOREIGN = new Set(['svg', 'math'])
const MAX_FOREIGN = 500
const SKIPPED = new Set(['head', 'style', 'script', 'title', 'template', 'textarea'])
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark o:p q s samp small span strike strong sub sup td th tt u var'.split(
    ' ',
  ),
)
/** Elements with a blank line around them. */
const APART = new Set('p h1 h2 h3 h4 h5 h6 ul ol pre table blockquote'.split(' '))
const NO_MARGIN = /margin(?:-bottom)?: ?0/i

/** A part of the source that belongs to one line: text, a picture, a break. */
interface Leaf {
  readonly from: number
  readonly to: number
  readonly line: number
}

/** An element of the source, and the leaves in it. */
export interface HtmlElement {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly firstLeaf: number
  readonly afterLeaf: number
}

interface OpenElement extends HtmlElement {
  to: number
  afterLeaf: number
  readonly mark: Mark | undefined
  readonly box: Box | undefined
  readonly isPre: boolean
  readonly isSkipped: boolean
  readonly isApart: boolean
  readonly href: string
  /** The length of its line where it began. */
  readonly textFrom: number
}

/** Gmail's box around a quote. */
interface Box {
  readonly firstLine: number
  hasQuote: boolean
}

/** The lines of HTML as a reader sees them, and where they stand in the source. */
export interface HtmlLines {
  readonly lines: readonly Line[]
  readonly leaves: readonly Leaf[]
  readonly elements: readonly HtmlElement[]
  /** How many of the elements, the last ones, have no end tag in what was read. */
  readonly openCount: number
}

/** Reads HTML as lines; undefined if its elements are nested more deeply than those of any mail. */
export function htmlLines(source: string): HtmlLines | undefined {
  const reader = new Reader()
  const parser = new Parser(reader, { decodeEntities: true })
  reader.parser = parser
  // in pieces, so that hopeless ones end early
  for (let at = 0; at < source.length && !reader.isTooDeep; at += PIECE) parser.write(source.slice(at, at + PIECE))
  if (reader.isTooDeep) return undefined
  const { openCount } = reader
  parser.end()
  return { lines: reader.lines, leaves: reader.leaves, elements: reader.elements, openCount }
}
const PIECE = 16_384

interface Mutable {
  text: string
  mark?: Mark
}

class Reader {
  readonly lines: Mutable[] = []
  readonly leaves: Leaf[] = []
  readonly elements: HtmlElement[] = []
  readonly #open: OpenElement[] = []
  parser: Pick<Parser, 'startIndex' | 'endIndex'> = { startIndex: 0, endIndex: 0 }
  isTooDeep = false
  /** True when the next leaf begins a line. */
  #isBroken = true
  #needsBlank = false
  #foreign = 0
  #before: ElementMark['before']
  /** Lines that may be the first of an older mail's header. */
  readonly #headers: Mutable[] = []
  #isRestNext = false

  get openCount(): number {
    return this.#open.length
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (VOID.has(name)) {
      this.#void(name, attributes)
      return
    }
    if (FOREIGN.has(name)) this.#foreign++
    if (this.#open.length >= MAX_OPEN || this.#foreign > MAX_FOREIGN) this.isTooDeep = true
    if (this.isTooDeep) return
    const outer = this.#open.at(-1)
    const style = attributes.style ?? ''
    const own = outer?.mark === undefined ? markOf(name, attributes) : {}
    const isApart =
      APART.has(name) && !(name === 'p' && (/\bMso/.test(attributes.class ?? '') || NO_MARGIN.test(style)))
    if (!INLINE.has(name)) this.#break(isApart)
    if (own.mark === 'rest') this.#isRestNext = true
    if (own.before) this.#before = own.before
    if (name === 'blockquote' && own.mark === 'quote' && outer?.box && outer.name !== 'blockquote')
      outer.box.hasQuote = true
    this.#open.push({
      name,
      from: this.parser.startIndex,
      to: 0,
      firstLeaf: this.leaves.length,
      afterLeaf: 0,
      mark: outer?.mark ?? (own.mark === 'rest' ? undefined : own.mark),
      box:
        own.isBox && !this.#open.some(({ box }) => box) ? { firstLine: this.lines.length, hasQuote: false } : undefined,
      isPre: outer?.isPre || name === 'pre' || /white-space: ?pre/i.test(style),
      isSkipped: outer?.isSkipped || SKIPPED.has(name),
      isApart,
      href: name === 'a' && /^https?:/i.test(attributes.href ?? '') ? (attributes.href ?? '') : '',
      textFrom: this.#isBroken ? 0 : (this.lines.at(-1)?.text.length ?? 0),
    })
  }

  onend(): void {
    for (const line of this.#headers) if (/^[^:：]{1,25}[:：]/.test(line.text)) line.mark ??= 'rest'
  }

  onclosetag(name: string, isImplied: boolean): void {
    if (VOID.has(name) || this.isTooDeep) return
    const element = this.#open.pop()
    if (element === undefined) return
    const { startIndex, endIndex } = this.parser
    // an element that closes itself ends with its own tag
    element.to = isImplied && startIndex > element.from ? startIndex : endIndex + 1
    element.afterLeaf = this.leaves.length
    this.elements.push(element)
    this.#address(element)
    if (!INLINE.has(name)) this.#break(element.isApart)
    if (name === 'td' || name === 'th') this.#append(' ')
    if (element.box === undefined || element.box.hasQuote) return
    for (const line of this.lines.slice(element.box.firstLine)) line.mark ??= 'quote'
  }

  ontext(text: string): void {
    const inner = this.#open.at(-1)
    if (inner?.isSkipped) return
    const { startIndex, endIndex } = this.parser
    if (inner?.isPre && text.includes('\n')) {
      this.#preformatted(text, startIndex, endIndex + 1)
      return
    }
    const words = inner?.isPre ? text : text.replace(/[ \t\r\n\f]{1,1000}/g, ' ')
    if (words.trim() === '' && !words.includes('\u00a0')) {
      if (!this.#isBroken) this.#append(' ')
      return
    }
    this.#leaf(words, startIndex, endIndex + 1)
  }

  #preformatted(text: string, from: number, to: number): void {
    // entities come alone, so that the text is as it stands in the source
    let at = from
    for (const [i, words] of text.split('\n').entries()) {
      if (i > 0) this.#isBroken = true
      const end = Math.min(at + words.length + 1, to)
      if (i > 0 || words !== '') this.#leaf(words.replace(/\r$/, ''), at, end)
      at = end
    }
  }

  #void(name: string, { alt = '', width = '', height = '' }: Readonly<Record<string, string>>): void {
    if (this.#open.at(-1)?.isSkipped) return
    const { startIndex, endIndex } = this.parser
    const to = endIndex + 1
    if (name === 'hr') {
      this.#break(false)
      if (this.#before === 'hr') this.#isRestNext = true
      this.#leaf('_'.repeat(32), startIndex, to)
      this.#break(false)
    } else if (name === 'br') {
      this.#leaf('', startIndex, to)
      this.#isBroken = true
    } else if (name === 'img' && !/^[01]$/.test(width) && !/^[01]$/.test(height)) {
      this.#leaf(`[${alt.trim().slice(0, 200) || 'image'}]`, startIndex, to)
    }
  }

  /** The address of a link, after its text. */
  #address({ href, textFrom }: OpenElement): void {
    const line = this.lines.at(-1)
    if (href === '' || this.#isBroken || line === undefined || href.length > 2000 || line.text.length > MAX_LINE) return
    const text = line.text.slice(textFrom)
    if (text.trim() !== '' && !text.includes(href)) this.#append(` [${href}]`)
  }

  #break(isApart: boolean): void {
    this.#isBroken = true
    if (isApart) this.#needsBlank = true
  }

  #append(text: string): void {
    const line = this.lines.at(-1)
    if (line && !this.#isBroken && line.text !== '') line.text += text
  }

  #leaf(text: string, from: number, to: number): void {
    const mark = this.#open.at(-1)?.mark
    let line = this.lines.at(-1)
    if (this.#isRestNext || (line && line.mark !== mark && line.mark !== 'rest' && line.text !== ''))
      this.#isBroken = true
    if (line === undefined || this.#isBroken) {
      if (this.#needsBlank && line && line.text !== '') this.lines.push({ text: '' })
      line = this.#isRestNext ? { text: '', mark: 'rest' } : mark ? { text: '', mark } : { text: '' }
      if (this.#before === 'field') this.#headers.push(line)
      this.lines.push(line)
      this.#isRestNext = false
      this.#isBroken = false
      this.#needsBlank = false
    }
    line.text += line.text === '' && !this.#open.at(-1)?.isPre ? text.replace(/^ /, '') : text
    if (text.trim() !== '') this.#before = undefined
    this.leaves.push({ from, to, line: this.lines.length - 1 })
  }
}
