import type { JsonObject } from '../../values/json.ts'
import type { Place } from './html-places.ts'
import type { MailVariables } from './scope.ts'

/** In `html` a placeholder's output is escaped unless its last filter is `raw`; in `text` nothing is escaped. */
export type TemplateMode = 'html' | 'text'

/** How a template is compiled. */
export interface CompileOptions {
  /** The field that errors name. */
  readonly field: string
  /** The output limit, in bytes of UTF-8. */
  readonly most: number
  /** Where each piece of Liquid stands in the HTML, in order; absent: all print into text. */
  readonly places?: readonly Place[] | undefined
}

/** A template of alternating texts and slots: the texts never change, so they are encoded once for all recipients. */
interface Slots {
  /** The texts before, between and after the slots: one more than there are slots. */
  readonly texts: readonly string[]
  /** The keys of the data that it may print; undefined when it prints all of it. */
  readonly keys: ReadonlySet<string> | undefined
  /** The values of the slots. Throws EngineError `VALIDATION_ERROR` when the whole would be too large. */
  values(variables: JsonObject, mailVariables: MailVariables): readonly string[]
}

/** A compiled template, filled in for every recipient. */
export interface CompiledTemplate {
  readonly mode: TemplateMode
  /** The same template as texts and slots, when it has nothing else. */
  readonly slots: Slots | undefined

  /**
   * The text for these values; missing ones print nothing. `variables` are the contact's data with this call's own.
   * Throws EngineError `VALIDATION_ERROR` when it breaks a limit (output, time, memory) or a filter refuses its value;
   * for time it is a SlowRender. `patience` is another time limit, in milliseconds.
   */
  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string

  /** Throws as `render` would, without rendering when the outcome is certain. */
  validate(variables: JsonObject, mailVariables: MailVariables): void
}
