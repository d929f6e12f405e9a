import { type EngineError, invalidField } from '../../errors.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import type { Place } from './html-places.ts'
import { keysIn } from './key-path.ts'
import { PRINT_AT, PRINT_HTML_AT } from './print-at.ts'
import { isTooLarge, limitText, printed } from './printed.ts'
import type { OutputPiece, Piece } from './scan-template.ts'
import { type Lookup, lookupOf, lookupOfWhole, type MailVariables, ownValue } from './scope.ts'
import type { CompiledTemplate, CompileOptions, TemplateMode } from './template.ts'

/** Properties that Liquid computes. */
const COMPUTED = new Set(['size', 'first', 'last'])
const DEFAULT = '(?:\\|\\s*default\\s*:\\s*("[^"\\\\]*"|\'[^\'\\\\]*\')\\s*)?'
const RAW = '(\\|\\s*raw\\s*)?'
const FILTERS = new RegExp(`^${DEFAULT}${RAW}$`)
const TAIL = new RegExp(`^\\s*${RAW}$`)

/** The longest form of one character: `&#12288;` where a blank would end an attribute. */
const LONGEST_ENTITY = 8

interface Slot {
  /** The first name of the path. */
  readonly root: string
  readonly lookup: Lookup
  /** The properties after the first name. */
  readonly path: readonly string[]
  /** The look-up for a key of the data that is the whole path, such as `a.b`. */
  readonly whole: Lookup | undefined
  /** How the value is printed; absent: as it is. */
  readonly print: ((text: string) => string) | undefined
  /** Printed as fallback, already escaped: `??` for null, `default` for null, false and empty values. */
  readonly otherwise?: { readonly text: string; readonly when: 'null' | 'empty' }
}

/**
 * The template when it has nothing but text and plain placeholders, else undefined: it is filled in by joining texts,
 * with the same result as the Liquid engine's.
 */
export function slotTemplate(
  source: string,
  pieces: readonly Piece[],
  mode: TemplateMode,
  { field, most, places }: CompileOptions,
): SlotTemplate | undefined {
  const texts: string[] = ['']
  const slots: Slot[] = []
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      texts[texts.length - 1] = source.slice(piece.from, piece.to)
      continue
    }
    const place = places?.[slots.length] ?? 'text'
    const slot = piece.kind === 'output' ? slotOf(piece, mode, place) : undefined
    if (slot === undefined) return undefined
    slots.push(slot)
    texts.push('')
  }
  return new SlotTemplate(mode, field, texts, slots, most)
}

/** A template of texts and slots. */
export class SlotTemplate implements CompiledTemplate {
  readonly mode: TemplateMode
  readonly slots = this
  /** The texts before, between and after the slots: one more than there are slots. */
  readonly texts: readonly string[]
  readonly #slots: readonly Slot[]
  readonly #field: string
  readonly #textLength: number
  readonly #most: number

  /** `most` is the output limit, in bytes of UTF-8. */
  constructor(mode: TemplateMode, field: string, texts: readonly string[], slots: readonly Slot[], most: number) {
    this.mode = mode
    this.texts = texts
    this.#slots = slots
    this.#field = field
    this.#most = most
    this.#textLength = texts.reduce((sum, text) => sum + text.length, 0)
  }

  /** The keys of the data that it may print; undefined when it prints all of it. */
  get keys(): ReadonlySet<string> | undefined {
    const keys = new Set<string>()
    for (const { root, path } of this.#slots) {
      const [key, ...others] = root === 'data' ? path : [root, ...path]
      if (key === undefined) return undefined
      keys.add(key)
      if (others.length > 0) keys.add([key, ...others].join('.'))
    }
    return keys
  }

  /**
   * The values of the slots, escaped as the mode requires. Throws EngineError `VALIDATION_ERROR` when the whole would
   * be too large.
   */
  values(variables: JsonObject, mailVariables: MailVariables): readonly string[] {
    let length = this.#textLength
    const values: string[] = []
    for (const slot of this.#slots) {
      const value = fill(slot, variables, mailVariables)
      length += value.length
      values.push(value)
    }
    if (values.length > 0 && length * 3 > this.#most && isTooLarge(this.#join(values), this.#most)) {
      throw tooLarge(this.#field, this.#most)
    }
    return values
  }

  render(variables: JsonObject, mailVariables: MailVariables): string {
    return this.#join(this.values(variables, mailVariables))
  }

  validate(variables: JsonObject, mailVariables: MailVariables): void {
    let length = this.#textLength
    for (const slot of this.#slots) {
      const { otherwise } = slot
      const value = valueAt(slot, variables, mailVariables)
      const shown = typeof value === 'object' ? printed(value).length : String(value).length
      length += Math.max(shown * LONGEST_ENTITY, otherwise?.text.length ?? 0)
    }
    if (this.#slots.length > 0 && length * 3 > this.#most) this.render(variables, mailVariables)
  }

  #join(values: readonly string[]): string {
    let joined = this.texts[0] ?? ''
    for (let i = 0; i < values.length; i++) joined += (values[i] ?? '') + (this.texts[i + 1] ?? '')
    return joined
  }
}

/** The error for a template whose output is too large. */
export function tooLarge(field: string, most: number): EngineError {
  return invalidField(field, 'too_big', `renders to more than ${limitText(most)}`)
}

function slotOf(piece: OutputPiece, mode: TemplateMode, place: Place): Slot | undefined {
  if (piece.trimLeft || piece.trimRight) return undefined
  const { fallback, content } = piece
  const bar = fallback === undefined ? content.indexOf('|') : -1
  const filters = bar < 0 ? ['', undefined, undefined] : FILTERS.exec(content.slice(bar))
  const tail = fallback && TAIL.exec(fallback.tail)
  if (filters === null || tail === null || fallback?.literal.includes('\\')) return undefined
  const keys = keysIn(fallback?.head ?? (bar < 0 ? content : content.slice(0, bar)))
  if (keys === undefined || keys.some((key) => COMPUTED.has(key))) return undefined
  const [root = '', ...path] = keys
  const isRaw = mode === 'text' || filters[2] !== undefined || tail?.[1] !== undefined
  const print = mode === 'text' ? undefined : isRaw ? PRINT_HTML_AT[place] : PRINT_AT[place]
  const literal = (fallback?.literal ?? filters[1])?.slice(1, -1)
  const slot = { root, lookup: lookupOf(root), path, whole: lookupOfWhole(keys), print }
  if (literal === undefined) return slot
  const text = print ? print(literal) : literal
  return { ...slot, otherwise: { text, when: fallback === undefined ? 'empty' : 'null' } }
}

function fill(slot: Slot, variables: JsonObject, mailVariables: MailVariables): string {
  const { otherwise, print } = slot
  const value = valueAt(slot, variables, mailVariables)
  if (otherwise !== undefined && (otherwise.when === 'null' ? isNull(value) : isEmpty(value))) return otherwise.text
  const text = printed(value)
  return print ? print(text) : text
}

function valueAt({ lookup, path, whole }: Slot, variables: JsonObject, mailVariables: MailVariables): Json | undefined {
  const named = whole?.(variables, mailVariables)
  if (named !== undefined) return named
  let value = lookup(variables, mailVariables)
  for (const key of path) value = ownValue(value, key)
  return value
}

function isNull(value: Json | undefined): boolean {
  return value === undefined || value === null
}

function isEmpty(value: Json | undefined): boolean {
  return isNull(value) || value === false || value === '' || (Array.isArray(value) && value.length === 0)
}
