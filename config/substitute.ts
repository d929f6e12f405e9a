import type { FieldProblem } from '../core/errors.ts'
import { isPlugin } from '../core/plugin/shape.ts'
import { isJsonObject } from '../core/values/json.ts'

/** A process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A config with its variables filled in. */
export interface Substituted {
  readonly value: unknown
  readonly problems: readonly FieldProblem[]
  /** The fields whose value is just one variable, which may be meant as a number. */
  readonly whole: ReadonlySet<string>
}

/**
 * Fills `${NAME}` in every string of a document from the environment; `$${` stands for a plain `${`. A variable that is
 * not set is a problem of its field. `convert` names fields (of `whole`) that must not be text: there, `587` and `true`
 * become a number and a boolean. Plugins and other class instances are left as they are.
 */
export function substitute(document: unknown, env: Environment, convert: ReadonlySet<string>): Substituted {
  const problems: FieldProblem[] = []
  const whole = new Set<string>()

  function walk(value: unknown, field: string): unknown {
    if (typeof value === 'string') return fill(value, field)
    if (Array.isArray(value)) return value.map((item, i) => walk(item, `${field}[${i}]`))
    if (!isJsonObject(value) || isPlugin(value)) return value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, inner]) => [key, walk(inner, field ? `${field}.${key}` : key)]))
  }

  function fill(text: string, field: string): unknown {
    if (/^\$\{\w+\}$/.test(text)) whole.add(field)
    const filled = text.replace(PLACE, (place, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined) return '${'
      if (name === undefined) problems.push({ field, code: 'custom', message: MALFORMED })
      else if (env[name] === undefined) problems.push({ field, code: 'required', message: `\${${name}} is not set` })
      else return env[name]
      return place
    })
    return convert.has(field) ? plain(filled) : filled
  }

  return { value: walk(document, ''), problems, whole }
}

const PLACE = /(\$\$\{)|\$\{(?:([A-Za-z_]\w*)\})?/g
const MALFORMED = 'has a ${ without a variable name and }; write $${ for a plain ${'

function plain(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}
