import { compile } from 'html-to-text'

/** More open elements than any mail has; the converter's time grows with the square of their number. */
const MAX_OPEN = 2000
/** How many characters of HTML are converted; a longer text part would not be read anyway. */
const MAX_READ = 16 * 1024 * 1024
const TAG = /<(\/?)([a-z][^\s/>]*)/gi
/** Elements without content (HTML, section 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

let made: ((html: string) => string) | undefined

/** Converts HTML to plain text: links as `text [address]`, no images, rows of a table on separate lines, nothing wrapped. */
export function htmlToText(given: string): string {
  // the converter would cut it here, too, and say so on the console
  const html = given.length > MAX_READ ? given.slice(0, MAX_READ) : given
  // made once, and not before it is needed: making one costs more than using it
  made ??= converter()
  return isTooDeep(html) ? withoutTags(html) : made(html)
}

function converter(): (html: string) => string {
  const heading = { leadingLineBreaks: 2, trailingLineBreaks: 2, uppercase: false }
  const skipped = ['head', 'style', 'script', 'title', 'template', 'img']
  return compile({
    wordwrap: false,
    baseElements: { selectors: [], returnDomByDefault: true },
    limits: { maxDepth: 200 },
    formatters: {
      // A blank separates the cells of a row; the converter drops it at the end of a line.
      cell(element, walk, builder) {
        builder.addInline(' ')
        walk(element.children, builder)
      },
    },
    selectors: [
      { selector: 'div[data-preheader]', format: 'skip' },
      ...skipped.map((selector) => ({ selector, format: 'skip' })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: heading })),
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, pathRewrite: unbroken } },
      { selector: 'table', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: 'ul', options: { itemPrefix: ' - ' } },
    ],
  })
}

/** Browsers take a blank in an address of HTML; in a text the address would end there. */
function unbroken(address: string): string {
  return /^https?:/i.test(address.trim()) ? address.trim().replaceAll(' ', '%20') : address
}

/** Counts every start tag without its end tag as open, even where a parser would close it. */
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
    if (total > MAX_OPEN) return true
  }
  return false
}

function withoutTags(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
