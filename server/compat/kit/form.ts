import type { ForeignPart, ForeignRequest } from '../../../core/ports/foreign-api.ts'

const NONE: readonly never[] = []
const NO_FIELDS: ReadonlyMap<string, string> = new Map()

/** The fields of a form, any of which may be given several times. Most forms are short: a map of them costs more than looking. */
export class Form {
  readonly #parts: readonly ForeignPart[]

  constructor(body: ForeignRequest['body']) {
    this.#parts = Array.isArray(body) ? body.filter(isPart) : []
  }

  /** All texts of a field, in their order. */
  texts(name: string): readonly string[] {
    const found = this.#of(name)
    return found.length === 0 ? NONE : found.map(textOf)
  }

  /** The first text of a field that is not empty. */
  text(name: string): string | undefined {
    for (const part of this.#parts) {
      if (part.name === name && part.value.length > 0) return textOf(part)
    }
    return undefined
  }

  /** The files of a field; a text of that name is one without a name. */
  files(name: string): readonly ForeignPart[] {
    return this.#of(name).filter(({ value }) => value.length > 0)
  }

  #of(name: string): readonly ForeignPart[] {
    let found: ForeignPart[] | undefined
    for (const part of this.#parts) {
      if (part.name !== name) continue
      found ??= []
      found.push(part)
    }
    return found ?? NONE
  }

  /** The fields whose names begin so, without that beginning; of several with a name the first counts. */
  named(beginning: string): ReadonlyMap<string, string> {
    let found: Map<string, string> | undefined
    for (const part of this.#parts) {
      if (!part.name.startsWith(beginning)) continue
      found ??= new Map()
      const name = part.name.slice(beginning.length)
      if (!found.has(name)) found.set(name, textOf(part))
    }
    return found ?? NO_FIELDS
  }
}

function isPart(value: unknown): value is ForeignPart {
  return typeof value === 'object' && value !== null && 'name' in value && 'value' in value
}

function textOf({ value }: ForeignPart): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8')
}
