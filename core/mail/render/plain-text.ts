import { compile } from 'html-to-text'

/** More open elements than any mail has; the converter's time grows with the square of their number. */
const MOST_OPEN = 2000
/** So many characters of HTML are read; nobody reads a text part of which this is not the whole. */
const MOST_READ = 16 * 1024 * 1024
const TAG = /<(\/?)([a-z][^\s/>]*)/gi
/** Elements without content (HTML, section 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

/** Turns HTML into plain text. */
export type HtmlToText = (html: string) => string

/**
 * Makes the converter: links as `text [address]`, no images, rows of a table on lines of their own, nothing wrapped.
 * Making one costs more than using it.
 */
export function htmlToText(): HtmlToText {
  const heading = { leadingLineBreaks: 2, trailingLineBreaks: 2, uppercase: false }
  const skipped = ['head', 'style', 'script', 'title', 'template', 'img']
  const convert = compile({
    wordwrap: false,
    baseElements: { selectors: [], returnDomByDefault: true },
    limits: { maxDepth: 200 },
    formatters: {
      // A blank keeps the cells of a row apart; the converter drops it where a line ends.
      cell(element, walk, builder) {
        builder.addInline(' ')
        walk(element.children, builder)
      },
    },
    selectors: [
      ...skipped.map((selector) => ({ selector, format: 'skip' })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: heading })),
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'table', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: 'ul', options: { itemPrefix: ' - ' } },
    ],
  })
  return (given) => {
    // of more the converter would take as much, and say so on the console
    const html = given.length > MOST_READ ? given.slice(0, MOST_READ) : given
    return isTooDeep(html) ? withoutTags(html) : convert(html)
  }
}

/** Counts every start tag without its end tag as open, also where a parser would know better. */
function isTooDeep(html: string): boolean {
  const open = new Map<string, number>()
  let total = 0
  for (const [, end, given = ''] of html.matchAll(TAG)) {
    const name = given.toLowerCase()
    const count = open.get(name) ?? 0
    if (VOID.has(name) || (end === '/' && count === 0)) continue
    const change = end === '/' ? -1 : 1
    open.set(name, count + change)
    total += change
    if (total > MOST_OPEN) return true
  }
  return false
}

function withoutTags(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
