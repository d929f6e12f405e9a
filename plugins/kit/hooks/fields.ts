import { isJsonObject, type JsonObject } from '../../../core/values/json.ts'
import { readJsonText } from '../../../core/values/json-text.ts'

/**
 * JSON from a provider, in which anything may be missing or of another type: an unexpected value counts as missing. So
 * does an empty text. A number counts as a text where one is asked for.
 */
export class Fields {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  /** Throws EngineError `INVALID_JSON`, `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE` as `readJsonText` does. */
  static of(text: Uint8Array | string, mostValues?: number): Fields {
    return new Fields(readJsonText(typeof text === 'string' ? Buffer.from(text) : text, mostValues))
  }

  get isObject(): boolean {
    return isJsonObject(this.#value)
  }

  /** The items, when it is a list. */
  get items(): readonly Fields[] | undefined {
    return Array.isArray(this.#value) ? this.#value.map((item: unknown) => new Fields(item)) : undefined
  }

  /** An inner field, which may be missing. */
  in(name: string): Fields {
    const value = this.#value
    return new Fields(isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)
  }

  text(name: string): string | undefined {
    const value = this.in(name).#value
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** The texts of a list of texts. */
  texts(name: string): readonly string[] {
    const value = this.in(name).#value
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  }

  /** An object with whatever it has. */
  object(name: string): JsonObject | undefined {
    const value = this.in(name).#value
    return isJsonObject(value) ? value : undefined
  }

  isTrue(name: string): boolean {
    return this.in(name).#value === true
  }

  /** A time, as ISO 8601 text or in seconds of Unix time. */
  moment(name: string): Date | undefined {
    const value = this.in(name).#value
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    const moment = new Date(typeof value === 'number' ? value * 1000 : value)
    return Number.isNaN(moment.getTime()) ? undefined : moment
  }
}
