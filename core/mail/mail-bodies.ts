import type { MailContent } from '../ports/store/contents.ts'
import type { Look } from '../values/look.ts'
import { type BodyTemplates, compileMail } from './compile-mail.ts'
import { footerOf, htmlWithFooter, textWithFooter, WithWayOut } from './html/footer.ts'
import { hasLonePixel, WithoutLonePixel } from './html/lone-pixel.ts'
import { readHtml } from './html/read-html.ts'
import { TrackedHtml } from './html/tracked-html.ts'
import { type WayOut, wayOutOfHtml, wayOutOfText } from './html/way-out.ts'
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

/**
 * The templates of a content as sent. Marketing mail shows one way to unsubscribe, in HTML and in text: what the source
 * shows is decided here, once, and only the rest is looked for in each finished mail.
 */
export class MailBodies {
  readonly templates: BodyTemplates
  readonly #rendering: Rendering
  readonly #look: Look | undefined
  /** The source of the HTML template. */
  readonly #source: string
  readonly #wayOut: WayOut
  readonly #most: number
  /** Whether the pixel is left out; undefined when only the finished mail shows. */
  readonly #isPixelAlone: boolean | undefined
  #tracked: TrackedHtml | undefined
  #trackedTemplate: CompiledTemplate | undefined

  /** Throws EngineError `VALIDATION_ERROR` when a placeholder does not parse. */
  constructor(content: MailContent, rendering: Rendering, links: Links) {
    this.#rendering = rendering
    this.#look = content.look
    this.#most = mostOf(content.html)
    const mayLoseIt = !content.marketing && !content.trackingAsked
    this.#isPixelAlone = mayLoseIt ? hasLonePixel(content.html, scanTemplate(content.html)) : false
    const needsWayOut = content.marketing && links.isPublic
    const marks = needsWayOut ? readHtml(content.html) : undefined
    this.#wayOut = marks ? wayOutOfHtml(content.html, marks.pieces) : 'always'
    this.#source = marks && this.#wayOut === 'never' ? htmlWithFooter(content.html, marks, this.#look) : content.html
    this.templates = needsWayOut ? this.#withWayOut(content) : compileMail(rendering, content)
  }

  /** The HTML with its links leading over this service. The plain-text part keeps the writer's links. */
  get tracked(): TrackedHtml {
    this.#tracked ??= TrackedHtml.compile(this.#rendering, this.#source, this.#most, this.#isPixelAlone !== true)
    return this.#tracked
  }

  /** The template of the tracked HTML as sent. */
  get trackedTemplate(): CompiledTemplate {
    const { template } = this.tracked
    this.#trackedTemplate ??= this.#finished(
      this.#isPixelAlone === undefined ? new WithoutLonePixel(template) : template,
    )
    return this.#trackedTemplate
  }

  #withWayOut({ subject, html, text }: MailContent): BodyTemplates {
    const rendering = this.#rendering
    const isAdded = this.#wayOut === 'never'
    return {
      subject: rendering.compileSubject(subject),
      html: isAdded
        ? rendering.compileAdded(this.#source, 'html', 'body', this.#most)
        : this.#finished(rendering.compile(html, 'html')),
      text: text === undefined ? this.#generatedText(isAdded) : this.#ownText(text),
    }
  }

  #generatedText(isAdded: boolean): CompiledTemplate {
    const rendering = this.#rendering
    if (isAdded) return rendering.compileTextAdded(this.#source, 'body', this.#most)
    return this.#finished(rendering.compileText(this.#source))
  }

  #ownText(text: string): CompiledTemplate {
    const wayOut = wayOutOfText(text, scanTemplate(text))
    const source = wayOut === 'never' ? textWithFooter(text, this.#look) : text
    return this.#finished(this.#rendering.compileAdded(source, 'text', 'text', mostOf(text)), wayOut)
  }

  /** With the footer in mails that turn out to need it. */
  #finished(template: CompiledTemplate, wayOut = this.#wayOut): CompiledTemplate {
    if (wayOut !== 'perhaps') return template
    const { mode } = template
    const footer = footerOf(mode === 'html' ? 'html' : 'text', this.#look)
    return new WithWayOut(template, this.#rendering.compileAdded(footer, mode, 'body', MAX_OUTPUT))
  }
}

/** Without placeholders it may be as large as a mail. */
function mostOf(source: string): number {
  return /\{[{%]/.test(source) ? MAX_WITH_INJECTED : Number.POSITIVE_INFINITY
}
