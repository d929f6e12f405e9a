import { type Attribute, type Design, type DesignNode, WIDEST } from './design.ts'
import { Flow, type Marks, marked, NO_WORDS, type Place, START, sourceBlock, withMarks } from './flow.ts'
import { HELD, holdLiquid, released } from './hold-liquid.ts'
import { fieldOf } from './liquid.ts'
import { type PictureSize, saidHeight, saidWidth } from './picture-sizes.ts'
import { drawnAs, hiddenBySheets, isHidden, isPixel, marksOf, sideInTable, sideOf } from './read-styles.ts'

/** The kinds of things that blocks have no place for. */
const LOSSES = ['styles', 'looks', 'layout', 'comments', 'pixel'] as const
type Loss = (typeof LOSSES)[number]

export interface Converted {
  readonly design: Design
  /** The parts of the source that the blocks lack. Texts, links and pictures are always kept, and the Liquid in them. */
  readonly lost: readonly Loss[]
}

/**
 * Makes blocks from the source of a mail. What has a block becomes one: paragraphs, headings, lists, pictures, buttons,
 * columns. Tables of data, whatever stands within Liquid tags and what is hidden (as the preview text at the top of many
 * mails) stay source, as a block of their own. `sizes` are those of pictures that do not say how wide they are.
 */
export function convert(source: string, sizes: ReadonlyMap<string, PictureSize> = new Map()): Converted {
  const { html, sources } = holdLiquid(source)
  // scripts do not run in it, and nothing is loaded
  const page = new DOMParser().parseFromString(
    `<!doctype html>${html.replaceAll(/<!doctype[^<>]*>/gi, '')}`,
    'text/html',
  )
  hiddenBySheets(page)
  const reader = new Reader(sources, sizes)
  if (page.querySelector('style, link[rel="stylesheet"]')) reader.lost.add('styles')
  const content = [...reader.head(page.head), ...reader.blocks(page.body, START)]
  return {
    design: { version: 1, content: content.length === 0 ? [{ type: 'paragraph' }] : content },
    lost: LOSSES.filter((loss) => reader.lost.has(loss)),
  }
}

const INLINE = new Set([
  ...['A', 'ABBR', 'ACRONYM', 'B', 'BDI', 'BDO', 'BIG', 'BLINK', 'CITE', 'CODE', 'DATA', 'DEL', 'DFN', 'EM', 'FONT'],
  ...['I', 'INS', 'KBD', 'LABEL', 'MARK', 'NOBR', 'O:P', 'PICTURE', 'Q', 'S', 'SAMP', 'SMALL', 'SPAN', 'STRIKE'],
  ...['STRONG', 'SUB', 'SUP', 'TIME', 'TT', 'U', 'VAR', 'WBR'],
])
const NOTHING = new Set(['STYLE', 'TITLE', 'META', 'LINK', 'BASE', 'TEMPLATE', 'SOURCE'])
/** Elements that no block can show. */
const AS_SOURCE = new Set([
  ...['FORM', 'INPUT', 'BUTTON', 'SELECT', 'TEXTAREA', 'VIDEO', 'AUDIO', 'IFRAME', 'OBJECT', 'EMBED', 'SVG', 'MATH'],
  ...['MAP', 'CANVAS', 'METER', 'PROGRESS'],
])
/** Attributes that only change how an element looks. */
const LOOKS =
  /^(?:style|class|id|bgcolor|color|background|width|height|align|valign|face|size|border|bordercolor|cellpadding|cellspacing|lang)$/
/** Attributes that have a place in blocks. */
const KEPT: Readonly<Record<string, readonly string[]>> = { A: ['href'], IMG: ['src', 'alt'] }
/** The blocks that may stand in a column. */
const IN_COLUMN = new Set([
  ...['paragraph', 'heading', 'bulletList', 'orderedList', 'blockquote', 'button', 'picture', 'spacer'],
  ...['horizontalRule', 'card', 'condition', 'snippet', 'source'],
])
class Reader {
  readonly lost = new Set<Loss>()
  readonly #sources: readonly string[]
  readonly #sizes: ReadonlyMap<string, PictureSize>

  constructor(sources: readonly string[], sizes: ReadonlyMap<string, PictureSize>) {
    this.#sources = sources
    this.#sizes = sizes
  }

  /** Of the head what holds for the body too, or speaks to programs: assignments, and descriptions of an order. */
  head(head: Element): readonly DesignNode[] {
    const scripts = [...head.querySelectorAll('script')].flatMap((script) => this.#script(script))
    const all = [...(head.textContent ?? '').matchAll(new RegExp(HELD, 'g'))].map(([mark]) => this.#whole(mark))
    const tags = all.filter((source) => /^\{%-?\s*(?:assign|capture|endcapture|increment|decrement)\b/.test(source))
    return tags.length === 0 ? scripts : [sourceBlock(tags.join('')), ...scripts]
  }

  #script(script: Element): readonly DesignNode[] {
    return script.getAttribute('type') === 'application/ld+json' ? this.#kept(script) : []
  }

  blocks(parent: Element, place: Place): DesignNode[] {
    const flow = new Flow(place)
    this.#read(parent, place, flow)
    flow.end()
    return flow.blocks
  }

  #read(parent: Element, place: Place, flow: Flow): void {
    for (const node of parent.childNodes) {
      if (node instanceof Text) flow.line.push(...this.#text(node.data, place.marks))
      else if (node instanceof Comment && !/^\[if|^<!\[endif|^\[endif/i.test(node.data)) this.lost.add('comments')
      else if (node instanceof Element) this.#element(node, place, flow)
    }
  }

  #element(element: Element, place: Place, flow: Flow): void {
    const tagName = element.tagName.toUpperCase()
    if (element.hasAttribute('data-held')) flow.add(sourceBlock(this.#whole(element.textContent ?? '')))
    else if (tagName === 'SCRIPT') flow.add(...this.#script(element))
    else if (NOTHING.has(tagName)) return
    else if (isHidden(element) || this.#isKept(element, tagName)) this.#keep(element, place, flow)
    else if (tagName === 'BR') flow.line.push({ type: 'hardBreak' })
    else if (tagName === 'IMG') this.#picture(element, place, flow)
    else if (INLINE.has(tagName)) this.#inline(element, place, flow)
    else {
      const sides = tagName === 'TABLE' ? sideInTable(element, place) : sideOf(element)
      flow.add(...this.#block(element, tagName, { ...place, ...sides }))
    }
  }

  #inline(element: Element, place: Place, flow: Flow): void {
    const href = element.tagName === 'A' ? this.#attribute(element, 'href') : ''
    if (href !== '' && drawnAs(element) === 'button') {
      const text = this.#whole(textOf(element))
        .replaceAll(/[\s\u00a0]+/g, ' ')
        .trim()
      if (text !== '') {
        this.lost.add('styles')
        flow.add({ type: 'button', attrs: { text, href, textAlign: place.box } })
        return
      }
    }
    if (element.getAttribute('style')) this.lost.add('styles')
    const link = href === '' ? [] : [{ type: 'link', attrs: { href } as Record<string, Attribute> }]
    this.#read(element, { ...place, marks: withMarks(place.marks, [...link, ...marksOf(element)]) }, flow)
  }

  #block(element: Element, tagName: string, place: Place): readonly DesignNode[] {
    if (element.getAttribute('style') || element.getAttribute('class')) this.lost.add('styles')
    const level = /^H([1-6])$/.exec(tagName)?.[1]
    const own = { ...place, marks: withMarks(place.marks, marksOf(element)) }
    if (level) return this.blocks(element, { ...place, level: Math.min(3, Number(level)) })
    if (tagName === 'UL' || tagName === 'OL') return this.#list(element, tagName, { ...own, level: undefined })
    if (tagName === 'HR') return [{ type: 'horizontalRule' }]
    if (tagName === 'TABLE') return this.#table(element, own)
    if (tagName === 'PRE') return this.#code(element, own)
    const inside = this.blocks(element, own)
    return tagName === 'BLOCKQUOTE' && inside.length > 0 ? [{ type: 'blockquote', content: inside }] : inside
  }

  #code(element: Element, place: Place): readonly DesignNode[] {
    if (element.children.length > 0 || place.marks.length > 0) return this.#kept(element, place)
    const text = this.#whole(element.textContent ?? '')
    return text.trim() === '' ? [] : [{ type: 'codeBlock', content: [{ type: 'text', text }] }]
  }

  #list(element: Element, tagName: string, place: Place): readonly DesignNode[] {
    const nodes = [...element.childNodes].filter(
      (node) => node instanceof Element || (node.textContent ?? '').trim() !== '',
    )
    const isPlain = (node: Node) =>
      node instanceof Element
        ? !node.hasAttribute('data-held') && !isHidden(node) && !this.#isKept(node, node.tagName.toUpperCase())
        : !HELD.test(node.textContent ?? '')
    if (!nodes.every(isPlain)) return this.#kept(element, place)
    const items: DesignNode[][] = []
    for (const node of nodes) {
      const flow = new Flow(place)
      if (node instanceof Element && node.tagName === 'LI') this.#read(node, place, flow)
      else if (node instanceof Element) this.#element(node, place, flow)
      else if (node instanceof Text) flow.line.push(...this.#text(node.data, place.marks))
      flow.end()
      const [first] = flow.blocks
      // a list right within a list, as Word writes it, belongs to the item before it
      if (first?.type.endsWith('List') && node instanceof Element && node.tagName !== 'LI' && items.length > 0) {
        items.at(-1)?.push(...flow.blocks)
      } else if (first !== undefined) {
        items.push(first.type === 'paragraph' ? flow.blocks : [{ type: 'paragraph' }, ...flow.blocks])
      }
    }
    const type = tagName === 'UL' ? 'bulletList' : 'orderedList'
    const start = Number.parseInt(element.getAttribute('start') ?? '', 10)
    const attrs = tagName === 'OL' && start > 1 ? { attrs: { start } } : {}
    return items.length === 0
      ? []
      : [{ type, ...attrs, content: items.map((content) => ({ type: 'listItem', content })) }]
  }

  /** A table that only lays out becomes what is in its cells; one with data stays unchanged. */
  #table(table: Element, place: Place): readonly DesignNode[] {
    const own = (selector: string) =>
      [...table.querySelectorAll(selector)].filter((each) => each.closest('table') === table)
    const rows = own('tr')
    const cells = rows.map((row) => [...row.children].filter(({ tagName }) => tagName === 'TD' || tagName === 'TH'))
    const isData =
      own('th, [data-held]').length > 0 || cells.filter((row) => row.filter(hasWords).length > 1).length > 1
    const isLayout =
      /^(?:presentation|none)$/i.test(table.getAttribute('role') ?? '') ||
      table.querySelector('table, img, h1, h2, h3') !== null
    if (isData && !isLayout) return this.#kept(table, place)
    this.lost.add('layout')
    const captions = own('caption').flatMap((caption) => this.blocks(caption, place))
    return [...captions, ...cells.flatMap((row, at) => this.#row(rows[at] as Element, row, place))]
  }

  #row(row: Element, cells: readonly Element[], place: Place): readonly DesignNode[] {
    if (row.hasAttribute('data-held')) {
      const source = this.#whole(row.textContent ?? '')
      return [sourceBlock(/<t[rdh]\b/i.test(source) ? inTable(source) : source)]
    }
    const parts = [row, row.parentElement as Element, ...cells]
    const isPlain = (each: Element) =>
      !each.hasAttribute('data-held') && !isHidden(each) && !this.#isKept(each, each.tagName)
    if (!parts.every(isPlain)) return this.#kept(row, place)
    const inside = cells.map((cell) => {
      const marks = withMarks(place.marks, marksOf(cell))
      const sides = sideOf(cell) ?? sideOf(row) ?? sideOf(row.parentElement ?? row)
      return this.blocks(cell, { ...place, ...sides, marks })
    })
    const full = inside.filter((blocks) => blocks.length > 0)
    const fits = full.every((blocks) => blocks.every(({ type }) => IN_COLUMN.has(type)))
    if (full.length < 2 || full.length > 3 || !fits) return full.flat()
    return [{ type: 'columns', content: full.map((content) => ({ type: 'column', content })) }]
  }

  #picture(picture: Element, { box, marks }: Place, flow: Flow): void {
    const src = this.#attribute(picture, 'src')
    if (src === '') return
    if (isPixel(picture)) {
      if (HELD.test(picture.getAttribute('src') ?? '')) flow.add(...this.#kept(picture))
      else this.lost.add('pixel')
      return
    }
    const width = saidWidth(picture, WIDEST) ?? this.#ownWidth(picture, src) ?? WIDEST
    const attrs = {
      src,
      alt: this.#attribute(picture, 'alt'),
      href: String(marks.find(({ type }) => type === 'link')?.attrs?.href ?? ''),
      width: Math.max(1, Math.min(WIDEST, width)),
      textAlign: box,
    }
    flow.add({ type: 'picture', attrs })
  }

  /** The width of a picture that says none: its own, or what its height makes of that. */
  #ownWidth(picture: Element, src: string): number | undefined {
    const own = this.#sizes.get(src)
    if (own === undefined) return undefined
    const height = Math.min(own.height, saidHeight(picture) ?? own.height)
    return Math.round((own.width * height) / Math.max(1, own.height))
  }

  /** Whether blocks have no place for what it is, or for the Liquid that it has. */
  #isKept(element: Element, tagName: string): boolean {
    if (AS_SOURCE.has(tagName) || tagName.includes('-') || element.hasAttribute('usemap')) return true
    const held = [...element.attributes].filter(({ name, value }) => HELD.test(value) && !KEPT[tagName]?.includes(name))
    if (held.length === 0) return false
    const onlyLooks = held.every(({ name, value }) => {
      const whole = this.#whole(value)
      return LOOKS.test(name) && !whole.includes('{%') && !/display|visibility|opacity|max-height|\burl\(/i.test(whole)
    })
    if (onlyLooks) this.lost.add('looks')
    return !onlyLooks
  }

  /** Keeps an element as source: within a line when it stands there, else as a block. */
  #keep(element: Element, place: Place, flow: Flow): void {
    if (!hasContent(element)) return
    const isLine = INLINE.has(element.tagName) || element.tagName === 'IMG'
    if (!isLine || element.querySelector(BLOCKS)) flow.add(...this.#kept(element, place))
    else flow.line.push({ type: 'liquid', attrs: { source: this.#whole(element.outerHTML) }, ...marked(place.marks) })
  }

  #kept(element: Element, { marks }: Place = START): readonly DesignNode[] {
    const html = element.tagName === 'TR' ? inTable(element.outerHTML) : element.outerHTML
    const link = marks.find(({ type }) => type === 'link')?.attrs?.href
    const around = document.createElement('a')
    if (link === undefined) return [sourceBlock(this.#whole(html))]
    around.setAttribute('href', String(link))
    around.innerHTML = html
    return [sourceBlock(this.#whole(around.outerHTML))]
  }

  /** Text and the Liquid in it. */
  #text(text: string, marks: Marks): DesignNode[] {
    return text
      .replaceAll(/[ \t\r\n\f]+/g, ' ')
      .split(HELD)
      .flatMap((part, at): DesignNode[] => {
        if (part === '') return []
        if (at % 2 === 0) return [{ type: 'text', text: part, ...marked(marks) }]
        const source = released(this.#sources[Number(part)] ?? '', this.#sources)
        const output = fieldOf(source)
        return [
          output === undefined
            ? { type: 'liquid', attrs: { source }, ...marked(marks) }
            : { type: 'variable', attrs: { ...output }, ...marked(marks) },
        ]
      })
  }

  #attribute(element: Element, name: string): string {
    return this.#whole(element.getAttribute(name) ?? '').trim()
  }

  /** A text with what was held in its place again. */
  #whole(text: string): string {
    return released(text, this.#sources)
  }
}

const BLOCKS =
  'p, div, table, ul, ol, dl, h1, h2, h3, h4, h5, h6, blockquote, hr, pre, section, article, center, address, [data-held]'

/** Whether it has anything for a reader to see or follow, once it is shown. */
function hasContent(element: Element): boolean {
  const shown =
    'img, a[href], input, video, audio, iframe, object, embed, svg, math, area, canvas, meter, progress, [data-held]'
  return !NO_WORDS.test(element.textContent ?? '') || element.matches(shown) || element.querySelector(shown) !== null
}

const hasWords = (cell: Element) => !NO_WORDS.test(cell.textContent ?? '')

/** The text of an element, with a space where it begins a new line. */
function textOf(element: Element): string {
  return [...element.childNodes]
    .map((node) => {
      if (node instanceof Text) return node.data
      if (!(node instanceof Element)) return ''
      return INLINE.has(node.tagName) ? textOf(node) : ` ${textOf(node)} `
    })
    .join('')
}

const inTable = (rows: string) =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows}</table>`
