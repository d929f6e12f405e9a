import type { FieldProblem } from '../core/errors.ts'
import { isPlugin } from '../core/plugin/shape.ts'
import { isJsonObject } from '../core/values/json.ts'

/** A process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A config with its variables filled in. */
export interface Substituted {
  readonly value: unknown
  readonly problems: readonly FieldProblem[]
  readonly readings: Readings
}

/**
 * The value that a variable may stand for where a number or a boolean belongs: `587` and `true` for the texts `"587"`
 * and `"true"`. By field, with dots alone (`transports.0.options.port`), and only where the value is nothing but the
 * variable.
 */
export type Readings = ReadonlyMap<string, number | boolean>

/**
 * Fills `${NAME}` in every string of a document from the environment; `$${` stands for a plain `${`. A variable that is
 * not set is a problem of its field. All that is filled in stays text: what else it reads as is in `readings`. Plugins
 * and other class instances are left as they are.
 */
export function substitute(document: unknown, env: Environment): Substituted {
  const problems: FieldProblem[] = []
  const readings = new Map<string, number | boolean>()

  function fill(text: string, field: string): string {
    const filled = text.replace(PLACE, (place, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined) return '${'
      if (name === undefined) problems.push({ field, code: 'custom', message: MALFORMED })
      else if (env[name] === undefined) problems.push({ field, code: 'required', message: `\${${name}} is not set` })
      else return env[name]
      return place
    })
    const reading = /^\$\{\w+\}$/.test(text) ? readingOf(filled) : undefined
    if (reading !== undefined) readings.set(dotted(field), reading)
    return filled
  }

  return { value: mapTexts(document, fill, ''), problems, readings }
}

/** The names of the variables in a document. */
export function variablesIn(document: unknown): readonly string[] {
  const names: string[] = []
  const find = (text: string) => {
    for (const [, , name] of text.matchAll(PLACE)) if (name !== undefined) names.push(name)
  }
  mapTexts(document, find, '')
  return names
}

/** A copy of a document in which `change` has replaced every text. `field` is the document's own place. */
export function mapTexts(document: unknown, change: (text: string, field: string) => unknown, field: string): unknown {
  if (typeof document === 'string') return change(document, field)
  if (Array.isArray(document)) return document.map((item, i) => mapTexts(item, change, `${field}[${i}]`))
  if (!isJsonObject(document) || isPlugin(document)) return document
  const entries = Object.entries(document)
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, mapTexts(inner, change, field ? `${field}.${key}` : key)]),
  )
}

/** A field in the form that schemas name it: `transports.0`, not `transports[0]`. */
export function dotted(field: string): string {
  return field.replace(/\[(\d+)\]/g, '.$1')
}

const PLACE = /(\$\$\{)|\$\{(?:([A-Za-z_]\w*)\})?/g
const MALFORMED = 'has a ${ without a variable name and }; write $${ for a plain ${'

function readingOf(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}
