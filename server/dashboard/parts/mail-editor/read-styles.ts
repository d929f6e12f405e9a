import type { DesignNode } from './design.ts'
import type { Place } from './flow.ts'

const MARK_OF: Readonly<Record<string, string>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strike',
  DEL: 'strike',
  STRIKE: 'strike',
  CODE: 'code',
  TT: 'code',
  KBD: 'code',
  SAMP: 'code',
}

/** The mark of text that a declaration stands for. */
const STYLES = [
  ['bold', /(?:^|;)\s*font-weight:\s*(?:bold|bolder|[6-9]00)/i],
  ['italic', /(?:^|;)\s*font-style:\s*italic/i],
  ['underline', /(?:^|;)\s*text-decoration(?:-line)?:[^;]*underline/i],
  ['strike', /(?:^|;)\s*text-decoration(?:-line)?:[^;]*line-through/i],
] as const

const styleOf = (element: Element) => element.getAttribute('style') ?? ''

/** The marks of text in it: bold and the like, by its tag or its style. */
export function marksOf(element: Element): NonNullable<DesignNode['marks']> {
  const style = styleOf(element)
  const found = new Set<string>()
  const own = MARK_OF[element.tagName]
  const isUndone = own === 'bold' && /(?:^|;)\s*font-weight:\s*(?:normal|[1-5]00)/i.test(style)
  if (own !== undefined && !isUndone) found.add(own)
  // a heading or a link is of its own look
  if (!/^(?:A|H\d|TH)$/.test(element.tagName)) {
    for (const [mark, says] of STYLES) if (says.test(style)) found.add(mark)
  }
  return [...found].map((type) => ({ type }))
}

type Sides = Pick<Place, 'side' | 'box' | 'isByAlign'>

const SIDES: ReadonlySet<string> = new Set(['left', 'center', 'right'])

/** The alignment that an element gives to its content; undefined when it gives none. */
export function sideOf(element: Element): Sides | undefined {
  const byStyle = sideIn(/(?:^|;)\s*text-align:\s*(\w+)/i.exec(styleOf(element))?.[1])
  const side = byStyle ?? sideIn(element.getAttribute('align')) ?? (element.tagName === 'CENTER' ? 'center' : undefined)
  return side === undefined ? undefined : { side, box: side, isByAlign: byStyle === undefined }
}

/**
 * Where things in a table stand. `align` around it, or its own, places the table: text in it stands left again, unless the
 * table is no wider than a few words. A narrow table takes its pictures and buttons along.
 */
export function sideInTable(table: Element, { side, box, isByAlign }: Sides): Sides {
  const own = sideOf(table)
  if (own && !own.isByAlign) return own
  const [inherited, boxed] = isByAlign ? ['left', 'left'] : [side, box]
  const placed = own?.side ?? (isByAlign ? side : undefined)
  const written = table.getAttribute('width') ?? /(?:^|;)\s*(?:max-)?width:\s*([^;]+)/i.exec(styleOf(table))?.[1]
  const width = /^\s*(\d+)(?:px)?\s*$/i.exec(written ?? '')?.[1]
  const hasFewWords = (table.textContent ?? '').replace(/\s+/g, ' ').trim().length <= FEW_WORDS
  const hugs = written === undefined && hasFewWords
  const isNarrow = hugs || Number(width) < NARROW
  return {
    side: (hugs ? placed : undefined) ?? inherited,
    box: (isNarrow ? placed : undefined) ?? boxed,
    isByAlign: false,
  }
}

/** Fewer pixels than any mail is wide; fewer characters than a line has. */
const NARROW = 300
const FEW_WORDS = 60

function sideIn(written: string | null | undefined): string | undefined {
  const side = written?.trim().toLowerCase()
  return side !== undefined && SIDES.has(side) ? side : undefined
}

/** Whether no reader shows it: preview texts for the inbox, and what other programs find in it. */
export function isHidden(element: Element): boolean {
  const style = styleOf(element)
  if (element.hasAttribute('hidden')) return true
  if (/(?:^|;)\s*(?:display:\s*none|visibility:\s*hidden|opacity:\s*0(?:\.0+)?\s*(?:;|!|$))/i.test(style)) return true
  return /(?:^|;)\s*(?:max-height|max-width|height|width):\s*0/i.test(style) && /overflow:\s*hidden/i.test(style)
}

/** Says of elements themselves that they are hidden, where a style sheet of the mail does: sheets are not kept. */
export function hiddenBySheets(page: Document): void {
  for (const { textContent } of page.querySelectorAll('style')) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(textContent ?? '')
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSStyleRule) || rule.style.display !== 'none') continue
      for (const element of page.body.querySelectorAll(rule.selectorText)) {
        const style = styleOf(element)
        if (!/(?:^|;)\s*display:/i.test(style)) element.setAttribute('style', `display:none;${style}`)
      }
    }
  }
}

/** An invisible picture, which counts who opens the mail. */
export function isPixel(picture: Element): boolean {
  const sizes = ['width', 'height'].map((name) => {
    const said =
      picture.getAttribute(name) ?? new RegExp(`(?:^|;)\\s*${name}:\\s*(\\d+)`, 'i').exec(styleOf(picture))?.[1]
    return said === undefined ? undefined : Number.parseInt(said, 10)
  })
  const known = sizes.filter((size) => size !== undefined)
  return known.length > 0 && known.every((size) => size <= 1)
}

/** A link that is drawn as a button: with a color or room around it, or the only thing in a cell that has a color. */
export function drawnAs(link: Element): 'button' | 'text' {
  if (link.querySelector('img, table, h1, h2, h3, p + p')) return 'text'
  const style = `${styleOf(link)} ${link.getAttribute('class') ?? ''}`
  if (
    /background(?:-color)?\s*:|padding[\w-]{0,20}\s*:\s*[1-9]|border[\w-]{0,20}\s*:\s*\d+px|\b(?:btn|button|cta)/i.test(
      style,
    )
  )
    return 'button'
  const cell = link.closest('td')
  const isAlone = cell !== null && cell.textContent?.trim() === link.textContent?.trim()
  const color = `${cell?.getAttribute('bgcolor') ?? ''}${/background(?:-color)?\s*:\s*([^;]*)/i.exec(cell ? styleOf(cell) : '')?.[1] ?? ''}`
  return isAlone && color !== '' && !/^(?:#fff(?:fff)?|white|transparent|none)$/i.test(color.trim()) ? 'button' : 'text'
}
