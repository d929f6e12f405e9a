import { translationsIn } from '../mail/languages/translations-in.ts'
import { escapeHtml } from '../mail/render/printed.ts'
import type { MailMessage } from '../mails/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import { mailboxLine } from '../values/mailbox-line.ts'

/** How much of a message is quoted, in characters. */
const QUOTED = 50_000

const STYLE = 'margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex;white-space:pre-wrap'

/**
 * The message as it stands below an answer or in a forward, as HTML in the language of the project: who wrote it when, and
 * its plain text. HTML from outside is not passed on.
 */
export function quoteOf(
  { locale, timeZone = 'UTC' }: Pick<Project, 'locale' | 'timeZone'>,
  { from, subject = '', text = '' }: MailMessage,
  at: Date,
  isForward: boolean,
): string {
  const { language, quote } = translationsIn(locale)
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const [moment, author] = [
    format.format(at),
    mailboxLine({ email: from.email, ...(from.name ? { name: from.name } : {}) }),
  ]
  // where the style does not count, as in Outlook and in the plain text, the lines are kept as well
  const words = escapeHtml(text.slice(0, QUOTED).trimEnd()).replaceAll(/\r\n|[\r\n]/g, '<br>')
  if (!isForward) {
    const wrote = quote.wrote({ at: moment, name: author })
    return `<p>${escapeHtml(wrote)}</p><blockquote type="cite" style="${STYLE}">${words}</blockquote>`
  }
  const head = [`---------- ${quote.forwarded} ----------`, author, moment, subject].map(escapeHtml).join('<br>')
  return `<p>${head}</p><div style="white-space:pre-wrap">${words}</div>`
}
