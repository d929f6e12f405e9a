import { Parser } from 'htmlparser2'
import { digestOf } from '../../values/digest.ts'
import { Pace } from '../../values/pace.ts'
import { cleanHtml, oneLine, plainText, webAddress } from './clean-html.ts'

/** A feed as read. */
export interface Feed {
  readonly title: string
  readonly items: readonly FeedItem[]
}

/** An item of a feed, as bodies use it: all texts are plain but `html`. */
export interface FeedItem {
  /** Made from what the feed calls it: the same at each reading. */
  readonly key: string
  /** Plain text. */
  readonly title: string
  /** Its address. */
  readonly link: string
  /** Plain text; empty when the feed has none. */
  readonly summary: string
  /** Its whole text as HTML that can stand in a mail. */
  readonly html: string
  /** Plain text; empty when the feed names none. */
  readonly author: string
  /** The address of its picture. */
  readonly image: string
  /** ISO 8601. */
  readonly publishedAt: string
}

/** A text that is no feed that could be read; the message says why. */
export class NoFeed extends Error {
  override readonly name = 'NoFeed'
}

/** How many items of a feed are read, and how long their texts may be. */
const MAX_ITEMS = 100
const MAX_LINE = 500
const MAX_SUMMARY = 1_000
const MAX_HTML = 50_000
/** How long the text of one element may be, before it is cut. */
const MAX_FIELD = 200_000
/** How deep elements may be nested: a parser takes the longer for each, the deeper it stands. */
const MAX_DEPTH = 500
/** How many characters are read in one go. */
const PIECE = 16_384

/**
 * Reads RSS 2.0, RSS 1.0 or Atom; of more than 100 items the first. Entities that a document declares itself stay
 * unreplaced, and nothing is loaded. Other work goes on between its pieces. Throws NoFeed.
 */
export async function readFeed(text: string, url: string): Promise<Feed> {
  const reading = new Reading(url)
  // entities of the document's own are no entities to this parser, which keeps them as they are written
  const parser = new Parser(reading, { xmlMode: true, decodeEntities: true })
  const pace = new Pace()
  for (let at = 0; at < text.length; at += PIECE) await pace.run(() => parser.write(text.slice(at, at + PIECE)))
  parser.end()
  return reading.feed()
}

const ROOTS = new Set(['rss', 'feed', 'rdf:rdf'])

type Raw = Record<string, string>

/** Collects the fields of items while elements open and close; it never looks back, whatever the depth. */
class Reading {
  readonly #url: string
  readonly #items: FeedItem[] = []
  readonly #keys = new Set<string>()
  #root = ''
  #isWhole = false
  #title = ''
  #depth = 0
  #item: Raw | undefined
  #itemDepth = 0
  /** The field that is being read, where it began, and what it has so far. */
  #field = ''
  #fieldDepth = 0
  #text = ''
  /** Whether the field is markup that has to be written out again. */
  #isMarkup = false
  /** The bases of relative addresses, where elements have one (`xml:base`), the innermost last. */
  readonly #bases: { readonly depth: number; readonly base: string }[] = []

  constructor(url: string) {
    this.#url = url
  }

  feed(): Feed {
    if (!ROOTS.has(this.#root)) throw new NoFeed('is no RSS and no Atom feed')
    if (!this.#isWhole) throw new NoFeed('is not complete')
    return { title: cut(this.#title, MAX_LINE), items: this.#items }
  }

  onopentag(written: string, attributes: Readonly<Record<string, string>>): void {
    const name = written.toLowerCase()
    this.#depth++
    if (this.#depth > MAX_DEPTH) throw new NoFeed('has elements that are nested too deeply')
    if (this.#depth === 1 && this.#root === '') this.#root = name
    this.#enter(attributes['xml:base'])
    if (this.#field !== '') {
      if (this.#isMarkup) this.#add(markup(name, this.#whole(attributes)))
      return
    }
    if (this.#item === undefined) {
      if (name === 'item' || name === 'entry') {
        this.#item = {}
        this.#itemDepth = this.#depth
      } else if (name === 'title' && this.#depth <= 3) this.#begin('title')
      return
    }
    this.#ofItem(this.#item, name, attributes)
  }

  ontext(text: string): void {
    if (this.#field !== '') this.#add(this.#isMarkup ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text)
  }

  onclosetag(written: string, isImplied: boolean): void {
    const name = written.toLowerCase()
    if (this.#field !== '' && this.#depth === this.#fieldDepth) this.#end()
    else if (this.#field !== '' && this.#isMarkup && !isImplied) this.#add(`</${name}>`)
    if (this.#item !== undefined && this.#depth === this.#itemDepth) {
      if (!isImplied) this.#keep(this.#item)
      this.#item = undefined
    }
    if (this.#bases.at(-1)?.depth === this.#depth) this.#bases.pop()
    this.#depth--
    if (this.#depth === 0) this.#isWhole = !isImplied && name === this.#root
  }

  #ofItem(item: Raw, name: string, attributes: Readonly<Record<string, string>>): void {
    const { href, rel = 'alternate', type = '', url = '', medium = '' } = attributes
    if (name === 'link' && href !== undefined) {
      if (rel === 'alternate') this.#address(item, 'link', href)
      if (rel === 'enclosure' && type.startsWith('image/')) this.#address(item, 'image', href)
    } else if (name === 'enclosure' && type.startsWith('image/')) this.#address(item, 'image', url)
    else if (name === 'media:thumbnail') this.#address(item, 'image', url)
    else if (name === 'media:content' && (medium === 'image' || type.startsWith('image/')))
      this.#address(item, 'image', url)
    else if (FIELDS.has(name) && this.#depth === this.#itemDepth + 1) this.#begin(name, type)
    else if (name === 'name' && this.#depth === this.#itemDepth + 2) this.#begin('author.name')
  }

  #begin(field: string, type = ''): void {
    // the name of an author stands in an element
    if (field === 'author' && this.#root === 'feed') return
    this.#field = field
    this.#fieldDepth = this.#depth
    this.#text = ''
    this.#isMarkup = type === 'xhtml'
    if (this.#item && (field === 'title' || field === 'summary' || field === 'content'))
      this.#item[`${field}.type`] = type
    if (this.#item && !this.#isMarkup) this.#item[`${field}.base`] ??= this.#base
  }

  /** The address that relative ones are completed by here. */
  get #base(): string {
    return this.#bases.at(-1)?.base ?? this.#url
  }

  #enter(written: string | undefined): void {
    const base = written === undefined ? undefined : webAddress(written, this.#base)
    if (base !== undefined) this.#bases.push({ depth: this.#depth, base })
  }

  /** The first address of its kind, as it is written, and what completes it. */
  #address(item: Raw, field: 'link' | 'image', address: string): void {
    if (item[field] !== undefined) return
    item[field] = address
    item[`${field}.base`] = this.#base
  }

  /** The attributes of markup whose elements may have a base of their own, with whole addresses. */
  #whole({ 'xml:base': _, ...attributes }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#bases.length === 0) return attributes
    const addresses = ['href', 'src'].flatMap((name) => {
      const whole = attributes[name] === undefined ? undefined : webAddress(attributes[name], this.#base, true)
      return whole === undefined ? [] : [[name, whole] as const]
    })
    return { ...attributes, ...Object.fromEntries(addresses) }
  }

  #add(text: string): void {
    if (this.#text.length < MAX_FIELD) this.#text += text.slice(0, MAX_FIELD - this.#text.length)
  }

  #end(): void {
    if (this.#item) this.#item[this.#field] ??= this.#text.trim()
    else if (this.#title === '') this.#title = plainText(this.#text)
    this.#field = ''
  }

  #keep(item: Raw): void {
    if (this.#items.length >= MAX_ITEMS) return
    const read = itemOf(item, this.#root === 'feed', this.#url)
    if (this.#keys.has(read.key)) return
    this.#keys.add(read.key)
    this.#items.push(read)
  }
}

const FIELDS = new Set([
  ...['title', 'link', 'guid', 'id', 'description', 'summary', 'content', 'content:encoded'],
  ...['pubdate', 'published', 'updated', 'dc:date', 'author', 'dc:creator'],
])

function itemOf(item: Raw, isAtom: boolean, base: string): FeedItem {
  const title =
    isAtom && !HTML_TYPES.has(item['title.type'] ?? '') ? oneLine(item.title ?? '') : plainText(item.title ?? '')
  const isPlain = isAtom && !HTML_TYPES.has(item['summary.type'] ?? '')
  const short = item.description ?? item.summary ?? ''
  const whole = item['content:encoded'] ?? item.content ?? ''
  const source =
    whole === ''
      ? item.description === undefined
        ? 'summary'
        : 'description'
      : item['content:encoded'] === undefined
        ? 'content'
        : 'content:encoded'
  const htmlBase = item[`${source}.base`] ?? base
  const isText = isAtom && whole === item.content && (item['content.type'] ?? 'text') === 'text'
  const html = whole === '' ? (isPlain ? asHtml(short) : short) : isText ? asHtml(whole) : whole
  const summary = isPlain && short !== '' ? oneLine(short) : plainText(short === '' ? html : short)
  const link = webAddress(
    item.link ?? (URL.canParse(item.guid ?? '') ? (item.guid ?? '') : ''),
    item['link.base'] ?? base,
  )
  const at = Date.parse(item.pubdate ?? item.published ?? item['dc:date'] ?? item.updated ?? '')
  return {
    key: digestOf(item.guid || item.id || item.link || `${title}\n${short}`).slice(0, 32),
    title: cut(title, MAX_LINE),
    // an item without an address leads nowhere
    link: item.link || item.guid ? (link ?? '') : '',
    summary: cut(summary, MAX_SUMMARY),
    html: cleanHtml(html.slice(0, MAX_HTML), htmlBase),
    author: cut(plainText(item['author.name'] ?? item['dc:creator'] ?? item.author ?? ''), MAX_LINE),
    image: item.image ? (webAddress(item.image, item['image.base'] ?? base) ?? '') : '',
    publishedAt: Number.isNaN(at) ? '' : new Date(at).toISOString(),
  }
}

const HTML_TYPES = new Set(['html', 'xhtml', 'text/html'])

function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function markup(name: string, attributes: Readonly<Record<string, string>>): string {
  const all = Object.entries(attributes).map(([key, value]) => ` ${key}="${asHtml(value).replaceAll('"', '&quot;')}"`)
  return `<${name}${all.join('')}>`
}

/** At most so many characters; what is cut ends in an ellipsis. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
