import type { Piece } from '../render/scan-template.ts'
import { mentionsPage } from './mentions.ts'
import type { HtmlMarks } from './read-html.ts'

/** The pages where a recipient can unsubscribe. */
const UNSUBSCRIBE_PAGES = ['unsubscribeUrl', 'manageUrl'] as const

/**
 * The footer of marketing mail, as a template. Its texts are placeholders, because the language is the recipient's;
 * none prints HTML, so that the plain-text part can be made from the template too.
 */
const HTML =
  '<p lang="{{ mailwright_language }}" style="margin:24px 0 0;padding:0 16px 16px;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;color:#6b7280;text-align:center">' +
  '{{ mailwright_reason }} <a href="{{ unsubscribeUrl }}" style="color:#6b7280;text-decoration:underline">{{ mailwright_unsubscribe }}</a></p>'
const TEXT = '\n\n{{ mailwright_reason }}\n{{ mailwright_unsubscribe }}: {{ unsubscribeUrl }}\n'

/** The body with the footer, unless it links to a page to unsubscribe itself; links in comments do not count. */
export function htmlWithFooter(source: string, { pieces, hidden, end }: HtmlMarks): string {
  const isHidden = (piece: Piece) => hidden.some(({ from, to }) => from <= piece.from && piece.to <= to)
  if (pieces.some((piece) => mentionsPage(piece, UNSUBSCRIBE_PAGES) && !isHidden(piece))) return source
  return source.slice(0, end) + HTML + source.slice(end)
}

/** The plain-text part with the footer, unless it has a link to unsubscribe itself. */
export function textWithFooter(source: string, pieces: readonly Piece[]): string {
  return pieces.some((piece) => mentionsPage(piece, UNSUBSCRIBE_PAGES)) ? source : source.trimEnd() + TEXT
}
