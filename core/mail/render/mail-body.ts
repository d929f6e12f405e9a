import { escapeHtml } from './printed.ts'
import { scanTemplate } from './scan-template.ts'

/**
 * Fills the rest of the line that inboxes show, so that they do not go on with the first words of the mail: a figure
 * space, a blank without width and a joiner, which Gmail, Apple Mail and Outlook neither show nor take for one blank.
 */
const FILLER = '&#8199;&#65279;&#847;'.repeat(120)

/**
 * A body as compiled (see `writtenBody`) with the preheader before everything else that is read: the words inboxes
 * show after the subject. Nobody sees it in the mail, and the plain-text part leaves it out.
 */
export function withPreheader(written: string, preheader: string | undefined): string {
  if (preheader === undefined) return written
  const pieces = scanTemplate(preheader).map(({ kind, from, to }) => {
    const text = preheader.slice(from, to)
    return kind === 'text' ? escapeHtml(text) : text
  })
  const hidden = `<div data-preheader style="display:none;max-height:0;overflow:hidden;mso-hide:all">${pieces.join('')}${FILLER}</div>`
  // a start of the body that Liquid writes part of has no known end
  const start = /<body\b[^>{]*>/i.exec(written)
  const at = start === null ? 0 : start.index + start[0].length
  return written.slice(0, at) + hidden + written.slice(at)
}
