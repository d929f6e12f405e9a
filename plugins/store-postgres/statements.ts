/** Statements by their text, as PostgreSQL wants them: `$1` for `?`, and a name to be prepared under. */
export class Statements {
  readonly #known = new Map<string, Statement>()

  prepared(sql: string): Statement {
    const known = this.#known.get(sql)
    if (known) return known
    let parameter = 0
    const text = sql.replace(/\?/g, () => `$${++parameter}`)
    const made = { name: `mailwright_${this.#known.size + 1}`, text }
    this.#known.set(sql, made)
    return made
  }
}

interface Statement {
  readonly name: string
  readonly text: string
}
