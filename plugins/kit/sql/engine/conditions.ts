/** The conditions of one statement, all of which must hold, with their parameters. */
export class Conditions {
  readonly #texts: string[] = []
  readonly params: unknown[] = []

  /** Adds a condition, with as many parameters as it has `?`. */
  and(text: string, ...params: readonly unknown[]): this {
    this.#texts.push(text)
    this.params.push(...params)
    return this
  }

  /** Adds `column = ?` unless the value is undefined. */
  equal(column: string, value: unknown): this {
    return value === undefined ? this : this.and(`${column} = ?`, value)
  }

  get text(): string {
    return this.#texts.join(' and ')
  }
}
