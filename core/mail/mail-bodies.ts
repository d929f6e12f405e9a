import type { MailContent } from '../ports/store/contents.ts'
import { type BodyTemplates, compileMail } from './compile-mail.ts'
import { htmlWithFooter, textWithFooter } from './html/footer.ts'
import { readHtml } from './html/read-html.ts'
import { TrackedHtml } from './html/tracked-html.ts'
import type { Links } from './links/links.ts'
import { MAX_OUTPUT } from './render/printed.ts'
import type { Rendering } from './render/rendering.ts'
import { scanTemplate } from './render/scan-template.ts'
import type { CompiledTemplate } from './render/template.ts'

/**
 * How large a body may get with injected parts: the writer's limit was checked when the mail was accepted, and tracked
 * links are longer than most.
 */
const MAX_WITH_INJECTED = 16 * MAX_OUTPUT

/** The templates of a content as sent: marketing mail with its footer. */
export class MailBodies {
  readonly templates: BodyTemplates
  readonly #rendering: Rendering
  /** The source of the HTML template. */
  readonly #source: string
  readonly #most: number
  #tracked: TrackedHtml | undefined

  /** Throws EngineError `VALIDATION_ERROR` when a placeholder does not parse. */
  constructor(content: MailContent, rendering: Rendering, links: Links) {
    this.#rendering = rendering
    // without placeholders it may be as large as a mail
    this.#most = /\{[{%]/.test(content.html) ? MAX_WITH_INJECTED : Number.POSITIVE_INFINITY
    const needsFooter = content.marketing && links.isPublic
    this.#source = needsFooter ? htmlWithFooter(content.html, readHtml(content.html)) : content.html
    this.templates = needsFooter ? this.#withFooter(content) : compileMail(rendering, content)
  }

  /** The HTML with its links leading over this service. The plain-text part keeps the writer's links. */
  get tracked(): TrackedHtml {
    this.#tracked ??= TrackedHtml.compile(this.#rendering, this.#source, this.#most)
    return this.#tracked
  }

  #withFooter({ subject, html, text }: MailContent): BodyTemplates {
    const rendering = this.#rendering
    const isAdded = this.#source !== html
    return {
      subject: rendering.compileSubject(subject),
      html: isAdded
        ? rendering.compileAdded(this.#source, 'html', 'body', this.#most)
        : rendering.compile(html, 'html'),
      text: text === undefined ? this.#generatedText(isAdded) : this.#ownText(text),
    }
  }

  #generatedText(isAdded: boolean): CompiledTemplate {
    const rendering = this.#rendering
    return isAdded ? rendering.compileTextAdded(this.#source, 'body', this.#most) : rendering.compileText(this.#source)
  }

  #ownText(text: string): CompiledTemplate {
    const most = /\{[{%]/.test(text) ? MAX_WITH_INJECTED : Number.POSITIVE_INFINITY
    return this.#rendering.compileAdded(textWithFooter(text, scanTemplate(text)), 'text', 'text', most)
  }
}
