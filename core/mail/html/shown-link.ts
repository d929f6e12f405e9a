import { Parser } from 'htmlparser2'

/** Stands for text that is not known yet; where it could hide something, that counts as hidden. */
export const UNKNOWN_TEXT = '\uFDD1'

/** Elements whose content is not part of the page. */
const UNSEEN = new Set(['head', 'style', 'script', 'title', 'template', 'textarea', 'xmp', 'object', 'noframes'])
/** White space, and characters without a shape: soft hyphens, joiners, direction marks, fillers. */
const BLANK = /[\s\p{Default_Ignorable_Code_Point}\u2800\ufdd0\ufdd1]/gu

/**
 * True when the HTML of a mail shows a link to one of these addresses: an `a` with text that can be seen, or the address
 * itself as text. An image alone does not count, since many readers load none, nor does what is hidden by an attribute,
 * by its style, or by a plain rule of a style sheet. Addresses may be continued (`?a=1`).
 */
export function showsLink(html: string, addresses: readonly string[]): boolean {
  if (!addresses.some((address) => html.includes(address))) return false
  const reader = new Reader(addresses)
  const parser = new Parser(reader, { decodeEntities: true })
  parser.end(html)
  return reader.isFound
}

/** The style that an element gives to the text in it. */
interface Look {
  readonly name: string
  /** Nothing in it can be seen, whatever its own style. */
  readonly isGone: boolean
  /** Its text cannot be seen, unless an element in it says otherwise. */
  readonly isInvisible: boolean
  readonly isTiny: boolean
  readonly isClear: boolean
  readonly isLink: boolean
}

class Reader {
  readonly #addresses: readonly string[]
  readonly #open: Look[] = []
  readonly #hidden = new Set<string>()
  #shown = ''
  #sheet = ''
  isFound = false

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const outer = this.#open.at(-1) ?? NOTHING
    const style = declarationsOf(attributes.style ?? '')
    const href = name === 'a' ? (attributes.href ?? '').trim() : ''
    this.#open.push({
      name,
      isGone: outer.isGone || UNSEEN.has(name) || 'hidden' in attributes || this.#isHidden(name, attributes, style),
      isInvisible: changed(outer.isInvisible, style.get('visibility'), /^(?:hidden|collapse)$/),
      isTiny: changed(outer.isTiny, style.get('font-size'), ZERO, /(?:em|%|er)$/),
      isClear: changed(outer.isClear, style.get('color'), /^transparent$|^rgba\(.*,0?\.?0+\)$/),
      isLink: outer.isLink || this.#addresses.some((address) => href.startsWith(address)),
    })
  }

  onclosetag(): void {
    const closed = this.#open.pop()
    if (closed?.name !== 'style') return
    for (const selector of hidingSelectors(this.#sheet)) this.#hidden.add(selector)
    this.#sheet = ''
  }

  ontext(text: string): void {
    const look = this.#open.at(-1) ?? NOTHING
    if (look.name === 'style') this.#sheet += text
    if (look.isGone || look.isInvisible || look.isTiny || look.isClear) return
    if (look.isLink && text.replace(BLANK, '') !== '') this.isFound = true
    this.#shown += text
  }

  onend(): void {
    this.isFound ||= this.#addresses.some((address) => this.#shown.includes(address))
  }

  #isHidden(name: string, attributes: Readonly<Record<string, string>>, style: Declarations): boolean {
    if (hides(style) || Object.keys(attributes).some((attribute) => attribute.includes(UNKNOWN_TEXT))) return true
    if (this.#hidden.size === 0 || style.has('display')) return false
    const marks = (attributes.class ?? '').split(/\s+/).map((mark) => `.${mark}`)
    if (attributes.id !== undefined) marks.push(`#${attributes.id.trim()}`)
    return ['', ...marks].some(
      (mark) => mark.includes(UNKNOWN_TEXT) || this.#hidden.has(mark || name) || this.#hidden.has(name + mark),
    )
  }
}

const NOTHING: Look = { name: '', isGone: false, isInvisible: false, isTiny: false, isClear: false, isLink: false }
const ZERO = /^[+-]?(?:0+(?:\.0+)?|\.0+)(?:[a-z]+|%)?$/

type Declarations = ReadonlyMap<string, string>

/** The declarations of a style, in lower case, without blanks and `!important`. */
function declarationsOf(style: string): Declarations {
  const found = new Map<string, string>()
  for (const declaration of style
    .replace(/\/\*.*?(?:\*\/|$)/gs, '')
    .toLowerCase()
    .split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 0) {
      if (declaration.includes(UNKNOWN_TEXT)) found.set(UNKNOWN_TEXT, '')
      continue
    }
    const value = declaration.slice(colon + 1).replace(/\s+|!important/g, '')
    found.set(declaration.slice(0, colon).trim(), value)
  }
  return found
}

/** Properties that hide when their value is not known. */
const HIDING = ['display', 'visibility', 'opacity', 'font-size', UNKNOWN_TEXT]

function hides(style: Declarations): boolean {
  if (style.size === 0) return false
  if (
    HIDING.some((name) =>
      (style.get(name) ?? (name === UNKNOWN_TEXT && style.has(name) ? name : '')).includes(UNKNOWN_TEXT),
    )
  )
    return true
  if (style.get('display') === 'none' || ZERO.test(style.get('opacity') ?? '')) return true
  if (/^-\d{3,}/.test(style.get('text-indent') ?? '')) return true
  const isAway = ['left', 'right', 'top', 'bottom'].some((side) => /^-\d{4,}/.test(style.get(side) ?? ''))
  if (isAway && /^(?:absolute|fixed)$/.test(style.get('position') ?? '')) return true
  const isCut = /^(?:hidden|clip)$/.test(style.get('overflow') ?? '')
  return isCut && ['height', 'max-height', 'width', 'max-width'].some((side) => ZERO.test(style.get(side) ?? ''))
}

/** The state of an element after its parent's: it stays without its own value, or with one relative to it. */
function changed(outer: boolean, value: string | undefined, hiding: RegExp, relative?: RegExp): boolean {
  if (value === undefined || value === 'inherit') return outer
  if (hiding.test(value)) return true
  return relative?.test(value) === true && outer
}

/** The selectors of one element that a style sheet hides for every reader; rules within `@media` do not count. */
function hidingSelectors(sheet: string): readonly string[] {
  const plain = sheet
    .replace(/\/\*.*?(?:\*\/|$)|<!--|-->/gs, '')
    .replace(/@[^@{;]*(?:;|\{(?:[^{}]|\{[^{}]*\})*\})/g, '')
  return [...plain.matchAll(/(?<![^{}])([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', style = '']) =>
    hides(declarationsOf(style)) ? selectors.split(',').map((selector) => selector.trim()) : [],
  )
}
