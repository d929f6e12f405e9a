import { marksOf } from './read-styles.ts'
import { wholeAddress } from './whole-address.ts'

/** Lists of Word are paragraphs: their depth is in a style, and the sign before the words is a text. */
const LIST = /mso-list:\s*l(\d+)\s+level(\d+)/i
const TAGS: Readonly<Record<string, string>> = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' }
const NUMBER = /^\(?(?:\d+|[a-z]{1,4})[.)]/i

/**
 * HTML from the clipboard without what word processors put around it: empty paragraphs of Word, the bold of nothing
 * around all of Google Docs, underlined links. Lists that are only drawn become lists, and rows of a table lines. What
 * the editor itself copied stays unchanged.
 */
export function cleanPaste(html: string): string {
  if (html.includes('data-pm-slice')) return html
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const all = (selector: string) => [...body.querySelectorAll<HTMLElement>(selector)]
  // Word says how a list was drawn before it knew that HTML has lists; without this the signs would be words
  for (const each of all('[style*="mso-list:Ignore" i]')) {
    each.closest('p')?.setAttribute('data-sign', each.textContent?.trim() ?? '')
    each.remove()
  }
  for (const each of all('style, meta, link, title, xml, o\\:p, br.Apple-interchange-newline')) {
    if (each.tagName !== 'O:P' || (each.textContent ?? '').trim() === '') each.remove()
    else each.replaceWith(...each.childNodes)
  }
  // the page's policy lets no style take effect, so what styles say of text becomes tags
  for (const each of all('b, strong, span, font')) {
    const isTag = each.tagName === 'B' || each.tagName === 'STRONG'
    for (const { type } of marksOf(each)) {
      if (isTag && type === 'bold') continue
      const around = each.ownerDocument.createElement(TAGS[type] ?? 'span')
      around.append(...each.childNodes)
      each.append(around)
    }
    if (!isTag || !marksOf(each).some(({ type }) => type === 'bold')) each.replaceWith(...each.childNodes)
  }
  // a link as it was typed, which the editor would drop
  for (const each of all('a[href]')) each.setAttribute('href', wholeAddress(each.getAttribute('href') ?? ''))
  for (const each of all('a u')) each.replaceWith(...each.childNodes)
  for (const each of all('p')) if ((each.textContent ?? '').trim() === '' && !each.querySelector('img')) each.remove()
  linesOfRows(body)
  for (const each of all('p, h1, h2, h3, h4, h5, h6')) if (isListed(each)) listFrom(each)
  // Google Docs puts inner lists beside the item they belong to
  for (const each of all(':is(ul, ol) > :is(ul, ol)')) each.previousElementSibling?.append(each)
  return body.innerHTML
}

/**
 * Whether HTML from the clipboard has words, and how many pictures, which the editor cannot take from there: they are on
 * another computer or behind a login. What the editor itself copied has none that get lost.
 */
export function wordsAndPictures(html: string): { readonly hasWords: boolean; readonly pictures: number } {
  if (html === '' || html.includes('data-pm-slice')) return { hasWords: html !== '', pictures: 0 }
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const seen = [...body.querySelectorAll('img')].filter((each) => each.getAttribute('width') !== '1')
  return { hasWords: (body.textContent ?? '').trim() !== '', pictures: seen.length }
}

/** Cells longer than this, in characters, are texts of their own. */
const LONGEST_CELL = 80

const wordsOf = (element: Element) => (element.textContent ?? '').trim()

/** The only paragraph of a cell, or the cell itself. */
const insideOf = (cell: Element) => cell.querySelector('p, div') ?? cell

/** Makes a line of each row of a table, since cells would become paragraphs one below the other: a price list stays one. */
function linesOfRows(body: HTMLElement): void {
  for (const row of body.querySelectorAll('tr')) {
    const cells = [...row.querySelectorAll('td, th')].filter((cell) => wordsOf(cell) !== '')
    const isData = cells.every(
      (cell) =>
        wordsOf(cell).length <= LONGEST_CELL &&
        // words beside the paragraph would get lost
        wordsOf(insideOf(cell)) === wordsOf(cell) &&
        cell.querySelectorAll('p, div').length <= 1 &&
        !cell.querySelector('table, img, ul, ol, h1, h2, h3, h4, h5, h6'),
    )
    if (cells.length < 2 || !isData) continue
    const line = row.ownerDocument.createElement('p')
    for (const [at, cell] of cells.entries()) {
      if (at > 0) line.append(' · ')
      line.append(...insideOf(cell).childNodes)
    }
    const place = row.ownerDocument.createElement('td')
    place.append(line)
    row.replaceChildren(place)
  }
}

const isListed = (element: Element) => element.isConnected && LIST.test(element.getAttribute('style') ?? '')

const levelOf = (element: Element) => Number(LIST.exec(element.getAttribute('style') ?? '')?.[2] ?? 1)

/** Makes a list of the paragraphs from this one on that belong to it. */
function listFrom(first: Element): void {
  const lines: Element[] = []
  for (let line: Element | null = first; line !== null && isListed(line); line = line.nextElementSibling)
    lines.push(line)
  const open: { readonly level: number; readonly list: Element }[] = []
  for (const line of lines) {
    const level = levelOf(line)
    while (open.length > 1 && (open.at(-1)?.level ?? 0) > level) open.pop()
    let list = open.at(-1)
    if (list === undefined || list.level < level) {
      const isNumbered = NUMBER.test(line.getAttribute('data-sign') ?? '')
      const inner = { level, list: line.ownerDocument.createElement(isNumbered ? 'ol' : 'ul') }
      if (list === undefined) first.before(inner.list)
      else (list.list.lastElementChild ?? list.list).append(inner.list)
      open.push(inner)
      list = inner
    }
    const item = line.ownerDocument.createElement('li')
    const words = line.ownerDocument.createElement('p')
    words.append(...line.childNodes)
    item.append(words)
    list.list.append(item)
  }
  for (const line of lines) line.remove()
}
