import { LiquidError, type Template } from 'liquidjs'
import { type EngineError, invalidField } from '../../errors.ts'
import type { JsonObject } from '../../values/json.ts'
import type { BoundedLiquid } from './bounded-liquid.ts'
import { type LiquidSource, liquidSource, syntaxError } from './liquid-source.ts'
import { isTooLarge } from './printed.ts'
import { isOutOfTime, limitOf } from './render-limits.ts'
import type { Piece } from './scan-template.ts'
import { type MailVariables, mentionedNames, scopeOf } from './scope.ts'
import { tooLarge } from './slot-template.ts'
import { SlowRender } from './slow-render.ts'
import type { CompiledTemplate, CompileOptions, TemplateMode } from './template.ts'

/** A template with tags, filters or anything else beyond plain placeholders, for the Liquid engine. */
export class LiquidTemplate implements CompiledTemplate {
  readonly mode: TemplateMode
  readonly slots = undefined
  readonly #liquid: BoundedLiquid
  readonly #source: string
  readonly #field: string
  readonly #rewritten: LiquidSource
  readonly #templates: Template[]
  readonly #most: number
  readonly #mentioned: readonly string[]

  /**
   * Throws EngineError `VALIDATION_ERROR` with line and column when the
   * source does not parse.
   */
  constructor(
    liquid: BoundedLiquid,
    source: string,
    pieces: readonly Piece[],
    mode: TemplateMode,
    { field, most, places }: CompileOptions,
  ) {
    this.mode = mode
    this.#most = most
    this.#mentioned = mentionedNames(source)
    this.#liquid = liquid
    this.#source = source
    this.#field = field
    this.#rewritten = liquidSource(source, pieces, field, places)
    try {
      this.#templates = liquid.parse(this.#rewritten.text)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string {
    const text = this.#fill(variables, mailVariables, patience)
    if (isTooLarge(text, this.#most)) throw tooLarge(this.#field, this.#most)
    return text
  }

  validate(variables: JsonObject, mailVariables: MailVariables): void {
    this.render(variables, mailVariables)
  }

  #fill(variables: JsonObject, mailVariables: MailVariables, patience: number | undefined): string {
    try {
      return this.#liquid.fill(
        this.#templates,
        scopeOf(variables, mailVariables, this.#mentioned),
        { most: this.#most, field: this.#field, injected: mailVariables.injected, troubles: mailVariables.troubles },
        patience,
      )
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #explained(error: unknown): EngineError {
    if (isOutOfTime(error)) return new SlowRender(this.#field)
    const limit = limitOf(error)
    if (limit !== undefined) return invalidField(this.#field, 'too_big', limit)
    if (!LiquidError.is(error)) throw error
    const message = error.message.replace(/, line:\d+, col:\d+$/, '')
    const inSource = error.token.input === this.#rewritten.text
    const offset = inSource ? this.#rewritten.original(error.token.begin) : 0
    return syntaxError(this.#source, offset, this.#field, message)
  }
}
