import { type EngineError, invalidField } from '../../errors.ts'
import type { Json, JsonObject } from '../../values/json.ts'
import { escapeHtml, isTooLarge, limitText, printed } from './printed.ts'
import type { OutputPiece, Piece } from './scan-template.ts'
import { type Lookup, lookupOf, type MailVariables, ownValue } from './scope.ts'
import type { CompiledTemplate, TemplateMode } from './template.ts'

/** Names that the Liquid parser reads as a literal or an operator. */
const WORDS = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank', 'not', 'and', 'or', 'contains'])
/** Properties that Liquid computes. */
const COMPUTED = new Set(['size', 'first', 'last'])

const PATH = '[\\p{L}_][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}\\p{N}_][\\p{L}\\p{N}_-]*)*'
const DEFAULT = '(?:\\|\\s*default\\s*:\\s*("[^"\\\\]*"|\'[^\'\\\\]*\')\\s*)?'
const RAW = '(\\|\\s*raw\\s*)?'
const OUTPUT = new RegExp(`^\\s*(${PATH})\\s*${DEFAULT}${RAW}$`, 'u')
const TAIL = new RegExp(`^\\s*${RAW}$`)

/** The longest HTML form of one character. */
const LONGEST_ENTITY = 5

interface Slot {
  /** The first name of the path. */
  readonly root: string
  readonly lookup: Lookup
  /** The properties after the first name. */
  readonly path: readonly string[]
  readonly escaped: boolean
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
  field: string,
  most: number,
): SlotTemplate | undefined {
  const texts: string[] = ['']
  const slots: Slot[] = []
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      texts[texts.length - 1] = source.slice(piece.from, piece.to)
      continue
    }
    const slot = piece.kind === 'output' ? slotOf(piece, mode) : undefined
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
      const key = root === 'data' ? path[0] : root
      if (key === undefined) return undefined
      keys.add(key)
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
    for (const { lookup, path, otherwise } of this.#slots) {
      const value = valueAt(lookup, path, variables, mailVariables)
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

function slotOf(piece: OutputPiece, mode: TemplateMode): Slot | undefined {
  if (piece.trimLeft || piece.trimRight) return undefined
  const { fallback } = piece
  const match = OUTPUT.exec(fallback?.head ?? piece.content)
  const tail = fallback && TAIL.exec(fallback.tail)
  if (match === null || tail === null) return undefined
  if (fallback !== undefined && (match[2] !== undefined || match[3] !== undefined)) return undefined
  if (fallback?.literal.includes('\\')) return undefined
  const [root = '', ...path] = (match[1] ?? '').split('.')
  if (WORDS.has(root) || COMPUTED.has(root) || path.some((key) => COMPUTED.has(key))) return undefined
  const escaped = mode === 'html' && match[3] === undefined && tail?.[1] === undefined
  const literal = (fallback?.literal ?? match[2])?.slice(1, -1)
  const slot = { root, lookup: lookupOf(root), path, escaped }
  if (literal === undefined) return slot
  const text = escaped ? escapeHtml(literal) : literal
  return { ...slot, otherwise: { text, when: fallback === undefined ? 'empty' : 'null' } }
}

function fill({ lookup, path, escaped, otherwise }: Slot, variables: JsonObject, mailVariables: MailVariables): string {
  const value = valueAt(lookup, path, variables, mailVariables)
  if (otherwise !== undefined && (otherwise.when === 'null' ? isNull(value) : isEmpty(value))) return otherwise.text
  const text = printed(value)
  return escaped ? escapeHtml(text) : text
}

function valueAt(
  lookup: Lookup,
  path: readonly string[],
  variables: JsonObject,
  mailVariables: MailVariables,
): Json | undefined {
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
