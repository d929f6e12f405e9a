import { compile } from 'html-to-text'

/** Deeper than any mail is nested; the converter's time grows with the square of the depth. */
const DEEPEST = 500
const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi
/** Elements that have no end tag or may do without it. */
const ENDLESS = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr'.split(' '),
)

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
  return (html) => (isTooDeep(html) ? withoutTags(html) : convert(html))
}

function isTooDeep(html: string): boolean {
  let depth = 0
  for (const [, end, name = ''] of html.matchAll(TAG)) {
    if (ENDLESS.has(name.toLowerCase())) continue
    depth = end === '/' ? Math.max(0, depth - 1) : depth + 1
    if (depth > DEEPEST) return true
  }
  return false
}

function withoutTags(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
