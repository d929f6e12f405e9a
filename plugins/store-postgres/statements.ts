/** Statements by their text, in PostgreSQL's form: `$1` for `?`, and a name to prepare them under. */
export class Statements {
  readonly #known = new Map<string, Statement>()

  prepared(sql: string): Statement {
    const known = this.#known.get(sql)
    if (known) return known
    const made = { name: `mailwright_${this.#known.size + 1}`, text: numbered(sql) }
    this.#known.set(sql, made)
    return made
  }
}

/** The text with `$1`, `$2` … in place of its `?`. */
export function numbered(sql: string): string {
  let parameter = 0
  return sql.replace(/\?/g, () => `$${++parameter}`)
}

interface Statement {
  readonly name: string
  readonly text: string
}
