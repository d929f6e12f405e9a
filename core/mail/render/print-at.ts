import type { Place } from './html-places.ts'
import { escapeHtml } from './printed.ts'

/**
 * How text is printed at each place of HTML, so that no value can add an attribute, end its element, or run as a script.
 */
export const PRINT_AT: Readonly<Record<Place, (text: string) => string>> = {
  text: escapeHtml,
  address: (text) => escapeHtml(harmless(text)),
  unquoted: (text) => withoutEnds(escapeHtml(text)),
  'unquoted address': (text) => withoutEnds(escapeHtml(harmless(text))),
  tag: (text) => withoutEnds(escapeHtml(text)),
  comment: (text) => withoutEnds(escapeHtml(text)),
  script: (text) => text.replace(IN_SCRIPT, asCode),
  style: (text) => text.replace(IN_STYLE, ' '),
}

/** The same for text that is HTML already. */
export const PRINT_HTML_AT: Partial<typeof PRINT_AT> = {
  unquoted: withoutEnds,
  'unquoted address': withoutEnds,
}

const IN_SCRIPT = /[&<>"'\\/`\p{Cc}\u2028\u2029]/gu
/** Signs that would end a declaration, a rule or the element. */
const IN_STYLE = /[{};@\\<>"'&]+/g
const ENDS = /[\s"'=<>`]/
/** Most addresses begin with another letter. */
const MAY_RUN = /^[\0-\x20]*[jvd]/i
/** Schemes that run what follows them. */
const RUNS = /^(?:javascript|vbscript|data(?!:image\/)):/i

/** The text without what ends an attribute that has no quotes: it becomes character references, which read the same. */
function withoutEnds(html: string): string {
  return ENDS.test(html) ? html.replace(/[\s"'=<>`]/g, (sign) => `&#${sign.charCodeAt(0)};`) : html
}

/** An address that leads nowhere instead of one that runs something; readers skip control characters and blanks. */
function harmless(address: string): string {
  return MAY_RUN.test(address) && RUNS.test(address.replace(/[\0-\x20]+/g, '')) ? '#' : address
}

function asCode(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
