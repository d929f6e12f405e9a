import { inject, injectable } from '../../di.ts'
import { EngineError, type FieldProblem, invalidField } from '../../errors.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Untrusted } from '../../values/json.ts'
import type { GivenSource } from '../../values/mail-source.ts'
import { noteWarning, refused } from '../../values/parse.ts'
import { Thread } from '../../work/thread.ts'
import { CompiledMails } from '../compiled-mails.ts'
import type { FormatAnswer, FormatQuestion } from './format-question.ts'

/** How long one source may take, in milliseconds: a caller waits, and others wait behind it. */
const PATIENCE_MS = 4_000
const MEMORY_MB = 512
/** Makes the HTML of mails that were written in another format: once, when they are saved. */
@injectable()
export class Formats {
  readonly #thread: Thread<FormatQuestion>

  constructor(@inject(CompiledMails) private readonly mails: CompiledMails) {
    const file = new URL('./format-thread.ts', import.meta.url)
    this.#thread = new Thread({ file, name: 'mailwright-formats', patience: PATIENCE_MS, memory: MEMORY_MB })
  }

  /**
   * The given fields, with the body made of the source when there is one. Throws EngineError `VALIDATION_ERROR` with
   * line and column. What is only odd becomes a warning of the `input`.
   */
  async written<
    Given extends { readonly source?: GivenSource | null | undefined; readonly body?: string | null | undefined },
  >(project: Project, given: Given, input: Untrusted): Promise<Given> {
    return given.source == null ? given : { ...given, body: await this.#html(project, given.source, input) }
  }

  async #html({ look = {}, locale = 'en' }: Project, source: GivenSource, input: Untrusted): Promise<string> {
    const { format, text, inlineCss } = source
    // as HTML, since it becomes that: snippets are put in once its body is made
    await this.mails.check([{ kind: 'html', source: text, field: 'source.text' }])
    if (format === 'HTML' && !inlineCss) return text
    const { html, warnings } = await this.#ask({ source, look, language: locale })
    await this.#check(html)
    for (const message of warnings) noteWarning(input, { field: 'source.text', message })
    return html
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #ask(question: FormatQuestion): Promise<FormatAnswer> {
    try {
      return (await this.#thread.ask(question)) as FormatAnswer
    } catch (error) {
      if (EngineError.is(error)) throw error
      // it took too long or too much memory, or was nested so deep that the thread ended
      throw invalidField(
        'source.text',
        'too_big',
        'takes too much time or memory to be made HTML: make it shorter or simpler',
      )
    }
  }

  /** Liquid that was sound may be in another order in the HTML. */
  async #check(html: string): Promise<void> {
    try {
      await this.mails.check([{ kind: 'html', source: html, field: 'source.text' }])
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
      throw refused(
        error.fields.map(
          (problem): FieldProblem => ({ ...problem, message: `in the HTML made of it: ${problem.message}` }),
        ),
      )
    }
  }
}
