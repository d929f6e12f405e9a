import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { mentionsPage } from '../mail/html/mentions.ts'
import { scanTemplate } from '../mail/render/scan-template.ts'
import type { MailVariables } from '../mail/render/scope.ts'

/** The pages that only a recipient has. */
const OWN_PAGES = ['unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const
/** Stands for their addresses until what leads there is taken out. No encoding or escaping changes it. */
const NOWHERE = 'mailwrightnowhere'

/** The variables of a mail for a reader who is no recipient: `{{ viewUrl }}` is where it is read. */
export function anonymousVariables(viewUrl: string | undefined): MailVariables {
  return { unsubscribeUrl: NOWHERE, subscribeUrl: NOWHERE, manageUrl: NOWHERE, ...(viewUrl ? { viewUrl } : {}) }
}

/** The template with the addresses of these pages printed as they are, since a filter could hide them: `base64_encode`. */
export function withPlainPages(source: string): string {
  if (!OWN_PAGES.some((name) => source.includes(name))) return source
  const plain = scanTemplate(source).map((piece) => {
    const whole = source.slice(piece.from, piece.to)
    if (!mentionsPage(piece, OWN_PAGES)) return whole
    if (piece.kind === 'output') return `{{${piece.trimLeft ? '-' : ''} unsubscribeUrl ${piece.trimRight ? '-' : ''}}}`
    const assigned =
      piece.kind === 'tag' && piece.name === 'assign' ? /^\s*assign\s+([^\s=]+)\s*=/.exec(piece.content) : null
    return assigned ? `{% assign ${assigned[1]} = unsubscribeUrl %}` : whole
  })
  return plain.join('')
}

/** A line of text without the addresses of these pages, and without longer addresses that contain one. */
export function textWithoutOwnPages(text: string): string {
  if (!text.includes(NOWHERE)) return text
  return text.replace(WORDS, (word) => {
    if (!word.includes(NOWHERE)) return word
    const at = word.search(/https?:\/\//i)
    return at >= 0 ? word.slice(0, at).replace(/[([<]$/, '') : word.replaceAll(NOWHERE, '')
  })
}

const WORDS = /[^\s<>"']+/g

/**
 * The HTML without what leads to these pages: links, forms and buttons go with their words, which would promise something;
 * of other elements the attribute goes. An address that prints a value of the recipient may come out empty: then there is
 * no link, and no picture.
 */
export function withoutOwnPages(html: string): string {
  if (!html.includes(NOWHERE) && !EMPTY.test(html)) return html
  const reader = new Reader(html)
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader.left
}

/** Links and pictures that may have no address. */
const EMPTY = /(?:href|src)\s{0,20}=\s{0,20}(?:["']\s{0,20}["']|>)/i

/** Elements that lead somewhere by one of these attributes, and go with all that is in them. */
const LEADING: Readonly<Record<string, string>> = { a: 'href', form: 'action', button: 'formaction' }
/** Elements without content that are nothing without their address. */
const BARE: ReadonlySet<string> = new Set(['img', 'area', 'input', 'link', 'embed', 'source', 'base', 'meta'])
/** Attributes without whose value the element leads nowhere, or shows a broken picture. */
const NEEDED: Readonly<Record<string, string>> = { a: 'href', area: 'href', img: 'src' }
/** Attributes whose value is an address, or has one in it. */
const ADDRESSES: ReadonlySet<string> = new Set([
  ...['href', 'src', 'srcset', 'action', 'formaction', 'background', 'cite', 'data', 'poster', 'ping', 'longdesc'],
  ...['style', 'content', 'manifest', 'xlink:href', 'usemap', 'codebase', 'value'],
])

interface Attribute {
  readonly name: string
  readonly from: number
  to: number
  valueFrom: number
  valueTo: number
}

interface Cut {
  readonly name: string
  readonly from: number
  /** The end of its first tag. */
  readonly inside: number
}

/** Copies HTML but for the parts to leave out. */
class Reader implements TokenizerCallbacks {
  readonly #html: string
  readonly #parts: string[] = []
  /** How far the HTML was copied or left out. */
  #done = 0
  #tag: { readonly name: string; readonly from: number; readonly attributes: Attribute[] } | undefined
  #cut: Cut | undefined

  constructor(html: string) {
    this.#html = html
  }

  get left(): string {
    if (this.#cut) this.#leaveOut(this.#cut.from, this.#cut.inside)
    this.#copyTo(this.#html.length)
    return this.#parts.join('')
  }

  onopentagname(from: number, to: number): void {
    const name = this.#html.slice(from, to).toLowerCase()
    this.#tag = { name, from: from - 1, attributes: [] }
    // a link that is never closed ends where the next one begins
    if (this.#cut?.name === name) this.#endCut(name === 'a' ? from - 1 : this.#cut.inside)
  }

  onattribname(from: number, to: number): void {
    const name = this.#html.slice(from, to).toLowerCase()
    this.#tag?.attributes.push({ name, from, to, valueFrom: to, valueTo: to })
  }

  onattribdata(from: number, to: number): void {
    const attribute = this.#tag?.attributes.at(-1)
    if (attribute) [attribute.valueFrom, attribute.valueTo] = [from, to]
  }

  onattribend(_quote: number, end: number): void {
    const attribute = this.#tag?.attributes.at(-1)
    if (attribute) attribute.to = Math.max(end, attribute.valueTo)
  }

  onopentagend(end: number): void {
    const tag = this.#tag
    this.#tag = undefined
    if (tag === undefined || this.#cut) return
    const empty = tag.attributes.find(({ name, valueFrom, valueTo }) => {
      return name === NEEDED[tag.name] && this.#html.slice(valueFrom, valueTo).trim() === ''
    })
    if (empty && tag.name === 'img') this.#leaveOut(tag.from, end + 1)
    else if (empty) this.#leaveOut(empty.from, empty.to)
    const found = tag.attributes.filter(({ valueFrom, valueTo }) =>
      this.#html.slice(valueFrom, valueTo).includes(NOWHERE),
    )
    if (found.length === 0) return
    if (found.some(({ name }) => name === LEADING[tag.name]))
      this.#cut = { name: tag.name, from: tag.from, inside: end + 1 }
    else if (BARE.has(tag.name) && found.some(({ name }) => ADDRESSES.has(name))) this.#leaveOut(tag.from, end + 1)
    else for (const each of found) if (ADDRESSES.has(each.name)) this.#leaveOut(each.from, each.to)
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end)
    if (this.#cut?.inside === end + 1) this.#endCut(end + 1)
  }

  onclosetag(from: number, to: number): void {
    if (this.#cut?.name !== this.#html.slice(from, to).toLowerCase()) return
    const close = this.#html.indexOf('>', to)
    this.#endCut(close < 0 ? this.#html.length : close + 1)
  }

  oncomment(): void {}
  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}

  #endCut(at: number): void {
    if (this.#cut) this.#leaveOut(this.#cut.from, at)
    this.#cut = undefined
  }

  #leaveOut(from: number, to: number): void {
    this.#copyTo(from)
    this.#done = Math.max(this.#done, to)
  }

  /** The other addresses are in texts, in comments, and in attributes that are words. */
  #copyTo(at: number): void {
    if (at > this.#done) this.#parts.push(textWithoutOwnPages(this.#html.slice(this.#done, at)))
    this.#done = Math.max(this.#done, at)
  }
}
