import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { Piece } from './scan-template.ts'

/**
 * Where in HTML a value is printed: in text or between the quotes of an attribute; at the start of a quoted address; in
 * an attribute without quotes, or at the start of an address there; in a tag outside values; in a comment, which some
 * read as HTML; in a script or an event's attribute; in a style sheet.
 */
export type Place = 'text' | 'address' | 'unquoted' | 'unquoted address' | 'tag' | 'comment' | 'script' | 'style'

const ADDRESSES = /^(?:href|src|action|formaction|background|poster|data|cite|ping|longdesc|(?:\w+:)?href)$/
const TEXT_ELEMENTS: ReadonlyMap<string, Place> = new Map([
  ['script', 'script'],
  ['style', 'style'],
])
/** Tags and outputs of Liquid, which may print nothing. */
const LIQUID = /\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)/gs

interface Stretch {
  readonly from: number
  readonly to: number
  readonly place: Place
}

/** The places of all Liquid in an HTML template, in its order; text between is left out. */
export function placesOf(source: string, pieces: readonly Piece[]): readonly Place[] {
  const liquid = pieces.filter(({ kind }) => kind !== 'text')
  if (liquid.length === 0) return []
  const reader = new Reader(filledIn(source, pieces))
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader)
  tokenizer.write(reader.text)
  tokenizer.end()
  reader.close()
  return liquid.map(({ from }) => {
    const value = around(reader.values, from)
    if (value === undefined) return around(reader.others, from)?.place ?? 'text'
    if (value.place !== 'address' && value.place !== 'unquoted address') return value.place
    const isStart = source.slice(value.from, from).replace(LIQUID, '').trim() === ''
    return isStart ? value.place : value.place === 'address' ? 'text' : 'unquoted'
  })
}

/** The source with letters instead of its Liquid, which is how it will be read whatever that prints. */
function filledIn(source: string, pieces: readonly Piece[]): string {
  return pieces.map(({ kind, from, to }) => (kind === 'text' ? source.slice(from, to) : 'x'.repeat(to - from))).join('')
}

/** The stretch with this place in it; stretches are in order and apart. */
function around(stretches: readonly Stretch[], at: number): Stretch | undefined {
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle]?.to ?? 0) > at) high = middle
    else low = middle + 1
  }
  const found = stretches[low]
  return found !== undefined && found.from <= at ? found : undefined
}

class Reader implements TokenizerCallbacks {
  readonly text: string
  readonly values: Stretch[] = []
  readonly others: Stretch[] = []
  #tag: { readonly from: number; readonly name: string } | undefined
  #attribute = ''
  #value = { from: 0, to: 0 }
  #element: Place | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The source may end within a tag. */
  close(): void {
    if (this.#tag) this.others.push({ from: this.#tag.from, to: this.text.length, place: 'tag' })
  }

  onopentagname(from: number, to: number): void {
    this.#tag = { from: from - 1, name: this.text.slice(from, to).toLowerCase() }
  }

  onattribname(from: number, to: number): void {
    this.#attribute = this.text.slice(from, to).toLowerCase()
    this.#value = { from: to, to }
  }

  onattribdata(from: number, to: number): void {
    this.#value = { from, to }
  }

  onattribend(quote: number): void {
    // 2 and 3 are the quotes
    const isQuoted = quote >= 2
    const isAddress = ADDRESSES.test(this.#attribute)
    const unquoted = isAddress ? 'unquoted address' : 'unquoted'
    const place = isQuoted ? (isAddress ? 'address' : 'text') : unquoted
    this.values.push({ ...this.#value, place: this.#attribute.startsWith('on') && isQuoted ? 'script' : place })
  }

  onopentagend(at: number): void {
    if (this.#tag) this.others.push({ from: this.#tag.from, to: at, place: 'tag' })
    this.#element = TEXT_ELEMENTS.get(this.#tag?.name ?? '')
    this.#tag = undefined
  }

  onselfclosingtag(at: number): void {
    this.onopentagend(at)
    this.#element = undefined
  }

  onclosetag(from: number, to: number): void {
    this.#element = undefined
    const close = this.text.indexOf('>', to)
    this.others.push({ from, to: close < 0 ? this.text.length : close, place: 'tag' })
  }

  oncomment(from: number, to: number): void {
    this.others.push({ from, to, place: 'comment' })
  }

  oncdata(from: number, to: number): void {
    this.oncomment(from, to)
  }

  ondeclaration(from: number, to: number): void {
    this.oncomment(from, to)
  }

  onprocessinginstruction(from: number, to: number): void {
    this.oncomment(from, to)
  }

  ontext(from: number, to: number): void {
    if (this.#element) this.others.push({ from, to, place: this.#element })
  }

  // Entities are not decoded here, so the tokenizer never calls these.
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}
}
