/** A change of the tables that has been made. */
export interface AppliedMigration {
  readonly name: string
  readonly at: Date
}

/** Which migrations a database has, and which it waits for. */
export interface SchemaState {
  /** Those that have run, oldest first. */
  readonly applied: readonly AppliedMigration[]
  /** Those of this version that have not run yet, in the order they will. All of them in an empty database. */
  readonly pending: readonly string[]
  /** Those that have run and this version does not know: a newer version has written the database. */
  readonly unknown: readonly string[]
  /** Whether the database holds the beginning of a copy of another one, which nothing else may open. */
  readonly isBeingCopied: boolean
}
