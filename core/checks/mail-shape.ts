import { Parser } from 'htmlparser2'
import { type Piece, scanTemplate } from '../mail/render/scan-template.ts'
import { Pace } from '../values/pace.ts'
import { StyleReader } from './style-reader.ts'

/** Of a longer body the beginning is read: Gmail shows a twentieth of this. */
const MOST_READ = 2 * 1024 * 1024
/** How much is read at once, before other work may run. */
const CHUNK = 16 * 1024
/** How many characters of what is seen are kept, for its words. */
const MOST_WORDS = 100_000
/** How many characters an address may have, to be looked at. */
const MOST_ADDRESS = 4_000
/** More open elements than any mail has: the parser's time grows with their number. */
const MOST_OPEN = 2_000
/** How many characters of a link's text are kept. */
const LINK_TEXT = 60

/** Stands for Liquid, whose value is not known yet. Unicode reserves it for internal use. */
export const LIQUID = '\uFDD1'

/** A link as it stands in the mail. */
export interface SeenLink {
  /** Counted from 1, in the order of the mail. */
  readonly number: number
  /** Undefined where Liquid writes a part of it. */
  readonly address: string | undefined
  readonly text: string
}

/** A picture as it stands in the mail. */
export interface SeenImage {
  readonly number: number
  /** Undefined where Liquid writes a part of it. */
  readonly address: string | undefined
  readonly hasAlt: boolean
}

/** The parts of a mail, whatever its Liquid prints: the contents of all its branches count. */
export interface MailShape {
  readonly links: readonly SeenLink[]
  readonly images: readonly SeenImage[]
  /** The names of elements and what style sheets use, as the table of features has them. */
  readonly features: ReadonlySet<string>
  /** The bytes of each style sheet. */
  readonly sheets: readonly number[]
  /** The visible words. */
  readonly words: string
}

/** Reads a body with its snippets and its layout. Other work runs between its parts. */
export async function shapeOf(source: string): Promise<MailShape> {
  const read = source.slice(0, MOST_READ)
  const reader = new Reader()
  const parser = new Parser(reader, { decodeEntities: true })
  const pace = new Pace()
  for (const piece of scanTemplate(read)) {
    const text = writtenIn(read, piece)
    for (let at = 0; at < text.length; at += CHUNK) {
      if (pace.isDue) await pace.rest()
      if (reader.open > MOST_OPEN) return reader
      parser.write(text.slice(at, at + CHUNK))
    }
  }
  parser.end()
  return reader
}

/** A piece as HTML: a stand-in for Liquid. */
function writtenIn(source: string, { kind, from, to }: Piece): string {
  if (kind === 'comment') return ''
  const text = source.slice(from, to)
  if (kind === 'raw') return text.replace(/^\{%[^%]*%\}|\{%[^%]*%\}$/g, '')
  return kind === 'text' ? text : LIQUID
}

const UNSEEN = new Set(['head', 'style', 'script', 'title', 'template', 'object', 'noframes'])

class Reader implements MailShape {
  readonly links: SeenLink[] = []
  readonly images: SeenImage[] = []
  readonly features = new Set<string>()
  readonly sheets: number[] = []
  words = ''
  /** How many elements are open. */
  open = 0
  readonly #styles = new StyleReader(this.features)
  readonly #unseen: string[] = []
  #link: { readonly number: number; readonly address: string | undefined; text: string } | undefined
  #sheet: string | undefined

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.open++
    this.features.add(`<${name}>`)
    if (name === 'link' && /\bstylesheet\b/i.test(attributes.rel ?? '')) this.features.add('<link rel=stylesheet>')
    if (attributes.background !== undefined) this.features.add('background-image')
    if (attributes.style !== undefined) this.#styles.readStyle(attributes.style)
    if (name === 'style') this.#sheet = ''
    if (UNSEEN.has(name)) this.#unseen.push(name)
    if ((name === 'a' || name === 'area') && attributes.href !== undefined) this.#openLink(attributes.href)
    if (name === 'img') this.#image(attributes)
  }

  onclosetag(name: string): void {
    this.open--
    if (this.#unseen.at(-1) === name) this.#unseen.pop()
    if (name === 'style' && this.#sheet !== undefined) {
      this.sheets.push(Buffer.byteLength(this.#sheet))
      this.#styles.readSheet(this.#sheet)
      this.#sheet = undefined
    }
    if (name === 'a' || name === 'area') this.#closeLink()
  }

  ontext(text: string): void {
    if (this.#sheet !== undefined) this.#sheet += text
    if (this.#unseen.length > 0) return
    if (this.words.length < MOST_WORDS) this.words += text
    if (this.#link && this.#link.text.length < LINK_TEXT) this.#link.text += text
  }

  onend(): void {
    this.#closeLink()
  }

  #openLink(href: string): void {
    this.#closeLink()
    this.#link = { number: this.links.length + 1, address: known(href), text: '' }
  }

  #closeLink(): void {
    const link = this.#link
    if (link === undefined) return
    this.#link = undefined
    const text = link.text.replaceAll(LIQUID, '…').replace(/\s+/g, ' ').trim().slice(0, LINK_TEXT).toWellFormed()
    this.links.push({ ...link, text })
  }

  #image({ src = '', srcset = '', alt, width, height }: Readonly<Record<string, string>>): void {
    const address = src === '' && srcset !== '' ? known(srcset.trim().split(/[\s,]/, 1)[0] ?? '') : known(src)
    const path = (address ?? '').split(/[?#]/, 1)[0] ?? ''
    const [, ending] = /\.(webp|avif|svg)$/i.exec(path) ?? []
    if (ending !== undefined) this.features.add(`.${ending.toLowerCase()}`)
    // a pixel that counts is no picture
    const isPixel = /^[01](px)?$/.test(width ?? '') && /^[01](px)?$/.test(height ?? width ?? '')
    this.images.push({ number: this.images.length + 1, address, hasAlt: alt !== undefined || isPixel })
  }
}

/** An attribute's address without the white space that browsers ignore; of data, only that it is some. */
function known(address: string): string | undefined {
  if (address.includes(LIQUID)) return undefined
  const plain = address.trim().replace(/[\t\r\n]/g, '')
  if (plain.length <= MOST_ADDRESS) return plain
  return /^data:/i.test(plain) ? 'data:' : undefined
}
