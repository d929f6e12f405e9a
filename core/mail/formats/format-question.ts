import type { Look } from '../../values/look.ts'
import type { GivenSource } from '../../values/mail-source.ts'

/** The source to turn into HTML, and how the project's mails look. */
export interface FormatQuestion {
  readonly source: GivenSource
  readonly look: Look
  readonly language: string
}

/** The HTML, and what is odd in its source. */
export interface FormatAnswer {
  readonly html: string
  readonly warnings: readonly string[]
}
