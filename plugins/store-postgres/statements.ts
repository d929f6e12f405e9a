import { createHash } from 'node:crypto'

/**
 * The beginning of a condition on a list. A plan that knows neither the list nor the table's size takes it for ten
 * values of few rows: it may go through all rows of a project and compare each with a thousand values one by one.
 */
export const LISTED = '= any(?::'

/**
 * Statements by their text, in PostgreSQL's form: `$1` for `?`, and a name to prepare them under. One with a list has
 * no name, so that each execution is planned for its own list and for the tables as they are. Behind a pooler none has:
 * the connection that prepared it may be another one's next.
 */
export class Statements {
  readonly #known = new Map<string, Statement>()
  readonly #areNamed: boolean

  constructor({ areNamed }: { readonly areNamed: boolean }) {
    this.#areNamed = areNamed
  }

  prepared(sql: string): Statement {
    const known = this.#known.get(sql)
    if (known) return known
    const text = numbered(sql)
    const made = sql.includes(LISTED) || !this.#areNamed ? { text } : { name: nameOf(text), text }
    this.#known.set(sql, made)
    return made
  }
}

/** The same text has the same name, since several stores may use the connections of one pool. */
function nameOf(text: string): string {
  return `mailwright_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/** The text with `$1`, `$2` … instead of its `?`. */
export function numbered(sql: string): string {
  let parameter = 0
  return sql.replace(/\?/g, () => `$${++parameter}`)
}

interface Statement {
  readonly name?: string
  readonly text: string
}
