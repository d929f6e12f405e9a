/**
 * The words of the API document about one noun: its schemas, their properties, and the parameters of its operations.
 */
export interface Words {
  /** Named schemas, by their names. */
  readonly schemas?: Readonly<Record<string, string>>
  /**
   * Properties and parameters by name, for everything about this noun. Where the same name means something else, the
   * key says where: `outer.name`, or with the schema or operation before it, `Owner.name`. The longest key wins.
   */
  readonly fields: Readonly<Record<string, string>>
  /** The same for what only older clients still need, which the document marks as deprecated. */
  readonly deprecated?: Readonly<Record<string, string>>
}

/** The words of the document about a property or parameter. */
export interface FieldWords {
  readonly description: string
  readonly deprecated?: true
}

/**
 * Looks a field up by its path, which begins with its schema or operation. Of tables with the same key the first wins.
 * What the field's record says of it (`own`) goes before what is said of its name alone.
 */
export function wordsOf(tables: readonly Words[], path: readonly string[], own?: string): FieldWords | undefined {
  for (let from = 0; from < path.length; from++) {
    const isName = from === path.length - 1
    if (isName && own !== undefined) return { description: own }
    const key = path.slice(from).join('.')
    for (const { fields, deprecated = {} } of tables) {
      const description = fields[key]
      if (description !== undefined) return { description }
      const old = deprecated[key]
      if (old !== undefined) return { description: old, deprecated: true }
    }
  }
  return undefined
}

/** The same words for the fields of one schema or operation. */
export function prefixed(owner: string, fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, words]) => [`${owner}.${name}`, words]))
}
