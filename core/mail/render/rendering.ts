import { invalidField } from '../../errors.ts'
import type { JsonObject } from '../../values/json.ts'
import { RecentlyUsed } from '../../values/recently-used.ts'
import { BoundedLiquid } from './bounded-liquid.ts'
import type { NoteTrouble } from './filter-troubles.ts'
import { placesOf } from './html-places.ts'
import { LiquidTemplate } from './liquid-template.ts'
import { htmlToText } from './plain-text.ts'
import { MAX_OUTPUT, MAX_SUBJECT } from './printed.ts'
import { type Piece, scanTemplate } from './scan-template.ts'
import type { MailVariables } from './scope.ts'
import { slotTemplate } from './slot-template.ts'
import { sizeProblem } from './source-size.ts'
import type { CompiledTemplate, CompileOptions, TemplateMode } from './template.ts'
import { textTemplateSource } from './text-template.ts'

/** How many compiled templates are cached, and how many characters of source they may have in all. */
const KEPT = 1000
const KEPT_CHARACTERS = 16_000_000
/** How many characters one placeholder may have, and all of them. */
const MAX_PLACEHOLDER = 20_000
const MAX_CODE = 256 * 1024

/** How long one rendering may take, in milliseconds. */
const RENDER_MS = 250

/** Compiles templates: Liquid with Plunk's `??`, without files, within limits. Compiled templates are cached. */
export class Rendering {
  /** By source, then by use: a long source is hashed only once while it is the same string. */
  readonly #kept = new RecentlyUsed<Map<string, CompiledTemplate>>(KEPT, KEPT_CHARACTERS, (source) => source.length)
  readonly #liquid: Readonly<Record<TemplateMode, BoundedLiquid>>

  /** Reports filters that could not do their work in mails that leave. */
  readonly noted: NoteTrouble | undefined

  /** `patience` is how long one rendering may take, in milliseconds. */
  constructor(patience = RENDER_MS, noted?: NoteTrouble) {
    this.noted = noted
    this.#liquid = { html: new BoundedLiquid('html', patience), text: new BoundedLiquid('text', patience) }
  }

  /**
   * Compiles a template. Throws EngineError `VALIDATION_ERROR` for `field`, with line and column, when the source has a
   * syntax error, names an unknown tag or filter, or is too large. `most` is the output limit, in bytes of UTF-8.
   */
  compile(source: string, mode: TemplateMode, field = 'body', most = MAX_OUTPUT): CompiledTemplate {
    return this.#keep(source, `${mode} ${field} ${most}`, () => {
      checkSize(source, field)
      const pieces = scanTemplate(source)
      checkCode(pieces, field)
      return this.#compiled(source, pieces, mode, { field, most })
    })
  }

  /** Compiles the template of a subject line, which has a lower limit. Throws as `compile` does. */
  compileSubject(source: string, field = 'subject'): CompiledTemplate {
    return this.compile(source, 'text', field, MAX_SUBJECT)
  }

  /**
   * Compiles the plain-text part of an HTML template. Usually it is a text template itself, converted once; where that
   * is not possible (see `textTemplateSource`) every rendered HTML is converted. Throws as `compile` does.
   */
  compileText(htmlSource: string, field = 'body'): CompiledTemplate {
    return this.#keep(htmlSource, `plain ${field}`, () => {
      this.compile(htmlSource, 'html', field)
      return this.compileTextAdded(htmlSource, field, MAX_OUTPUT)
    })
  }

  /**
   * Compiles a source that was checked before parts were injected, which do not count for its limits. It may render to
   * `most` bytes of UTF-8. Nothing is cached. Throws as `compile` does when the source has a syntax error.
   */
  compileAdded(source: string, mode: TemplateMode, field: string, most: number): CompiledTemplate {
    return this.#compiled(source, scanTemplate(source), mode, { field, most })
  }

  /** The same for the value of an attribute with these quotes; an address is expected in it. */
  compileAddress(source: string, quote: string, field: string): CompiledTemplate {
    const whole = `<a href=${quote}${source}${quote}>`
    const places = placesOf(whole, scanTemplate(whole))
    return this.#compiled(source, scanTemplate(source), 'html', { field, most: MAX_OUTPUT, places })
  }

  /** As `compileText`, for a source with injected parts. */
  compileTextAdded(htmlSource: string, field: string, most: number): CompiledTemplate {
    const source = textTemplateSource(htmlSource, scanTemplate(htmlSource))
    if (source === undefined)
      return new ConvertedTemplate(this.compileAdded(htmlSource, 'html', field, most), htmlToText)
    const text = this.compileAdded(source, 'text', field, most)
    return text.slots === undefined ? new ConvertedTemplate(text, withoutGaps) : text
  }

  #keep(source: string, use: string, make: () => CompiledTemplate): CompiledTemplate {
    const uses = this.#kept.get(source)
    const known = uses?.get(use)
    if (known !== undefined) return known
    const made = make()
    if (uses) uses.set(use, made)
    else this.#kept.set(source, new Map([[use, made]]))
    return made
  }

  #compiled(
    source: string,
    pieces: readonly Piece[],
    mode: TemplateMode,
    { field, most, places = mode === 'html' ? placesOf(source, pieces) : undefined }: CompileOptions,
  ): CompiledTemplate {
    const options = { field, most, places }
    return (
      slotTemplate(source, pieces, mode, options) ??
      new LiquidTemplate(this.#liquid[mode], source, pieces, mode, options)
    )
  }
}

/** A template whose output is converted to text for every mail. */
class ConvertedTemplate implements CompiledTemplate {
  readonly mode = 'text'
  readonly slots = undefined
  readonly #template: CompiledTemplate
  readonly #convert: (text: string) => string

  constructor(template: CompiledTemplate, convert: (text: string) => string) {
    this.#template = template
    this.#convert = convert
  }

  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string {
    return this.#convert(this.#template.render(variables, mailVariables, patience))
  }

  validate(variables: JsonObject, mailVariables: MailVariables): void {
    this.#template.validate(variables, mailVariables)
  }
}

/** Removes the gaps left by branches that were not taken. */
function withoutGaps(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').trim()
}

function checkSize(source: string, field: string): void {
  const problem = sizeProblem(source)
  if (problem !== undefined) throw invalidField(field, 'too_big', problem)
}

/** The engine reads placeholders word by word, which takes far longer than the same amount of text. */
function checkCode(pieces: readonly Piece[], field: string): void {
  let code = 0
  for (const piece of pieces) {
    if (piece.kind !== 'output' && piece.kind !== 'tag') continue
    const { length } = piece.content
    code += length
    if (length > MAX_PLACEHOLDER) {
      throw invalidField(field, 'too_big', `must have at most ${MAX_PLACEHOLDER} characters in one placeholder`)
    }
    if (code > MAX_CODE) {
      throw invalidField(field, 'too_big', `must have at most ${MAX_CODE / 1024} KB in all its placeholders`)
    }
  }
}
