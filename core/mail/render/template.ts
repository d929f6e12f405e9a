import type { JsonObject } from '../../values/json.ts'
import type { MailVariables } from './scope.ts'

/** In `html` what a placeholder prints is escaped unless its last filter is `raw`; in `text` nothing is escaped. */
export type TemplateMode = 'html' | 'text'

/** A template that is texts and slots in turn: the texts never change, so they can be written once for all recipients. */
interface Slots {
  /** The texts before, between and behind the slots: one more than there are slots. */
  readonly texts: readonly string[]
  /** The keys of the data that it may print; undefined when it prints all of it. */
  readonly keys: ReadonlySet<string> | undefined
  /** What goes into the slots. Throws EngineError `VALIDATION_ERROR` when the whole would be too large. */
  values(variables: JsonObject, mailVariables: MailVariables): readonly string[]
}

/** A template that was read once and is filled in for every recipient. */
export interface CompiledTemplate {
  readonly mode: TemplateMode
  /** The same template as texts and slots, when it is made of nothing else. */
  readonly slots: Slots | undefined

  /**
   * The text for these values; what is missing prints nothing. `variables` are the contact's data with this call's own.
   * Throws EngineError `VALIDATION_ERROR` when it breaks a limit (output, time, memory) or a filter refuses its value; for
   * time it is a SlowRender. `patience` is another limit of time, in milliseconds.
   */
  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string

  /** Throws as `render` would, without doing its work where the outcome is certain. */
  validate(variables: JsonObject, mailVariables: MailVariables): void
}
