import type { Mark } from './line.ts'

type Attributes = Readonly<Record<string, string>>

/** How an element of a mail is marked by the program that wrote it. */
export interface ElementMark {
  readonly mark?: Mark
  /** True for Gmail's box around a quote: answers between its quotes are in it, too. */
  readonly isBox?: boolean
  /** The older mail begins here, if a line is drawn next (`hr`), or the header of a mail comes next (`field`). */
  readonly before?: 'hr' | 'field'
}

const QUOTES = new Set([
  ...['gmail_attr', 'moz-cite-prefix', 'moz-email-headers-table', 'moz-forward-container', 'protonmail_quote'],
  ...['zmail_extra', 'zmail_extra_hr', 'tutanota_quote', 'spark_quote', 'messagereplysection', 'isreplycontent'],
  ...['olk_src_body_section', 'mail-editor-reference-message-container', 'ms-outlook-mobile-reference-message'],
])
const SIGNATURES = new Set([
  ...['gmail_signature', 'gmail_signature_prefix', 'moz-signature', 'signature', 'ms-outlook-mobile-signature'],
  ...['protonmail_signature_block', 'messagesignaturesection', 'tutanota_signature', 'ms-outlook-signature'],
])
const RESTS = new Set(['divrplyfwdmsg', 'outlookmessageheader', 'stopspelling', 'replysplit'])
/** Outlook draws this line above the header of the older mail, and nowhere else. */
const OUTLOOK_LINE = /border-top: ?solid (?:#e1e1e1|#b5c4df|windowtext|rgb\(225, ?225, ?225\)|rgb\(181, ?196, ?223\)) /i

/** How this element is marked, by its class, id, name, type and style. */
export function markOf(name: string, { class: classes = '', id = '', style = '', ...others }: Attributes): ElementMark {
  // Outlook writes `x_` before the names that stood in the older mail
  const names = [...classes.slice(0, 500).split(/\s+/), id, others.name ?? ''].map((each) =>
    each
      .slice(0, 100)
      .toLowerCase()
      .replace(/^(?:x_){1,20}/, ''),
  )
  const has = (set: ReadonlySet<string>) => names.some((each) => set.has(each))
  if (name === 'blockquote') {
    const isQuote = others.type?.toLowerCase() === 'cite' || names.includes('gmail_quote') || has(QUOTES)
    return { mark: isQuote ? 'quote' : 'indented' }
  }
  if (names.includes('gmail_quote')) return { isBox: true }
  // Yahoo puts letters and digits before it
  const isYahoo = names.some((each) => /yahoo_quoted(?:_\d{1,20})?$/.test(each))
  if (has(QUOTES) || isYahoo || (name === 'div' && others.name === 'quote')) return { mark: 'quote' }
  if (has(SIGNATURES)) return { mark: 'signature' }
  if (has(RESTS)) return { mark: 'rest' }
  if (names.includes('appendonsend')) return { before: 'hr' }
  return OUTLOOK_LINE.test(style.slice(0, 500)) ? { before: 'field' } : {}
}
