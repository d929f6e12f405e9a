import type { JsonObject } from '../../values/json.ts'
import type { Look, ProfileLink } from '../../values/look.ts'
import { fontOf, logoOf } from '../formats/mail-page.ts'
import { escapeHtml } from '../render/printed.ts'
import type { MailVariables } from '../render/scope.ts'
import type { CompiledTemplate, TemplateMode } from '../render/template.ts'
import { type HtmlMarks, readPlainHtml } from './read-html.ts'
import { showsLink } from './shown-link.ts'
import { UNSUBSCRIBE_PAGES } from './way-out.ts'

const QUIET = 'color:#6b7280;text-decoration:underline'

/**
 * The footer of marketing mail, as a template. Its texts are placeholders, because the language is the recipient's;
 * none prints HTML, so that the plain-text part can be made from the template too.
 */
export function footerOf(mode: 'html' | 'text', look: Look = {}): string {
  const { postalAddress, logoUrl, links = [] } = look
  if (mode === 'text') {
    const ways = '{{ mailwright_unsubscribe }}: {{ unsubscribeUrl }}\n{{ mailwright_manage }}: {{ manageUrl }}\n'
    const profiles = links.map(({ name, url }) => `${name}: ${url}\n`).join('')
    return `\n\n{{ mailwright_reason }}\n${ways}${profiles === '' ? '' : `\n${profiles}`}${postalAddress === undefined ? '' : '\n{{ mailwright_postal }}\n'}`
  }
  const logo = logoOf(logoUrl && '{{ mailwright_logo }}', '0 auto 12px')
  const font = fontOf({ font: look.font ?? 'arial' })
  const profiles = links.length === 0 ? '' : `<br>${profileLinks(links, QUIET)}`
  return (
    `<p lang="{{ mailwright_language }}" style="margin:24px 0 0;padding:0 16px 16px;font-family:${font};font-size:12px;line-height:18px;color:#6b7280;text-align:center">` +
    `${logo}{{ mailwright_reason }}<br><a href="{{ unsubscribeUrl }}" style="${QUIET}">{{ mailwright_unsubscribe }}</a> &middot; ` +
    `<a href="{{ manageUrl }}" style="${QUIET}">{{ mailwright_manage }}</a>${profiles}${postalAddress === undefined ? '' : '<br>{{ mailwright_postal }}'}</p>`
  )
}

/** Links to the sender's profiles as HTML. Neither names nor addresses have braces, so a template takes them as they are. */
export function profileLinks(links: readonly ProfileLink[], style: string): string {
  return links
    .map(({ name, url }) => `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(name)}</a>`)
    .join(' &middot; ')
}

/** The HTML template with the footer. */
export function htmlWithFooter(source: string, { end }: Pick<HtmlMarks, 'end'>, look?: Look): string {
  return source.slice(0, end) + footerOf('html', look) + source.slice(end)
}

/** The plain-text template with the footer. */
export function textWithFooter(source: string, look?: Look): string {
  return source.trimEnd() + footerOf('text', look)
}

/** A template whose finished mail gets the footer when it shows no way to unsubscribe. */
export class WithWayOut implements CompiledTemplate {
  readonly mode: TemplateMode
  readonly slots = undefined
  readonly #template: CompiledTemplate
  readonly #footer: CompiledTemplate

  /** The footer is of the same mode. */
  constructor(template: CompiledTemplate, footer: CompiledTemplate) {
    this.mode = template.mode
    this.#template = template
    this.#footer = footer
  }

  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string {
    const text = this.#template.render(variables, mailVariables, patience)
    const pages = UNSUBSCRIBE_PAGES.flatMap((name) => mailVariables[name] ?? [])
    const isShown = this.mode === 'html' ? showsLink(text, pages) : pages.some((page) => text.includes(page))
    // without an address there is nothing to link to
    if (isShown || pages.length === 0) return text
    const footer = this.#footer.render(variables, mailVariables)
    if (this.mode === 'text') return text.trimEnd() + footer
    const { end } = readPlainHtml(text)
    return text.slice(0, end) + footer + text.slice(end)
  }

  validate(variables: JsonObject, mailVariables: MailVariables): void {
    this.#template.validate(variables, mailVariables)
  }
}
