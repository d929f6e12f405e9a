import type { Attribute, Design, DesignNode } from './design.ts'

/** What blocks have no place for. */
const LOSSES = ['styles', 'layout', 'comments', 'pixel'] as const
type Loss = (typeof LOSSES)[number]

export interface Converted {
  readonly design: Design
  /** What of the source the blocks do not have. Texts, links, pictures and Liquid are always kept. */
  readonly lost: readonly Loss[]
}

/** Stands for a piece of Liquid, or of source, while the HTML is read: no mail has characters of this range. */
const OPEN = '\ue000'
const CLOSE = '\ue001'
const HELD = /\ue000(\d+)\ue001/
const LIQUID = /\{\{[\s\S]*?\}\}|\{%-?\s*comment\s*-?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}|\{%[\s\S]*?%\}/g

/** A page that is read, never shown: scripts do not run in it, and nothing is loaded. */
export type ReadHtml = (html: string) => Document

const inBrowser: ReadHtml = (html) => new DOMParser().parseFromString(html, 'text/html')

/**
 * Makes blocks from the source of a mail. What has a block becomes one: paragraphs, headings, lists, pictures, buttons,
 * columns. Tables of data and whatever stands within Liquid tags stay source, as a block of their own.
 */
export function convert(html: string, read: ReadHtml = inBrowser): Converted {
  const held: string[] = []
  const hold = (source: string) => `${OPEN}${held.push(source) - 1}${CLOSE}`
  const lost = new Set<Loss>()
  const inside = bodyOf(html)
  if (/<!--(?!\[if)[\s\S]*?-->/.test(inside)) lost.add('comments')
  const bare = withoutConditional(inside)
  const safe = holdTags(holdTables(bare, hold), hold).replaceAll(LIQUID, hold)
  const page = read(`<!doctype html><html><body>${safe}</body></html>`)
  const reader = new Reader(held, lost)
  const content = reader.blocks(page.body)
  return {
    design: { version: 1, content: content.length === 0 ? [{ type: 'paragraph' }] : content },
    lost: LOSSES.filter((loss) => lost.has(loss)),
  }
}

function bodyOf(html: string): string {
  const start = /<body\b[^>]*>/i.exec(html)
  if (start) {
    const end = html.toLowerCase().lastIndexOf('</body')
    return html.slice(start.index + start[0].length, end < start.index ? undefined : end)
  }
  return html.replace(/^[\s\S]*<\/head\s*>/i, '').replace(/<!doctype[^>]*>|<\/?html\b[^>]*>/gi, '')
}

/** Without what Outlook alone reads; what all others read stays. */
function withoutConditional(html: string): string {
  return html
    .replace(/<!--\[if\b(?![^\]]*!mso)[^\]]*\]>[\s\S]*?<!\[endif\]-->/gi, '')
    .replace(/<!--\[if[^\]]*\]>\s*<!-->|<!--\s*<!\[endif\]-->|<!\[if[^\]]*\]>|<!\[endif\]>/gi, '')
}

/**
 * Holds the innermost tables that Liquid tags repeat or leave out rows of: read as HTML, the tags would fall out of the
 * table, since nothing but rows may stand between rows.
 */
function holdTables(html: string, hold: (source: string) => string): string {
  const tags = [...html.matchAll(/<table\b[^>]*>|<\/table\s*>/gi)]
  const open: number[] = []
  const found: (readonly [number, number])[] = []
  for (const { 0: tag, index } of tags) {
    if (tag[1] !== '/') open.push(index)
    else {
      const start = open.pop()
      if (start === undefined) continue
      const end = index + tag.length
      const within = found.some(([from, to]) => from >= start && to <= end)
      if (!within && betweenRows(html.slice(start, end))) found.push([start, end])
    }
  }
  return found.toSorted(([a], [b]) => b - a).reduce((text, [from, to]) => replaced(text, from, to, hold), html)
}

function betweenRows(table: string): boolean {
  return /(?:<table\b[^>]*>|<\/?t(?:head|body|foot)\b[^>]*>|<\/tr\s*>|<tr\b[^>]*>|<\/t[dh]\s*>)\s*\{[%{]/i.test(table)
}

/**
 * Holds what stands between Liquid tags around whole blocks (`{% if %}<p>…</p>{% endif %}`): the tags and what is
 * between them belong together. Tags within one line of text are held one by one, later.
 */
function holdTags(html: string, hold: (source: string) => string): string {
  const tags = [...html.matchAll(/\{%-?\s*(end)?(if|unless|case|for|tablerow|capture|comment|raw)\b[\s\S]*?%\}/g)]
  const open: number[] = []
  const found: (readonly [number, number])[] = []
  for (const { 0: tag, 1: ends, index } of tags) {
    if (ends === undefined) open.push(index)
    else {
      const start = open.pop()
      if (start === undefined || open.length > 0) continue
      const end = index + tag.length
      if (/<(?:p|div|h[1-6]|table|ul|ol|li|tr|td|center|section|blockquote|hr)\b/i.test(html.slice(start, end))) {
        found.push([start, end])
      }
    }
  }
  return found.toSorted(([a], [b]) => b - a).reduce((text, [from, to]) => replaced(text, from, to, hold), html)
}

function replaced(text: string, from: number, to: number, hold: (source: string) => string): string {
  return `${text.slice(0, from)}<div data-held="">${hold(text.slice(from, to))}</div>${text.slice(to)}`
}

const MARK_OF: Readonly<Record<string, string>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  U: 'underline',
  S: 'strike',
  DEL: 'strike',
  STRIKE: 'strike',
  CODE: 'code',
}
const INLINE = new Set([
  ...Object.keys(MARK_OF),
  'A',
  'SPAN',
  'FONT',
  'BR',
  'SMALL',
  'BIG',
  'SUB',
  'SUP',
  'LABEL',
  'ABBR',
  'TIME',
])
const NOTHING = new Set(['STYLE', 'SCRIPT', 'HEAD', 'TITLE', 'META', 'LINK', 'BASE', 'TEMPLATE', 'NOSCRIPT'])

type Marks = NonNullable<DesignNode['marks']>

class Reader {
  readonly #held: readonly string[]
  readonly #lost: Set<Loss>

  constructor(held: readonly string[], lost: Set<Loss>) {
    this.#held = held
    this.#lost = lost
  }

  /** The blocks within an element; text and what stands in lines of text becomes paragraphs. */
  blocks(parent: Node, side = 'left'): DesignNode[] {
    const found: DesignNode[] = []
    let line: DesignNode[] = []
    const end = () => {
      const words = trimmed(line)
      if (words.length > 0) found.push(aligned({ type: 'paragraph', content: words }, side))
      line = []
    }
    for (const node of parent.childNodes) {
      if (isText(node)) line.push(...this.#text(node.textContent ?? '', []))
      else if (!isElement(node)) continue
      else if (isInline(node)) {
        const picture = pictureIn(node)
        if (picture) {
          end()
          found.push(...this.#picture(picture, node, side))
        } else if (isButton(node)) {
          end()
          found.push(this.#button(node, side))
        } else line.push(...this.#inline(node, []))
      } else {
        end()
        found.push(...this.#block(node, sideOf(node) ?? side))
      }
    }
    end()
    return found
  }

  #block(element: Element, side: string): DesignNode[] {
    const { tagName } = element
    if (NOTHING.has(tagName)) {
      if (tagName === 'STYLE') this.#lost.add('styles')
      return []
    }
    if (element.hasAttribute('data-held')) return [sourceBlock(this.#whole(element.textContent ?? ''))]
    if (element.getAttribute('style') || element.getAttribute('class')) this.#lost.add('styles')
    const level = /^H([1-6])$/.exec(tagName)?.[1]
    if (level) return this.#heading(element, Math.min(3, Number(level)), side)
    if (tagName === 'UL' || tagName === 'OL') return this.#list(element, tagName)
    if (tagName === 'HR') return [{ type: 'horizontalRule' }]
    if (tagName === 'IMG') return this.#picture(element, element, side)
    if (tagName === 'TABLE') return this.#table(element, side)
    if (tagName === 'PRE') return [{ type: 'codeBlock', content: plainText(this.#whole(element.textContent ?? '')) }]
    const inside = this.blocks(element, side)
    if (tagName === 'BLOCKQUOTE' && inside.length > 0) return [{ type: 'blockquote', content: inside }]
    return inside
  }

  #heading(element: Element, level: number, side: string): DesignNode[] {
    const picture = pictureIn(element)
    if (picture) return this.blocks(element, side)
    const words = trimmed([...element.childNodes].flatMap((node) => this.#words(node, [])))
    return words.length === 0 ? [] : [aligned({ type: 'heading', attrs: { level }, content: words }, side)]
  }

  #list(element: Element, tagName: string): DesignNode[] {
    const items = [...element.children].map((item) => {
      const [first, ...rest] = this.blocks(item)
      const begins = first?.type === 'paragraph'
      return {
        type: 'listItem',
        content: begins ? [first, ...rest] : [{ type: 'paragraph' }, ...(first ? [first] : []), ...rest],
      }
    })
    return items.length === 0 ? [] : [{ type: tagName === 'UL' ? 'bulletList' : 'orderedList', content: items }]
  }

  /** A table that only lays out becomes what is in its cells; one with data stays as it is. */
  #table(table: Element, side: string): DesignNode[] {
    const rows = [...table.querySelectorAll('tr')].filter((row) => row.closest('table') === table)
    const cells = rows.map((row) => [...row.children].filter(({ tagName }) => tagName === 'TD' || tagName === 'TH'))
    const isData = table.querySelector('th') !== null || cells.filter((row) => row.length > 1).length > 1
    const isLayout =
      table.getAttribute('role') === 'presentation' || table.querySelector('table, img, h1, h2, h3') !== null
    if (isData && !isLayout) return [sourceBlock(this.#whole(table.outerHTML))]
    this.#lost.add('layout')
    return cells.flatMap((row) => this.#row(row, side))
  }

  #row(row: readonly Element[], side: string): DesignNode[] {
    const inside = row.map((cell) => this.blocks(cell, sideOf(cell) ?? side))
    const full = inside.filter((blocks) => blocks.length > 0)
    const fits = full.every((blocks) => blocks.every(({ type }) => IN_COLUMN.has(type)))
    if (full.length < 2 || full.length > 3 || !fits) return full.flat()
    return [{ type: 'columns', content: full.map((content) => ({ type: 'column', content })) }]
  }

  #picture(picture: Element, around: Element, side: string): DesignNode[] {
    const src = this.#attribute(picture, 'src')
    const width = Number.parseInt(picture.getAttribute('width') ?? '', 10)
    if (src === '') return []
    if (width === 1 || picture.getAttribute('height') === '1') {
      this.#lost.add('pixel')
      return []
    }
    const link = picture.closest('a') ?? (around.tagName === 'A' ? around : null)
    const attrs = {
      src,
      alt: this.#attribute(picture, 'alt'),
      href: link ? this.#attribute(link, 'href') : '',
      width: Number.isNaN(width) ? 520 : Math.min(520, width),
      textAlign: side,
    }
    const words = trimmed([...around.childNodes].flatMap((node) => this.#words(node, [])))
    const beside: DesignNode[] = words.length === 0 ? [] : [aligned({ type: 'paragraph', content: words }, side)]
    return [{ type: 'picture', attrs }, ...beside]
  }

  #button(link: Element, side: string): DesignNode {
    this.#lost.add('styles')
    const text = this.#whole(link.textContent ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return { type: 'button', attrs: { text, href: this.#attribute(link, 'href'), textAlign: side } }
  }

  #inline(element: Element, marks: Marks): DesignNode[] {
    const { tagName } = element
    if (NOTHING.has(tagName)) return []
    if (tagName === 'BR') return [{ type: 'hardBreak' }]
    if (element.getAttribute('style')) this.#lost.add('styles')
    const href = tagName === 'A' ? this.#attribute(element, 'href') : ''
    const mark = href === '' ? MARK_OF[tagName] : undefined
    const own = [
      ...(href === '' ? [] : [{ type: 'link', attrs: { href } as Record<string, Attribute> }]),
      ...(mark === undefined ? [] : [{ type: mark }]),
    ]
    return [...element.childNodes].flatMap((node) => this.#words(node, [...marks, ...own]))
  }

  #words(node: Node, marks: Marks): DesignNode[] {
    if (isText(node)) return this.#text(node.textContent ?? '', marks)
    if (!isElement(node) || node.tagName === 'IMG') return []
    return this.#inline(node, marks)
  }

  /** Text and the Liquid in it. */
  #text(text: string, marks: Marks): DesignNode[] {
    const marked = marks.length === 0 ? {} : { marks }
    return text
      .replaceAll(/[ \t\r\n]+/g, ' ')
      .split(HELD)
      .flatMap((part, at): DesignNode[] => {
        if (part === '') return []
        if (at % 2 === 0) return [{ type: 'text', text: part, ...marked }]
        const source = this.#held[Number(part)] ?? ''
        const output = /^\{\{\s*([A-Za-z_][\w.-]*)\s*(?:\|\s*default:\s*(?:"([^"]*)"|'([^']*)')\s*)?\}\}$/.exec(source)
        if (output === null) return [{ type: 'liquid', attrs: { source }, ...marked }]
        const [, field = '', double, single] = output
        return [{ type: 'variable', attrs: { field, fallback: double ?? single ?? '' }, ...marked }]
      })
  }

  #attribute(element: Element, name: string): string {
    return this.#whole(element.getAttribute(name) ?? '').trim()
  }

  /** A text with what was held in its place again. */
  #whole(text: string): string {
    return text.replaceAll(new RegExp(HELD.source, 'g'), (_, at) => this.#whole(this.#held[Number(at)] ?? ''))
  }
}

/** What may stand in a column. */
const IN_COLUMN = new Set([
  ...['paragraph', 'heading', 'bulletList', 'orderedList', 'blockquote', 'button', 'picture', 'spacer'],
  ...['horizontalRule', 'card', 'condition', 'source'],
])

function sourceBlock(html: string): DesignNode {
  return { type: 'source', attrs: { html: html.replaceAll(/<div data-held="">([\s\S]*?)<\/div>/g, '$1').trim() } }
}

function plainText(text: string): DesignNode[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function aligned(node: DesignNode, side: string): DesignNode {
  return side === 'left' ? node : { ...node, attrs: { ...node.attrs, textAlign: side } }
}

function sideOf(element: Element): string | undefined {
  const said = element.getAttribute('align') ?? /text-align:\s*(\w+)/i.exec(element.getAttribute('style') ?? '')?.[1]
  if (element.tagName === 'CENTER') return 'center'
  const side = said?.toLowerCase()
  return side === 'left' || side === 'center' || side === 'right' ? side : undefined
}

/** Without the spaces that HTML does not show, and without breaks at the ends. */
function trimmed(line: readonly DesignNode[]): DesignNode[] {
  const words = [...line]
  const isEmpty = (node: DesignNode | undefined) =>
    node?.type === 'hardBreak' || (node?.type === 'text' && (node.text ?? '').trim() === '')
  while (isEmpty(words[0])) words.shift()
  while (isEmpty(words.at(-1))) words.pop()
  const first = words[0]
  if (first?.type === 'text') words[0] = { ...first, text: (first.text ?? '').replace(/^[ \n]+/, '') }
  const last = words.at(-1)
  if (last?.type === 'text') words[words.length - 1] = { ...last, text: (last.text ?? '').replace(/[ \n]+$/, '') }
  return words
}

const isText = (node: Node) => node.nodeType === 3

function isElement(node: Node): node is Element {
  return node.nodeType === 1
}

/** Whether it stands in a line of text: what has blocks within does not. */
function isInline(element: Element): boolean {
  if (element.tagName === 'IMG') return true
  return INLINE.has(element.tagName) && element.querySelector(BLOCK_TAGS) === null
}

const BLOCK_TAGS = 'p, div, table, ul, ol, h1, h2, h3, h4, h5, h6, blockquote, hr, pre, section, center, [data-held]'

function pictureIn(element: Element): Element | undefined {
  return element.tagName === 'IMG' ? element : (element.querySelector('img') ?? undefined)
}

/** A link that is drawn as a button: with a color behind it, or in a cell of that kind that has nothing else. */
function isButton(element: Element): boolean {
  if (element.tagName !== 'A' || !element.getAttribute('href')) return false
  const style = `${element.getAttribute('style') ?? ''} ${element.getAttribute('class') ?? ''}`
  return /background(?:-color)?\s*:|padding\s*:\s*[1-9]|\b(?:btn|button)/i.test(style)
}
