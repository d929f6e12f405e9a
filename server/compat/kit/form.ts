import type { ForeignPart, ForeignRequest } from '../../../core/ports/foreign-api.ts'

const NONE: readonly never[] = []
const NO_FIELDS: ReadonlyMap<string, string> = new Map()

/** The fields of a form, any of which may be given several times. */
export class Form {
  readonly #parts: readonly ForeignPart[]
  readonly #byName: ReadonlyMap<string, readonly ForeignPart[]>

  constructor(body: ForeignRequest['body']) {
    this.#parts = Array.isArray(body) ? body.filter(isPart) : []
    this.#byName = Map.groupBy(this.#parts, ({ name }) => name)
  }

  /** All texts of a field, in their order. */
  texts(name: string): readonly string[] {
    return this.#byName.get(name)?.map(textOf) ?? NONE
  }

  /** The first text of a field that is not empty. */
  text(name: string): string | undefined {
    const first = this.#byName.get(name)?.[0]
    if (first === undefined) return undefined
    return textOf(first) || this.texts(name).find((text) => text !== '')
  }

  /** The files of a field; a text of that name is one without a name. */
  files(name: string): readonly ForeignPart[] {
    return this.#byName.get(name)?.filter(({ value }) => value.length > 0) ?? NONE
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
